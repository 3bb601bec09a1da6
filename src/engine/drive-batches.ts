import { hasRight, reaches } from '../model/api-key.ts';
import { type Batch, BATCH_RIGHTS, batchEventId, type BatchItem, type ItemResult } from '../model/batch.ts';
import { PawlError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
import type { TakenBatch } from '../ports/batch-store.ts';
import type { Delivered } from './deliver-event.ts';
import { DECISION_WAIT_MS } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { findRun } from './find-run.ts';
import { orderRun } from './order-run.ts';
import { previewCompensation } from './plan-compensation.ts';
import { signalRun } from './signal-run.ts';

/** For how long a batch is taken; then whoever finds it due goes on with it. Longer than acts on a page of runs take, milliseconds. */
const TAKEN_MS = 30_000;
/** Runs of a batch without a rate that are taken at a time. */
const PAGE = 20;
/** How long a process that found none due sleeps, milliseconds. */
const IDLE_MS = 1_000;
/** How long a batch waits whose last run is not decided yet, milliseconds. */
const PENDING_MS = 500;

/** Outcomes of a delivery with which the act was taken. */
const TAKEN: readonly Delivered['outcome'][] = ['applied', 'kept', 'duplicate'];

function resultOf({ outcome, code }: Pick<Delivered, 'outcome' | 'code'>): ItemResult {
  if (outcome === 'pending') return { outcome, code: null, message: null };
  return { outcome: TAKEN.includes(outcome) ? 'applied' : 'refused', code: code ?? outcome, message: null };
}

/** Where the act of a batch lies in the inbox of a run. */
function sourceOf({ action, by }: Batch): string {
  return `${action === 'signal' ? 'signal' : 'person'}:${by}`;
}

async function deliver(engine: Engine, door: Door, run: RunIdentity, batch: Batch): Promise<Delivered> {
  const { action, by, reason } = batch;
  const { step, type, data = null } = batch.params as { step?: string; type?: string; data?: Json };
  const eventId = batchEventId(batch.batchId);
  const act = { by, reason, eventId };
  if (action === 'signal')
    return signalRun(engine, door, run, {
      ...{ name: type ?? '', data, source: by, eventId, by },
      waitMs: DECISION_WAIT_MS,
    });
  if (action === 'retry') return orderRun(engine, door, run, { type: 'retry', step: step ?? '', ...act });
  if (action !== 'compensate') return orderRun(engine, door, run, { type: action, ...act });
  const { planHash } = await previewCompensation(engine, run);
  return orderRun(engine, door, run, { type: 'compensate', planHash, ...act });
}

/** What becomes of one run. What was delivered by whoever drove the batch before is found in its inbox, and not sent again. */
async function actOn(
  engine: Engine,
  doorOf: (part: number) => Door,
  batch: Batch,
  { part, runId }: BatchItem,
): Promise<ItemResult> {
  const answer = await engine.store.answerOf(part, runId, sourceOf(batch), batchEventId(batch.batchId));
  if (answer !== null) return resultOf({ outcome: answer.outcome ?? 'pending', code: answer.code });
  try {
    const run = await findRun(engine, displayRunId(runId));
    return resultOf(await deliver(engine, doorOf(part), run, batch));
  } catch (error) {
    // What may come right by itself is tried again when the batch is due: its name in the inbox keeps it from being done twice.
    if (!(error instanceof PawlError) || error.retry !== 'never') throw error;
    return { outcome: error.httpStatus < 500 ? 'refused' : 'failed', code: error.code, message: error.message };
  }
}

/** Why the key of a batch does not count, or (null) its rights as they are now. */
async function rightsOf(
  engine: Engine,
  { keyId, action, by }: Batch,
): Promise<{ readonly over: string | null; readonly may: (workflow: string) => boolean }> {
  if (keyId === null) return { over: null, may: () => true };
  const found = await engine.store.findKey(keyId);
  const key = found?.key;
  const isOver =
    found === null ||
    key === undefined ||
    key.tenant !== engine.tenant ||
    key.revoked !== null ||
    (key.expiresAtMs !== null && key.expiresAtMs <= found.nowMs);
  const right = BATCH_RIGHTS[action];
  if (isOver || !hasRight(key, right))
    return { over: `the key ${keyId} of ${by} does not give ${right} (any more)`, may: () => false };
  return { over: null, may: (workflow) => reaches(key, right, workflow) };
}

async function driveItems(engine: Engine, doorOf: (part: number) => Door, { batch, items }: TakenBatch): Promise<void> {
  const { tenant, batchId, ratePerSecond } = batch;
  const paceMs = ratePerSecond === null ? 0 : Math.ceil(1_000 / ratePerSecond);
  for (const [at, item] of items.entries()) {
    const { over, may } = await rightsOf(engine, batch);
    if (over !== null) {
      await engine.store.orderBatch({ tenant, batchId }, { act: 'stop', by: 'pawl', reason: over });
      return;
    }
    const forbidden: ItemResult = {
      outcome: 'refused',
      code: 'PAWL_API_FORBIDDEN',
      message: BATCH_RIGHTS[batch.action],
    };
    const result = may(item.workflow) ? await actOn(engine, doorOf, batch, item) : forbidden;
    const restMs = result.outcome === 'pending' ? Math.max(PENDING_MS, paceMs) : paceMs;
    const dueInMs = at === items.length - 1 ? restMs : TAKEN_MS;
    const state = await engine.store.settleBatchItem({ tenant, batchId, no: item.no }, result, dueInMs);
    if (state !== 'running') return;
  }
}

/**
 * Goes on with the batch that is due longest: acts on some of its runs, in the name of who made it and with the rights that their key
 * has now, and writes down what became of each. Any process may; one that dies is followed by another. Transaction: opens its own.
 * @returns after how many milliseconds there may be more to do.
 * @throws PAWL_STORE_*.
 */
export async function driveBatches(engine: Engine, doorOf: (part: number) => Door): Promise<number> {
  const { taken, nextAtMs, nowMs } = await engine.store.takeBatch(engine.tenant, { forMs: TAKEN_MS, limit: PAGE });
  if (taken === null) return nextAtMs === null ? IDLE_MS : Math.min(IDLE_MS, Math.max(1, nextAtMs - nowMs));
  await driveItems(engine, doorOf, taken);
  return 0;
}
