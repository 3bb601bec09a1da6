import { StoreError } from '../../model/errors.ts';
import type { WorkerId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { InboxOutcome } from '../../model/statuses.ts';
import type { Delivery, DeliveryAnswer } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { payloadText } from './rows.ts';
import { DELIVER, DELIVER_AND_CLAIM } from './sql/deliver.ts';

/** Another deliverer of the same event may commit between our snapshot and our insert: then it is looked at again. */
const LOOKS_MAX = 5;

function addressOf(delivery: Pick<Delivery, 'runId' | 'source' | 'eventId'>): string {
  return JSON.stringify([delivery.runId, delivery.source, delivery.eventId]);
}

function rowAddress(row: Row): string {
  return JSON.stringify([row['run_id'], row['source'], row['event_id']]);
}

/** What is known of an event that was there before: its answer, if it has one. */
function answerColumns(row: Row): Pick<DeliveryAnswer, 'outcome' | 'code' | 'detail' | 'consumed'> {
  return {
    outcome: row['outcome'] as InboxOutcome | null,
    code: row['code'] as string | null,
    detail: row['detail'] === null ? null : (JSON.parse(row['detail'] as string) as Json),
    consumed: (row['consumed'] as boolean | null) ?? false,
  };
}

/** @returns null when nobody can tell yet: not stored by us, and not there in our snapshot. */
function answerOf(delivery: Delivery, row: Row, stored: boolean): DeliveryAnswer | null {
  const exists = row['exists'] as boolean;
  const nowMs = row['now_ms'] as number;
  const claimed = (row['claimed'] as boolean | undefined) ?? false;
  if (!exists || stored)
    return { exists, event: 'new', claimed, nowMs, outcome: null, code: null, detail: null, consumed: false };
  if (row['payload_hash'] === null) return null;
  return {
    exists,
    event: row['payload_hash'] === delivery.payloadHash ? 'same' : 'other',
    claimed,
    nowMs,
    ...answerColumns(row),
  };
}

function raced(): StoreError {
  return new StoreError('PAWL_STORE_FAILED', 'an event was neither stored nor found: deliver it again');
}

async function deliverOnce(
  connections: Connections,
  part: number,
  deliveries: readonly Delivery[],
): Promise<(DeliveryAnswer | null)[]> {
  const values = [
    part,
    deliveries.map((delivery) => delivery.runId),
    deliveries.map((delivery) => delivery.source),
    deliveries.map((delivery) => delivery.eventId),
    deliveries.map((delivery) => payloadText(delivery.payload)),
    deliveries.map((delivery) => delivery.payloadHash),
  ];
  const rows = await connections.run(DELIVER, values);
  const stored = new Set(rows.filter((row) => row['ord'] === null).map(rowAddress));
  const answers: (DeliveryAnswer | null)[] = deliveries.map(() => null);
  for (const row of rows) {
    if (row['ord'] === null) continue;
    const index = (row['ord'] as number) - 1;
    const delivery = deliveries[index];
    if (delivery === undefined) continue;
    const address = addressOf(delivery);
    answers[index] = answerOf(delivery, row, stored.has(address));
    // Of two members with one address only the first stored it.
    stored.delete(address);
  }
  return answers;
}

/**
 * Stores events of one part with their wake-ups (W01); answers in the order given.
 * @throws PAWL_STORE_*, PAWL_VALUE_NOT_STORABLE. Transaction: one per statement.
 */
export async function deliverBatch(
  connections: Connections,
  part: number,
  deliveries: readonly Delivery[],
): Promise<readonly DeliveryAnswer[]> {
  const answers: (DeliveryAnswer | null)[] = deliveries.map(() => null);
  let open = deliveries.map((_, index) => index);
  for (let look = 0; look < LOOKS_MAX && open.length > 0; look += 1) {
    const told = await deliverOnce(
      connections,
      part,
      open.flatMap((index) => deliveries[index] ?? []),
    );
    open.forEach((index, at) => {
      answers[index] = told[at] ?? null;
    });
    open = open.filter((index) => answers[index] === null);
  }
  return answers.map((answer) => {
    if (answer === null) throw raced();
    return answer;
  });
}

/**
 * Stores one event, and claims its run if it is free (P17).
 * @throws PAWL_STORE_*, PAWL_VALUE_NOT_STORABLE. Transaction: one per statement.
 */
export async function deliverAndClaimOne(
  connections: Connections,
  delivery: Delivery,
  workerId: WorkerId,
  leaseMs: number,
): Promise<DeliveryAnswer> {
  const { part, runId, source, eventId, payload, payloadHash } = delivery;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const [row] = await connections.run(DELIVER_AND_CLAIM, [
      part,
      workerId,
      runId,
      source,
      eventId,
      payloadText(payload),
      payloadHash,
      leaseMs,
    ]);
    const answer = row === undefined ? null : answerOf(delivery, row, row['stored'] as boolean);
    if (answer !== null) return answer;
  }
  throw raced();
}

/** Reads the row of `ANSWER_OF`. */
export function storedAnswer(row: Row): DeliveryAnswer {
  return { exists: true, event: 'same', claimed: false, nowMs: row['now_ms'] as number, ...answerColumns(row) };
}
