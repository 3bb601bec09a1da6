import type { Batch, BatchAction, BatchItem, BatchState, ItemOutcome } from '../../model/batch.ts';
import type { RunId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { BatchOrder, BatchStore } from '../../ports/batch-store.ts';
import type { Connections, Row } from './connections.ts';
import { BATCH_ITEMS, CREATE_BATCH, LIST_BATCHES, ORDER_BATCH, SETTLE_BATCH_ITEM, TAKE_BATCH } from './sql/batch.ts';

function batchFromRow(row: Row): Batch {
  return {
    batchId: row['batch_id'] as string,
    tenant: row['tenant'] as string,
    action: row['action'] as BatchAction,
    params: JSON.parse(row['params'] as string) as Json,
    requestHash: row['request_hash'] as string,
    by: row['by'] as string,
    keyId: row['key_id'] as string | null,
    reason: row['reason'] as string,
    maxFailures: row['max_failures'] as number | null,
    ratePerSecond: row['rate'] as number | null,
    total: row['total'] as number,
    applied: row['applied'] as number,
    refused: row['refused'] as number,
    failed: row['failed'] as number,
    state: row['state'] as BatchState,
    createdAtMs: row['created_at'] as number,
  };
}

function itemFromRow(row: Row): BatchItem {
  return {
    no: row['no'] as number,
    runId: row['run_id'] as RunId,
    part: row['run_part'] as number,
    workflow: row['workflow'] as string,
    outcome: row['outcome'] as ItemOutcome,
    code: row['code'] as string | null,
    message: row['message'] as string | null,
    atMs: row['at'] as number | null,
  };
}

/** States in which an order can be followed, and the state behind it. */
const ORDERS: Readonly<Record<BatchOrder['act'], readonly [readonly BatchState[], BatchState]>> = {
  pause: [['running'], 'paused'],
  resume: [['paused'], 'running'],
  stop: [['running', 'paused'], 'stopped'],
};

/** Rounds of a process wait for an answer as long as its commits do: one that is lost does not keep it from ending. */
const ROUNDS = 'write';

/** The verbs of batches. */
export function batchVerbs({ run }: Connections): BatchStore {
  return {
    createBatch: async (batch, runs) => {
      const { tenant, batchId, action, params, requestHash, by, keyId, reason, maxFailures, ratePerSecond } = batch;
      const about = [tenant, batchId, action, JSON.stringify(params), requestHash];
      const items = [runs.map(({ runId }) => runId), runs.map(({ part }) => part), runs.map((one) => one.workflow)];
      const made = await run(CREATE_BATCH, [...about, by, keyId, reason, maxFailures, ratePerSecond, ...items]);
      return made.length > 0;
    },
    batches: async ({ tenant, batchId = null, after, limit }) => {
      const place = [after?.createdAtMs ?? null, after?.batchId ?? null];
      return (await run(LIST_BATCHES, [tenant, batchId, ...place, limit])).map(batchFromRow);
    },
    batchItems: async ({ tenant, batchId }, { outcome, afterNo, limit }) =>
      (await run(BATCH_ITEMS, [tenant, batchId, outcome, afterNo, limit])).map(itemFromRow),
    takeBatch: async (tenant, { forMs, limit }) => {
      const [row = {}] = await run(TAKE_BATCH, [tenant, forMs, limit], ROUNDS);
      const items = (row['items'] as readonly Row[]).map(itemFromRow);
      return {
        taken: row['batch_id'] === null ? null : { batch: batchFromRow(row), items },
        nextAtMs: row['next_at'] as number | null,
        nowMs: row['now_ms'] as number,
      };
    },
    settleBatchItem: async ({ tenant, batchId, no }, { outcome, code, message }, dueInMs) => {
      const [row] = await run(SETTLE_BATCH_ITEM, [tenant, batchId, no, outcome, code, message, dueInMs], ROUNDS);
      return row === undefined ? 'stopped' : (row['state'] as BatchState);
    },
    orderBatch: async ({ tenant, batchId }, { act, by, reason }) =>
      (await run(ORDER_BATCH, [tenant, batchId, act, by, reason, ...ORDERS[act]])).length > 0,
  };
}
