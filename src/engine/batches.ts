import type { Batch, BatchAction, BatchItem, ItemOutcome, NewBatch } from '../model/batch.ts';
import { ConflictError, invariant, NotFoundError, RefusedError } from '../model/errors.ts';
import { hashJson, sha256 } from '../model/hash.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
import type { BatchFilter } from '../ports/batch-store.ts';
import type { RunsAsked } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { findRun } from './find-run.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';
import { timeText } from './run-view.ts';

/** Runs of a batch that nobody has confirmed the number of. */
export const UNCONFIRMED_MAX = 10_000;
/** Runs of a batch at all: they are written by one statement. */
export const BATCH_RUNS_MAX = 100_000;
/** Runs that are read at a time. */
const PAGE = 1_000;
/** Runs that a plan names. */
const SAMPLE = 20;

/** What is to be done, and with which runs: names, or whatever fits a filter when it is ordered. */
export interface BatchAsk {
  readonly action: BatchAction;
  readonly params: JsonObject;
  readonly runs: readonly string[] | null;
  readonly filter: Omit<RunsAsked, 'tenant'> | null;
}

/** A batch as it is ordered. */
export interface BatchOrderAsk
  extends BatchAsk,
    Pick<NewBatch, 'by' | 'keyId' | 'reason' | 'maxFailures' | 'ratePerSecond'> {
  /** The caller's name for it: ordered again, it is the same batch. */
  readonly name: string;
  /** The plan that was looked at; null = none was. */
  readonly planHash: string | null;
  /** How many runs the caller means; null = they have not said. */
  readonly confirmCount: number | null;
}

/** What a batch would be about now. */
export interface BatchPlanView {
  readonly count: number;
  readonly sample: readonly { readonly run: string; readonly key: string; readonly workflow: string }[];
  readonly planHash: string;
}

/** A batch as it is told; times RFC 3339 UTC. */
export interface BatchView extends Omit<Batch, 'batchId' | 'tenant' | 'requestHash' | 'keyId' | 'createdAtMs'> {
  readonly id: string;
  readonly pending: number;
  readonly createdAt: string;
}

/** A run of a batch as it is told. */
export interface BatchItemView extends Pick<BatchItem, 'no' | 'workflow' | 'outcome' | 'code' | 'message'> {
  readonly run: string;
  readonly at: string | null;
}

const ID = /^bat_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function viewOf({ batchId, tenant: _t, requestHash: _h, keyId: _k, createdAtMs, ...batch }: Batch): BatchView {
  const { total, applied, refused, failed } = batch;
  return {
    id: `bat_${batchId}`,
    ...batch,
    pending: total - applied - refused - failed,
    createdAt: timeText(createdAtMs),
  };
}

/** A UUID (version 8) of a caller's name for a batch. */
function idOf(tenant: string, { by, name }: Pick<BatchOrderAsk, 'by' | 'name'>): string {
  const bits = sha256(JSON.stringify(['batch', tenant, by, name]));
  return [
    bits.slice(0, 8),
    bits.slice(8, 12),
    `8${bits.slice(13, 16)}`,
    `8${bits.slice(17, 20)}`,
    bits.slice(20, 32),
  ].join('-');
}

/** What each act needs beside a reason, and what it may have. @throws PAWL_BATCH_REFUSED. */
function checkParams({ action, params }: BatchAsk): void {
  const needed = { retry: 'step', signal: 'type' }[action as string];
  const allowed = action === 'signal' ? ['type', 'data'] : [needed];
  const other = Object.keys(params).find((name) => !allowed.includes(name));
  if (needed !== undefined && typeof params[needed] !== 'string')
    throw new RefusedError('PAWL_BATCH_REFUSED', `a batch of ${action} needs params.${needed}`);
  if (other !== undefined)
    throw new RefusedError('PAWL_BATCH_REFUSED', `a batch of ${action} takes no params.${other}`);
  refuseUnstorable("the batch's params", params);
}

function tooMany(): RefusedError {
  return new RefusedError('PAWL_BATCH_REFUSED', `a batch has at most ${BATCH_RUNS_MAX} runs: narrow the filter`);
}

async function filtered({ store, tenant }: Engine, filter: Omit<RunsAsked, 'tenant'>): Promise<readonly RunIdentity[]> {
  const runs: RunIdentity[] = [];
  for (;;) {
    const last = runs.at(-1);
    const after = last === undefined ? {} : { after: { startedAtMs: last.startedAtMs, runId: last.runId } };
    const page = await store.listRuns({ ...filter, tenant, limit: PAGE, ...after });
    runs.push(...page.map(({ run }) => run));
    if (runs.length > BATCH_RUNS_MAX) throw tooMany();
    if (page.length < PAGE) return runs;
  }
}

/** How a run of a batch is found, and refused to whoever may not act on it. */
export type FindRun = (name: string) => Promise<RunIdentity>;

async function named(names: readonly string[], find: FindRun): Promise<readonly RunIdentity[]> {
  const runs = new Map<string, RunIdentity>();
  for (const name of names) {
    const run = await find(name);
    runs.set(run.runId, run);
  }
  return [...runs.values()];
}

async function runsOf(engine: Engine, ask: BatchAsk, find?: FindRun): Promise<readonly RunIdentity[]> {
  checkParams(ask);
  const { runs, filter } = ask;
  if (runs !== null) return named(runs, find ?? ((name) => findRun(engine, name)));
  invariant(filter !== null, 'a batch is asked for without runs');
  return filtered(engine, filter);
}

function hashOfPlan({ action, params }: BatchAsk, runs: readonly RunIdentity[]): string {
  return hashJson({ action, params, runs: runs.map(({ runId }) => runId).sort() });
}

/**
 * What a batch would be about now; nothing is written. Transaction: none.
 * @throws PAWL_BATCH_REFUSED, PAWL_RUN_NOT_FOUND, whatever `find` throws.
 */
export async function planBatch(engine: Engine, ask: BatchAsk, find?: FindRun): Promise<BatchPlanView> {
  const runs = await runsOf(engine, ask, find);
  const sample = runs.slice(0, SAMPLE).map(({ runId, key, workflow }) => ({ run: displayRunId(runId), key, workflow }));
  return { count: runs.length, sample, planHash: hashOfPlan(ask, runs) };
}

function checkCount(count: number, confirmCount: number | null): void {
  if (confirmCount === null && count <= UNCONFIRMED_MAX) return;
  if (confirmCount === count) return;
  const said =
    confirmCount === null ? `more than ${UNCONFIRMED_MAX} must be confirmed` : `confirmCount is ${confirmCount}`;
  throw new RefusedError('PAWL_BATCH_REFUSED', `${count} runs fit, and ${said}: say confirmCount ${count}`, { count });
}

function requestOf({ action, params, runs, filter, reason, maxFailures, ratePerSecond }: BatchOrderAsk): string {
  const asked = { action, params, runs, filter, reason, maxFailures, ratePerSecond };
  return hashJson(JSON.parse(JSON.stringify(asked)) as Json);
}

/**
 * Orders a batch: its runs are found now and frozen with it. Workers carry it out. The same order again is the same batch.
 * Transaction: one writes batch and runs.
 * @throws PAWL_BATCH_REFUSED, PAWL_BATCH_CONFLICT, PAWL_RUN_NOT_FOUND, whatever `find` throws.
 */
export async function startBatch(
  engine: Engine,
  ask: BatchOrderAsk,
  find?: FindRun,
): Promise<{ readonly batch: BatchView; readonly created: boolean }> {
  const { store, tenant } = engine;
  const { action, params, by, keyId, reason, maxFailures, ratePerSecond } = ask;
  const batchId = idOf(tenant, ask);
  const requestHash = requestOf(ask);
  const [before] = await store.batches({ tenant, batchId, limit: 1 });
  if (before !== undefined) return { batch: viewOf(assertSame(before, requestHash)), created: false };
  refuseUnstorable("the batch's reason", reason);
  const runs = await runsOf(engine, ask, find);
  if (ask.planHash !== null && ask.planHash !== hashOfPlan(ask, runs))
    throw new ConflictError('PAWL_BATCH_CONFLICT', 'other runs fit than when you looked: look at the plan again');
  checkCount(runs.length, ask.confirmCount);
  const batch = { batchId, tenant, action, params, requestHash, by, keyId, reason, maxFailures, ratePerSecond };
  const created = await store.createBatch(batch, runs);
  const stored = await loadBatch(engine, `bat_${batchId}`);
  return { batch: viewOf(assertSame(stored, requestHash)), created };
}

function assertSame(batch: Batch, requestHash: string): Batch {
  if (batch.requestHash === requestHash) return batch;
  throw new ConflictError('PAWL_BATCH_CONFLICT', 'another batch was ordered under that Idempotency-Key', {
    batch: `bat_${batch.batchId}`,
  });
}

async function loadBatch({ store, tenant }: Engine, id: string): Promise<Batch> {
  const [, batchId] = ID.exec(id) ?? [];
  const [batch] = batchId === undefined ? [] : await store.batches({ tenant, batchId, limit: 1 });
  if (batch !== undefined) return batch;
  throw new NotFoundError('PAWL_BATCH_NOT_FOUND', `there is no batch ${id}`, { batch: id });
}

/** A batch as it stands. Transaction: none. @throws PAWL_BATCH_NOT_FOUND. */
export async function showBatch(engine: Engine, id: string): Promise<BatchView> {
  return viewOf(await loadBatch(engine, id));
}

/** Batches, the newest first. Transaction: none. */
export async function listBatches(
  { store, tenant }: Engine,
  filter: Omit<BatchFilter, 'tenant' | 'batchId'>,
): Promise<readonly BatchView[]> {
  return (await store.batches({ ...filter, tenant })).map(viewOf);
}

/** Runs of a batch and what became of each. Transaction: none. @throws PAWL_BATCH_NOT_FOUND. */
export async function listBatchItems(
  engine: Engine,
  id: string,
  ask: { readonly outcome: ItemOutcome | null; readonly afterNo: number; readonly limit: number },
): Promise<readonly BatchItemView[]> {
  const items = await engine.store.batchItems(await loadBatch(engine, id), ask);
  return items.map(({ no, runId, workflow, outcome, code, message, atMs }) => ({
    ...{ no, run: displayRunId(runId), workflow, outcome, code, message },
    at: atMs === null ? null : timeText(atMs),
  }));
}

/** A person pauses a batch, or has it go on; recorded. Transaction: opens its own. @throws PAWL_BATCH_NOT_FOUND, PAWL_BATCH_CONFLICT. */
export async function orderBatch(
  engine: Engine,
  id: string,
  order: { readonly act: 'pause' | 'resume'; readonly by: string; readonly reason: string | null },
): Promise<BatchView> {
  const batch = await loadBatch(engine, id);
  if (order.reason !== null) refuseUnstorable('the reason', order.reason);
  if (await engine.store.orderBatch(batch, order)) return showBatch(engine, id);
  const { state } = await showBatch(engine, id);
  throw new ConflictError('PAWL_BATCH_CONFLICT', `the batch is ${state}: there is nothing to ${order.act}`, { state });
}
