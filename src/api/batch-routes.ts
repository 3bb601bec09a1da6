import type { App } from '../app/create-app.ts';
import { BATCH_ACTIONS, BATCH_RIGHTS, BATCH_STATES, type BatchAction, ITEM_OUTCOMES } from '../model/batch.ts';
import { invariant, NotFoundError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { parseRunId } from '../model/run-id.ts';
import { EFFECT_STATES, type EffectState, RUN_STATUSES, type RunStatus } from '../model/statuses.ts';
import { ApiError, malformed } from './api-error.ts';
import { assertMay } from './admit.ts';
import { readPlace } from './cursor.ts';
import { readableWorkflows, runFor } from './find-run.ts';
import { answerPage, boundOf, given, limitOf } from './page.ts';
import type { Answer, Call, Route } from './route.ts';
import { answerTagged } from './run-answer.ts';
import { CURSOR, DRY_RUN, INSTANT, LIMIT, listOf, objectOf, pageOf, REASON } from './schemas.ts';

type Ask = Parameters<App['startBatch']>[0];
type Asked = Parameters<App['planBatch']>[0];
type View = Awaited<ReturnType<App['batch']>>;

/** Which runs a batch is about, as a body says it. */
interface FilterBody {
  readonly workflow?: string;
  readonly version?: number;
  readonly status?: readonly RunStatus[];
  readonly effect?: readonly EffectState[];
  readonly needs?: 'human';
  readonly q?: string;
  readonly startedAfter?: string;
  readonly startedBefore?: string;
}

/** A batch as a body says it. */
interface BatchBody
  extends Partial<Pick<Ask, 'maxFailures' | 'ratePerSecond' | 'confirmCount' | 'planHash'>>,
    Pick<Ask, 'reason'> {
  readonly action: BatchAction;
  readonly params?: JsonObject;
  readonly runs?: readonly string[];
  readonly filter?: FilterBody;
}

function filterOf(filter: FilterBody, workflows: readonly string[] | undefined): NonNullable<Asked['filter']> {
  const { workflow = null, version, status = null, effect, needs, q, startedAfter, startedBefore } = filter;
  return {
    workflow,
    statuses: status,
    needsHuman: needs === 'human',
    q: q === undefined ? null : (parseRunId(q) ?? q),
    ...given<
      Pick<
        NonNullable<Asked['filter']>,
        'version' | 'workflows' | 'effectStates' | 'startedAfterMs' | 'startedBeforeMs'
      >
    >({
      version,
      workflows,
      effectStates: effect,
      startedAfterMs: startedAfter === undefined ? undefined : Date.parse(startedAfter),
      startedBeforeMs: startedBefore === undefined ? undefined : Date.parse(startedBefore),
    }),
  };
}

/** What is asked for, within what the caller may do. @throws PAWL_API_MALFORMED unless it names either runs or a filter. */
async function askOf(call: Call): Promise<Asked> {
  const { action, params = {}, runs, filter } = call.body as unknown as BatchBody;
  if ((runs === undefined) === (filter === undefined))
    throw malformed('a batch names either runs or a filter', [{ pointer: '', message: 'either /runs or /filter' }]);
  if (runs !== undefined) return { action, params, runs, filter: null };
  const workflows = await readableWorkflows(call, BATCH_RIGHTS[action]);
  return { action, params, runs: null, filter: filterOf(filter ?? {}, workflows) };
}

async function create(call: Call): Promise<Answer> {
  const { app, caller, idempotencyKey } = call;
  const body = call.body as unknown as BatchBody;
  const { reason, maxFailures = null, ratePerSecond = null, confirmCount = null, planHash = null } = body;
  const right = BATCH_RIGHTS[body.action];
  // One run that is not the caller's refuses the whole batch (S13).
  const find = (run: string) => runFor({ ...call, params: { run } }, right);
  const ask = await askOf(call);
  if (ask.filter !== null) assertMay(caller, right);
  if (call.query['dryRun'] === 'true') return { status: 200, body: await app.planBatch(ask, find) };
  invariant(idempotencyKey !== null, 'a batch has a key');
  const order = { ...ask, reason, maxFailures, ratePerSecond, confirmCount, planHash };
  const who = { by: caller.name, keyId: caller.keyId, name: idempotencyKey };
  const { batch, created } = await app.startBatch({ ...order, ...who }, find);
  const headers = { location: `/v1/batches/${batch.id}`, ...(created ? {} : { 'idempotency-replayed': 'true' }) };
  return { status: created ? 202 : 200, body: batch, headers };
}

/** Whether a caller is told of a batch: a key whose scopes name workflows of its own alone, as a batch names any. */
function sees({ caller }: Call, { by }: Pick<View, 'by'>): boolean {
  return caller.scopes.length === 0 || by === caller.name;
}

async function batchFor(call: Call): Promise<View> {
  const id = call.params['batch'] ?? '';
  const batch = await call.app.batch(id);
  if (sees(call, batch)) return batch;
  throw new NotFoundError('PAWL_BATCH_NOT_FOUND', `there is no batch ${id}`, { batch: id });
}

async function show(call: Call): Promise<Answer> {
  return answerTagged(await batchFor(call), call.ifNoneMatch);
}

/** When it was made in milliseconds, and its id. */
const PLACE = /^(\d{1,16})\.([0-9a-f-]{36})$/;

async function list(call: Call): Promise<Answer> {
  const { cursor } = call.query;
  if (call.caller.scopes.length > 0)
    throw new ApiError('PAWL_API_FORBIDDEN', `${call.caller.name}'s key is bound to some workflows; this is about all`);
  const bound = boundOf(call, undefined);
  const [createdAtMs, batchId = ''] = cursor === undefined ? [] : readPlace(bound, cursor, PLACE);
  const after = cursor === undefined ? {} : { after: { createdAtMs: Number(createdAtMs), batchId } };
  const found = await call.app.batches({ ...after, limit: limitOf(call) + 1 });
  return answerPage(call, bound, {
    found,
    placeOf: ({ id, createdAt }) => `${Date.parse(createdAt)}.${id.slice('bat_'.length)}`,
  });
}

/** A number of a run of a batch. */
const NO = /^(\d{1,9})$/;

async function items(call: Call): Promise<Answer> {
  const { cursor, outcome = null } = call.query;
  const batch = await batchFor(call);
  const bound = [boundOf(call, undefined), batch.id];
  const [no = '0'] = cursor === undefined ? [] : readPlace(bound, cursor, NO);
  const ask = { outcome: outcome as Parameters<App['batchItems']>[1]['outcome'], afterNo: Number(no) };
  const found = await call.app.batchItems(batch.id, { ...ask, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf: (item) => String(item.no) });
}

function ordering(act: 'pause' | 'resume'): Route['handle'] {
  return async (call) => {
    const { id, action } = await batchFor(call);
    assertMay(call.caller, BATCH_RIGHTS[action]);
    const told = act === 'pause' ? (call.body as { readonly reason: string }) : call.query;
    const order = { act, by: call.caller.name, reason: told['reason'] ?? null };
    return { status: act === 'pause' ? 201 : 200, body: await call.app.orderBatch(id, order) };
  };
}

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const SOME = { type: 'integer', minimum: 1, maximum: 100_000 } as const;
const OR_NULL = { type: ['string', 'null'] } as const;

const BATCH = objectOf({
  id: TEXT,
  action: { enum: [...BATCH_ACTIONS] },
  params: { type: 'object' },
  by: TEXT,
  reason: TEXT,
  maxFailures: { type: ['integer', 'null'] },
  ratePerSecond: { type: ['integer', 'null'] },
  total: COUNT,
  applied: COUNT,
  refused: COUNT,
  failed: COUNT,
  pending: COUNT,
  state: { enum: [...BATCH_STATES] },
  createdAt: TIME,
});

const ITEM = objectOf({
  no: COUNT,
  run: TEXT,
  workflow: TEXT,
  outcome: { enum: [...ITEM_OUTCOMES] },
  code: OR_NULL,
  message: OR_NULL,
  at: { anyOf: [TIME, { type: 'null' }] },
});

const PLAN = objectOf({
  count: COUNT,
  sample: listOf(objectOf({ run: TEXT, key: TEXT, workflow: TEXT })),
  planHash: TEXT,
});

const FILTER = objectOf({
  'workflow?': NAME,
  'version?': { type: 'integer', minimum: 1, maximum: 999_999_999 },
  'status?': { type: 'array', minItems: 1, items: { enum: [...RUN_STATUSES] } },
  'effect?': { type: 'array', minItems: 1, items: { enum: [...EFFECT_STATES] } },
  'needs?': { enum: ['human'] },
  'q?': NAME,
  'startedAfter?': INSTANT,
  'startedBefore?': INSTANT,
});

const NEW_BATCH = objectOf({
  action: { enum: [...BATCH_ACTIONS] },
  'params?': { type: 'object' },
  'runs?': { type: 'array', minItems: 1, maxItems: 1_000, items: NAME },
  'filter?': FILTER,
  reason: REASON,
  'maxFailures?': SOME,
  'ratePerSecond?': { type: 'integer', minimum: 1, maximum: 1_000 },
  'confirmCount?': COUNT,
  'planHash?': { type: 'string', pattern: '^[0-9a-f]{64}$' },
});

const WITH_REASON = {
  kind: 'json',
  schema: objectOf({ reason: REASON }),
  example: { reason: 'the bank is down' },
} as const;

/** One act on many runs. */
export const BATCH_ROUTES: readonly Route[] = [
  {
    id: 'startBatch',
    method: 'POST',
    path: '/v1/batches',
    summary: 'Order one act on many runs; which they are is frozen now, and workers carry it out',
    right: 'run:read',
    query: { dryRun: DRY_RUN },
    body: {
      kind: 'json',
      schema: NEW_BATCH,
      example: { action: 'cancel', runs: ['order-42'], reason: 'the offer was withdrawn', maxFailures: 10 },
    },
    idempotency: 'required',
    answers: {
      200: { description: 'What it would be about, or the batch that was there', schema: { anyOf: [PLAN, BATCH] } },
      202: { description: 'The batch', schema: BATCH },
    },
    handle: create,
  },
  {
    id: 'listBatches',
    method: 'GET',
    path: '/v1/batches',
    summary: 'Batches, newest first, page by page',
    right: 'run:read',
    query: { limit: LIMIT, cursor: CURSOR },
    answers: { 200: { description: 'A page', schema: pageOf(BATCH) } },
    handle: list,
  },
  {
    id: 'showBatch',
    method: 'GET',
    path: '/v1/batches/{batch}',
    summary: 'A batch and how far it is',
    right: 'run:read',
    answers: {
      200: { description: 'The batch', schema: BATCH },
      304: { description: 'The caller has it already' },
    },
    handle: show,
  },
  {
    id: 'listBatchItems',
    method: 'GET',
    path: '/v1/batches/{batch}/items',
    summary: 'Runs of a batch and what became of the act on each, page by page',
    right: 'run:read',
    query: {
      outcome: { description: 'only those of which this became', schema: { enum: [...ITEM_OUTCOMES] } },
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(ITEM) } },
    handle: items,
  },
  {
    id: 'pauseBatch',
    method: 'POST',
    path: '/v1/batches/{batch}/pauses',
    summary: 'Have a batch act on no more runs until it is resumed',
    right: 'run:read',
    body: WITH_REASON,
    answers: { 201: { description: 'The batch', schema: BATCH } },
    handle: ordering('pause'),
  },
  {
    id: 'resumeBatch',
    method: 'DELETE',
    path: '/v1/batches/{batch}/pauses/current',
    summary: 'Have a paused batch go on',
    right: 'run:read',
    query: { reason: { description: 'why, kept with the act', schema: REASON } },
    answers: { 200: { description: 'The batch', schema: BATCH } },
    handle: ordering('resume'),
  },
];
