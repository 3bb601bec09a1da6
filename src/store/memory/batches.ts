import type { Batch, BatchItem, BatchRun, BatchState, ItemResult, NewBatch } from '../../model/batch.ts';
import type { BatchFilter, BatchOrder, BatchStore } from '../../ports/batch-store.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { type BatchRow, keyOf, type Statement } from './tables.ts';

type Of = Pick<Batch, 'tenant' | 'batchId'>;
type Taken = Awaited<ReturnType<BatchStore['takeBatch']>>;

const key = ({ tenant, batchId }: Of): string => keyOf(tenant, batchId);

/** Writes a batch with its runs. @returns false where its id is taken. */
export function createBatch(statement: Statement, batch: NewBatch, runs: readonly BatchRun[]): boolean {
  const { batches, nowMs } = statement;
  if (batches.has(key(batch))) return false;
  const { tenant, by: actor, batchId: target, reason, action } = batch;
  const total = runs.length;
  const items = runs.map((run, at) => ({
    item: rowOf({ ...run, no: at + 1, outcome: 'pending' as const, code: null, message: null, atMs: null }),
    tries: 0,
  }));
  const counts = { total, applied: 0, refused: 0, failed: 0 };
  const state: BatchState = total === 0 ? 'done' : 'running';
  const stored = rowOf<Batch>({ ...batch, ...counts, state, createdAtMs: nowMs }, ['params']);
  batches.set(key(batch), { batch: stored, dueAtMs: nowMs, items });
  const detail = { before: null, after: { action, total } };
  noteAct(statement, { tenant, actor, act: 'batch.create', target, reason, detail });
  return true;
}

/** Batches of a tenant, the newest first. */
export function listBatches({ batches }: Statement, { tenant, batchId, after, limit }: BatchFilter): Batch[] {
  const mine = [...batches.values()]
    .map(({ batch }) => batch)
    .filter((batch) => batch.tenant === tenant && (batchId === undefined || batch.batchId === batchId));
  const isBehind = ({ createdAtMs, batchId: id }: Batch): boolean =>
    after === undefined || createdAtMs < after.createdAtMs || (createdAtMs === after.createdAtMs && id < after.batchId);
  return inOrder(mine, (batch) => [batch.createdAtMs, batch.batchId])
    .reverse()
    .filter(isBehind)
    .slice(0, limit);
}

/** Runs of a batch by number. */
export function listItems(
  { batches }: Statement,
  of: Of,
  { outcome, afterNo, limit }: Parameters<BatchStore['batchItems']>[1],
): BatchItem[] {
  return (batches.get(key(of))?.items ?? [])
    .map(({ item }) => item)
    .filter((item) => item.no > afterNo && (outcome === null || item.outcome === outcome))
    .slice(0, limit);
}

/** Takes the batch that is due longest. */
export function takeBatch(
  { batches, nowMs }: Statement,
  tenant: string,
  { forMs, limit }: Parameters<BatchStore['takeBatch']>[1],
): Taken {
  const running = [...batches.values()].filter(({ batch }) => batch.tenant === tenant && batch.state === 'running');
  const [due] = inOrder(
    running.filter(({ dueAtMs }) => dueAtMs <= nowMs),
    ({ dueAtMs, batch }) => [dueAtMs, batch.batchId],
  );
  const later = running.map(({ dueAtMs }) => dueAtMs).filter((dueAtMs) => dueAtMs > nowMs);
  const nextAtMs = later.length === 0 ? null : Math.min(...later);
  if (due === undefined) return { taken: null, nextAtMs, nowMs };
  batches.set(key(due.batch), { ...due, dueAtMs: nowMs + forMs });
  const pending = inOrder(
    due.items.filter(({ item }) => item.outcome === 'pending'),
    ({ tries, item }) => [tries, item.no],
  );
  const items = pending.slice(0, due.batch.ratePerSecond === null ? limit : 1).map(({ item }) => item);
  return { taken: { batch: due.batch, items }, nextAtMs, nowMs };
}

function stateOf({ state, total, applied, refused, failed, maxFailures }: Batch): BatchState {
  if (state !== 'running' && state !== 'paused') return state;
  if (applied + refused + failed === total) return 'done';
  return maxFailures !== null && refused + failed >= maxFailures ? 'stopped' : state;
}

/** Writes down what became of a pending run. */
export function settleItem(
  { batches, nowMs }: Statement,
  of: Of & Pick<BatchItem, 'no'>,
  result: ItemResult,
  dueInMs: number,
): BatchState {
  const row = batches.get(key(of));
  const before = row?.items[of.no - 1];
  if (row === undefined || before === undefined) return 'stopped';
  const { outcome } = result;
  const isOpen = before.item.outcome === 'pending';
  const item = { ...before.item, ...result, atMs: outcome === 'pending' ? null : nowMs };
  const items = isOpen ? row.items.with(of.no - 1, { item: rowOf(item), tries: before.tries + 1 }) : row.items;
  const counted = isOpen && outcome !== 'pending' ? { ...row.batch, [outcome]: row.batch[outcome] + 1 } : row.batch;
  const batch = rowOf<Batch>({ ...counted, state: stateOf(counted) }, ['params']);
  batches.set(key(of), { batch, items, dueAtMs: nowMs + dueInMs });
  return batch.state;
}

const NEXT = { pause: 'paused', resume: 'running', stop: 'stopped' } as const;

function mayOrder({ batch: { state } }: BatchRow, { act }: BatchOrder): boolean {
  if (act === 'stop') return state === 'running' || state === 'paused';
  return state === (act === 'pause' ? 'running' : 'paused');
}

/** Pauses, resumes or stops. @returns false where it is not so. */
export function orderBatch(statement: Statement, of: Of, order: BatchOrder): boolean {
  const { batches, nowMs } = statement;
  const row = batches.get(key(of));
  if (row === undefined || !mayOrder(row, order)) return false;
  const state = NEXT[order.act];
  batches.set(key(of), { ...row, batch: rowOf<Batch>({ ...row.batch, state }, ['params']), dueAtMs: nowMs });
  const { by: actor, reason, act } = order;
  const detail = { before: { state: row.batch.state }, after: { state } };
  noteAct(statement, { tenant: of.tenant, actor, act: `batch.${act}`, target: of.batchId, reason, detail });
  return true;
}
