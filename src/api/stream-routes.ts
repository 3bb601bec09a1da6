import type { RunId } from '../model/ids.ts';
import { runFor } from './find-run.ts';
import type { Answer, Call, Route } from './route.ts';
import { tellChanges } from './tell-changes.ts';

/** Runs that one stream names at most. */
const NAMED_RUNS_MAX = 50;

/** The runs that are asked for, by id or key. @throws PAWL_RUN_NOT_FOUND for one that is not there, or may not be read. */
async function namedRuns(call: Call, names: readonly string[]): Promise<ReadonlySet<RunId>> {
  const runs = new Set<RunId>();
  for (const run of names) runs.add((await runFor({ ...call, params: { run } }, 'run:read')).runId);
  return runs;
}

async function watch(call: Call): Promise<Answer> {
  const { app, caller, query, leaving, lastEventId, watching } = call;
  const { runs: names, workflow = null } = query;
  const runs = names === undefined ? null : await namedRuns(call, names.split(','));
  const { pulse, streams, admit } = watching;
  streams.take(caller.name, leaving);
  const { store, tenant, clock } = app.engine;
  const stream = tellChanges({ store, tenant, clock, pulse, lastEventId, runs, workflow, admit, leaving });
  return { status: 200, stream };
}

/** What changes, as it changes. */
export const STREAM_ROUTES: readonly Route[] = [
  {
    id: 'watchRuns',
    method: 'GET',
    path: '/v1/stream',
    summary: 'What changes of runs, as server-sent events: hello, run, resync',
    right: 'run:read',
    query: {
      runs: {
        description: `only these, ids or keys by comma, ${NAMED_RUNS_MAX} at most`,
        schema: { type: 'string', maxLength: 4_096, pattern: `^[^,]+(,[^,]+){0,${NAMED_RUNS_MAX - 1}}$` },
      },
      workflow: { description: 'only runs of this workflow', schema: { type: 'string', minLength: 1, maxLength: 512 } },
    },
    resumes: true,
    answers: { 200: { description: 'The events, until somebody closes it', media: ['text/event-stream'] } },
    handle: watch,
  },
];
