import type { App } from '../app/create-app.ts';
import { parseDuration } from '../model/duration.ts';
import type { EffectKey, RunId } from '../model/ids.ts';
import { parseRunId } from '../model/run-id.ts';
import { EFFECT_STATES, type EffectState } from '../model/statuses.ts';
import { readPlace } from './cursor.ts';
import { readableWorkflows, runFor } from './find-run.ts';
import { answerPage, boundOf, given, limitOf } from './page.ts';
import type { Answer, Call, Route } from './route.ts';
import { answerTagged } from './run-answer.ts';
import { CURSOR, EFFECT_DETAIL, EFFECT_LINE, LIMIT, pageOf } from './schemas.ts';

type Filter = Parameters<App['effects']>[0];
type Line = Awaited<ReturnType<App['effects']>>[number];

/** The start of the run in milliseconds, the run, and the effect's key. */
const PLACE = /^(\d{1,16})\.([0-9a-f-]{36})\.([0-9a-f]{64})$/;

function placeOf({ startedAt, run, key }: Line): string {
  return `${Date.parse(startedAt)}.${parseRunId(run)}.${key}`;
}

/** The instant so long ago. @throws PAWL_DURATION_INVALID. */
async function longAgo({ app, query }: Call): Promise<number | undefined> {
  const { olderThan } = query;
  return olderThan === undefined ? undefined : (await app.engine.store.nowMs()) - parseDuration(olderThan);
}

async function list(call: Call): Promise<Answer> {
  const { state, action, run, workflow, cursor } = call.query;
  const workflows = await readableWorkflows(call, 'run:read');
  const bound = boundOf(call, workflows);
  const runId = run === undefined ? undefined : (await runFor({ ...call, params: { run } }, 'run:read')).runId;
  const [startedAtMs, owner, key] = cursor === undefined ? [] : readPlace(bound, cursor, PLACE);
  const after =
    cursor === undefined
      ? undefined
      : { startedAtMs: Number(startedAtMs), runId: owner as RunId, key: key as EffectKey };
  const filter = given<Omit<Filter, 'limit'>>({
    ...{ action, workflow, workflows, runId, after },
    states: state?.split(',') as EffectState[] | undefined,
    beforeMs: await longAgo(call),
  });
  const found = await call.app.effects({ ...filter, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf });
}

async function show(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  return answerTagged(await call.app.effect(run.runId, call.params['effect'] ?? ''), call.ifNoneMatch);
}

const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;
/** `UNKNOWN,FAILED`: one or more of the states. */
const STATES = `^(${EFFECT_STATES.join('|')})(,(${EFFECT_STATES.join('|')}))*$`;

/** What was done in the world, and what is not known of it. */
export const EFFECT_ROUTES: readonly Route[] = [
  {
    id: 'listEffects',
    method: 'GET',
    path: '/v1/effects',
    summary: 'Effects of all runs, those of the newest run first, page by page',
    right: 'run:read',
    query: {
      state: { description: 'one or more states, by comma', schema: { type: 'string', pattern: STATES } },
      action: { description: 'only effects of this action', schema: NAME },
      run: { description: 'only effects of this run: an id or a key', schema: NAME },
      workflow: { description: 'only effects of runs of this workflow', schema: NAME },
      olderThan: {
        description: 'only effects that were settled, fell into doubt or were sent last so long ago, as 15m',
        schema: { type: 'string', minLength: 2, maxLength: 32 },
      },
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(EFFECT_LINE) } },
    handle: list,
  },
  {
    id: 'showEffect',
    method: 'GET',
    path: '/v1/runs/{run}/effects/{effect}',
    summary: 'An effect with its receipts, recomputed, and what was heard of it beside its run',
    right: 'run:read',
    answers: {
      200: { description: 'The effect', schema: EFFECT_DETAIL },
      304: { description: 'The caller has it already' },
    },
    handle: show,
  },
];
