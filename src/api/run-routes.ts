import { drawRun } from '../app/draw-workflow.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId, parseRunId } from '../model/run-id.ts';
import { EFFECT_STATES, type EffectState, RUN_STATUSES, type RunStatus } from '../model/statuses.ts';
import { readPlace } from './cursor.ts';
import { assertReaches, readableWorkflows, runFor } from './find-run.ts';
import { inBody } from './in-body.ts';
import { answerPage, boundOf, given, instantOf, limitOf } from './page.ts';
import type { Answer, Call, Route } from './route.ts';
import { answerRun } from './run-answer.ts';
import { CURSOR, INSTANT, LIMIT, listOf, objectOf, pageOf, RUN_LINE, RUN_SCHEMA, TRANSITION, WAIT } from './schemas.ts';

/** A text of `RUNNING,HELD`: one or more of the words. */
function someOf(words: readonly string[]): string {
  return `^(${words.join('|')})(,(${words.join('|')}))*$`;
}

/** Waits as long as the call says; the run may rest before. */
async function waitFor({ app, query, leaving }: Call, run: RunIdentity): Promise<void> {
  const { wait } = query;
  if (wait !== undefined) await app.awaitRun(run, { forMs: Number(wait.slice(0, -1)) * 1_000, signal: leaving });
}

async function start(call: Call): Promise<Answer> {
  const { app, caller } = call;
  const {
    workflow,
    version = null,
    input = {},
  } = call.body as {
    readonly workflow: string;
    readonly version?: number;
    readonly input?: Json;
  };
  assertReaches(caller, 'run:start', workflow);
  invariant(call.idempotencyKey !== null, 'a start has a key');
  const { traceparent } = call;
  const ask = {
    workflow,
    version,
    input,
    by: caller.name,
    keyIfNone: `${caller.name}:${call.idempotencyKey}`,
    ...(traceparent === null ? {} : { traceparent }),
  };
  const { run, created } = await inBody('/input', app.start(ask));
  await waitFor(call, run);
  const { headers, ...answer } = answerRun(await app.show(run.runId), created ? 201 : 200);
  const location = `/v1/runs/${displayRunId(run.runId)}`;
  return { ...answer, headers: { ...headers, location, ...(created ? {} : { 'idempotency-replayed': 'true' }) } };
}

type Filter = Parameters<Call['app']['count']>[0];

/** `team:payments,tier:1` by name. */
function labelsOf({ query }: Call): Filter['labels'] {
  const { label } = query;
  if (label === undefined) return undefined;
  return Object.fromEntries(
    label.split(',').map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]),
  );
}

/** What of the runs is asked for. */
function filterOf(call: Call, workflows: readonly string[] | undefined): Filter {
  const { workflow = null, version, status, needs, q, effect } = call.query;
  return {
    workflow,
    statuses: status === undefined ? null : (status.split(',') as RunStatus[]),
    needsHuman: needs === 'human',
    q: q === undefined ? null : (parseRunId(q) ?? q),
    ...given<Pick<Filter, 'version' | 'workflows' | 'startedAfterMs' | 'startedBeforeMs' | 'effectStates' | 'labels'>>({
      version: version === undefined ? undefined : Number(version),
      workflows,
      startedAfterMs: instantOf(call, 'startedAfter'),
      startedBeforeMs: instantOf(call, 'startedBefore'),
      effectStates: effect?.split(',') as EffectState[] | undefined,
      labels: labelsOf(call),
    }),
  };
}

/** A time in milliseconds, a run's UUID. */
const PLACE = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

async function list(call: Call): Promise<Answer> {
  const { cursor, step } = call.query;
  const workflows = await readableWorkflows(call, 'run:read');
  const filter = filterOf(call, workflows);
  const bound = boundOf(call, workflows);
  const [startedAtMs, runId] = cursor === undefined ? [] : readPlace(bound, cursor, PLACE);
  const after =
    cursor === undefined ? {} : { after: { startedAtMs: Number(startedAtMs), runId: runId as RunIdentity['runId'] } };
  const place = step === undefined ? after : { ...after, step };
  const found = await call.app.list({ ...filter, ...place, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf });
}

function placeOf({ id, startedAt }: { readonly id: string; readonly startedAt: string }): string {
  const runId = parseRunId(id);
  invariant(runId !== null, 'a run that is listed has no id', { id });
  return `${Date.parse(startedAt)}.${runId}`;
}

/** Runs that are counted at most: a count reads each of them. */
const COUNTED_MAX = 10_000;

async function count(call: Call): Promise<Answer> {
  const workflows = await readableWorkflows(call, 'run:read');
  const found = await call.app.count(filterOf(call, workflows), COUNTED_MAX + 1);
  return { status: 200, body: { count: Math.min(found, COUNTED_MAX), more: found > COUNTED_MAX } };
}

async function diagram(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  const format = call.query['format'] === 'mermaid' ? 'mermaid' : 'svg';
  const media = format === 'svg' ? 'image/svg+xml' : 'text/plain; charset=utf-8';
  const { revision } = call.query;
  const ask = { format, revision: revision === undefined ? undefined : Number(revision) } as const;
  return { status: 200, text: { media, text: await drawRun(call.app, run.runId, ask) } };
}

async function show(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  await waitFor(call, run);
  return answerRun(await call.app.show(run.runId), 200, call.ifNoneMatch);
}

async function journal(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  const { journal: rows } = await call.app.history(run.runId);
  const data = rows.map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs).toISOString() }));
  return { status: 200, body: { data } };
}

const START = {
  kind: 'json',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['workflow'],
    properties: {
      workflow: { type: 'string', minLength: 1, maxLength: 128 },
      version: { type: 'integer', minimum: 1, maximum: 999_999_999 },
      input: true,
    },
  },
  example: { workflow: 'hello', input: {} },
} as const;

const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;

/** Which runs are asked for. */
const ASKED: NonNullable<Route['query']> = {
  workflow: { description: 'only runs of this workflow', schema: NAME },
  version: { description: 'only runs of this version', schema: { type: 'string', pattern: '^[1-9][0-9]{0,8}$' } },
  status: {
    description: 'one or more statuses, by comma',
    schema: { type: 'string', pattern: someOf(RUN_STATUSES) },
  },
  effect: {
    description: 'only runs with an effect in one of these states, by comma',
    schema: { type: 'string', pattern: someOf(EFFECT_STATES) },
  },
  needs: { description: 'only runs that wait for somebody', schema: { enum: ['human'] } },
  label: {
    description: 'only runs of versions with these labels, as team:payments, by comma',
    schema: { type: 'string', maxLength: 512, pattern: '^[^:,]+:[^,]+(,[^:,]+:[^,]+)*$' },
  },
  q: { description: 'a run id or a business key', schema: NAME },
  startedAfter: { description: 'started from this instant on, as 2030-01-31T12:00:00Z', schema: INSTANT },
  startedBefore: { description: 'started before this instant', schema: INSTANT },
};

/** Runs: started, listed, shown. */
export const RUN_ROUTES: readonly Route[] = [
  {
    id: 'startRun',
    method: 'POST',
    path: '/v1/runs',
    summary: 'Start a run; the same start again gives the run that is there',
    right: 'run:start',
    query: { wait: WAIT },
    body: START,
    idempotency: 'required',
    answers: {
      200: { description: 'The run that was there', schema: RUN_SCHEMA },
      201: { description: 'The run', schema: RUN_SCHEMA },
    },
    handle: start,
  },
  {
    id: 'listRuns',
    method: 'GET',
    path: '/v1/runs',
    summary: 'Runs, newest first, page by page',
    right: 'run:read',
    query: {
      ...ASKED,
      step: { description: 'only runs that stand at this step now, or rest in this state of a machine', schema: NAME },
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(RUN_LINE) } },
    handle: list,
  },
  {
    id: 'countRuns',
    method: 'GET',
    path: '/v1/runs/count',
    summary: 'How many runs there are; of more than 10,000 only that there are more',
    right: 'run:read',
    query: ASKED,
    answers: {
      200: {
        description: 'The number',
        schema: objectOf({ count: { type: 'integer', minimum: 0 }, more: { type: 'boolean' } }),
      },
    },
    handle: count,
  },
  {
    id: 'showRun',
    method: 'GET',
    path: '/v1/runs/{run}',
    summary: 'A run with all that is known of it',
    right: 'run:read',
    query: { wait: WAIT },
    answers: {
      200: { description: 'The run', schema: RUN_SCHEMA },
      304: { description: 'The caller has it already' },
    },
    handle: show,
  },
  {
    id: 'showRunDiagram',
    method: 'GET',
    path: '/v1/runs/{run}/diagram',
    summary: 'The version of a run as a picture, with the way that the run has gone',
    right: 'run:read',
    query: {
      format: { description: 'svg unless it says mermaid', schema: { enum: ['svg', 'mermaid'] } },
      revision: {
        description: 'as it was at this revision; as it is unless said',
        schema: { type: 'string', pattern: '^[1-9][0-9]{0,8}$' },
      },
    },
    answers: { 200: { description: 'The picture', media: ['image/svg+xml', 'text/plain'] } },
    handle: diagram,
  },
  {
    id: 'showJournal',
    method: 'GET',
    path: '/v1/runs/{run}/journal',
    summary: 'The transitions of a run',
    right: 'run:read',
    answers: { 200: { description: 'The journal, oldest first', schema: objectOf({ data: listOf(TRANSITION) }) } },
    handle: journal,
  },
];
