import type { App } from '../app/create-app.ts';
import type { RunId } from '../model/ids.ts';
import { parseRunId } from '../model/run-id.ts';
import { readPlace } from './cursor.ts';
import { readableWorkflows, runFor } from './find-run.ts';
import { answerPage, boundOf, given, instantOf, limitOf } from './page.ts';
import type { Answer, Call, Route } from './route.ts';
import { ACT, CURSOR, INSTANT, LIMIT, pageOf, RUN_ACTS } from './schemas.ts';

type Filter = Parameters<App['acts']>[0];
type Act = Awaited<ReturnType<App['acts']>>[number];

/** When, the run (none = nothing), and the number in its chain. */
const PLACE = /^(\d{1,16})\.([0-9a-f-]{36})?\.(\d{1,9})$/;

function placeOf({ at, run, no }: Act): string {
  return `${Date.parse(at)}.${run === null ? '' : parseRunId(run)}.${no}`;
}

async function list(call: Call): Promise<Answer> {
  const { actor, act, run, workflow, cursor } = call.query;
  const workflows = await readableWorkflows(call, 'audit:read');
  const bound = boundOf(call, workflows);
  const runId = run === undefined ? undefined : (await runFor({ ...call, params: { run } }, 'audit:read')).runId;
  const [atMs, owner, no] = cursor === undefined ? [] : readPlace(bound, cursor, PLACE);
  const after =
    cursor === undefined
      ? undefined
      : { atMs: Number(atMs), runId: (owner as RunId | undefined) ?? null, auditNo: Number(no) };
  const filter = given<Omit<Filter, 'limit'>>({
    ...{ actor, act, workflow, workflows, runId, after },
    sinceMs: instantOf(call, 'since'),
    untilMs: instantOf(call, 'until'),
  });
  const found = await call.app.acts({ ...filter, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf });
}

async function ofRun(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  const { data, faults } = await call.app.runActs(run.runId);
  return { status: 200, body: { data, verified: faults.length === 0, faults } };
}

const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;

/** Who has done what. */
export const AUDIT_ROUTES: readonly Route[] = [
  {
    id: 'listActs',
    method: 'GET',
    path: '/v1/audit',
    summary: 'Acts of people and keys, newest first, page by page; also those that are about no run',
    right: 'audit:read',
    query: {
      actor: { description: 'only what this person or key has done', schema: NAME },
      act: { description: 'only this act, as `publish` or `terminate`', schema: NAME },
      run: { description: 'only acts on this run: an id or a key', schema: NAME },
      workflow: { description: 'only acts on this workflow and its runs', schema: NAME },
      since: { description: 'from this instant on, as 2030-01-31T12:00:00Z', schema: INSTANT },
      until: { description: 'before this instant', schema: INSTANT },
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(ACT) } },
    handle: list,
  },
  {
    id: 'listActsOfRun',
    method: 'GET',
    path: '/v1/runs/{run}/audit',
    summary: 'Acts on a run, oldest first, and whether their chain is whole',
    right: 'run:read',
    answers: { 200: { description: 'The acts, recomputed', schema: RUN_ACTS } },
    handle: ofRun,
  },
];
