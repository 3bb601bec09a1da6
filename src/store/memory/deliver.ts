import type { RunId, WorkerId } from '../../model/ids.ts';
import type { Delivery, DeliveryAnswer, DrainedRun } from '../../ports/store.ts';
import { claimedBy } from './claim.ts';
import { eventOf, inboxOf } from './run-reads.ts';
import { textOf } from './row.ts';
import { inboxRow } from './run-rows.ts';
import { heldBy, type InboxRow, keyOf, runIn, type RunRows, type Statement } from './tables.ts';
import { raised, waitForDelivery, wakeNow } from './wake-ups.ts';

type Address = Pick<Delivery, 'source' | 'eventId'>;

/** What names an event must be text before anything is looked at, whether its run is there or not. */
function assertText({ source, eventId }: Address): void {
  textOf(source);
  textOf(eventId);
}

function storedEvent({ inbox }: RunRows, { source, eventId }: Address): InboxRow | undefined {
  return inbox.get(keyOf(source, eventId));
}

function withEvent(statement: Statement, rows: RunRows, delivery: Delivery): RunRows {
  const { source, eventId, payload, payloadHash } = delivery;
  const row = inboxRow({ source, eventId, payload, payloadHash, receivedAtMs: statement.nowMs });
  return { ...rows, inbox: new Map(rows.inbox).set(keyOf(source, eventId), row) };
}

function newAnswer(nowMs: number, exists: boolean, claimed = false): DeliveryAnswer {
  return { exists, event: 'new', claimed, nowMs, outcome: null, code: null, detail: null, consumed: false };
}

function knownAnswer(nowMs: number, row: InboxRow, event: 'same' | 'other'): DeliveryAnswer {
  const { outcome, code, detail, consumed } = row;
  return { exists: true, event, claimed: false, nowMs, outcome, code, detail, consumed };
}

function compare(nowMs: number, row: InboxRow, delivery: Delivery): DeliveryAnswer {
  return knownAnswer(nowMs, row, row.payloadHash === delivery.payloadHash ? 'same' : 'other');
}

/**
 * The runs whose wake-up a delivery writes: those for which it brings something new, whether a wake-up is there or not
 * (W01: DO UPDATE, not DO NOTHING).
 * @throws WaitsForDelivery for a run that another open delivery wakes; PAWL_VALUE_NOT_STORABLE.
 */
export function wakesOf(statement: Statement, part: number, deliveries: readonly Delivery[]): readonly RunId[] {
  deliveries.forEach(assertText);
  const told = new Set<RunId>();
  for (const delivery of deliveries) {
    const rows = runIn(statement, part, delivery.runId);
    if (rows !== undefined && storedEvent(rows, delivery) === undefined) told.add(delivery.runId);
  }
  for (const runId of told) waitForDelivery(statement, runId);
  return [...told];
}

/** Stores events, each once, and wakes the runs that `wakesOf` named. */
export function storeDeliveries(
  statement: Statement,
  part: number,
  deliveries: readonly Delivery[],
  wakes: readonly RunId[],
): DeliveryAnswer[] {
  const { runs, nowMs } = statement;
  const answers = deliveries.map((delivery) => {
    const rows = runIn(statement, part, delivery.runId);
    if (rows === undefined) return newAnswer(nowMs, false);
    const known = storedEvent(rows, delivery);
    if (known !== undefined) return compare(nowMs, known, delivery);
    runs.set(delivery.runId, withEvent(statement, rows, delivery));
    return newAnswer(nowMs, true);
  });
  for (const runId of wakes) {
    const rows = runs.get(runId);
    if (rows !== undefined) runs.set(runId, { ...rows, wakeUp: raised(rows.wakeUp, nowMs) });
  }
  return answers;
}

/** Stores one event, and claims its run if it is free (P17); a process that has no seat gets a visitor's. */
export function deliverAndClaim(
  statement: Statement,
  delivery: Delivery,
  workerId: WorkerId,
  leaseMs: number,
): DeliveryAnswer {
  const { runs, seats, nowMs } = statement;
  const { part, runId } = delivery;
  assertText(delivery);
  const rows = runIn(statement, part, runId);
  if (rows === undefined) return newAnswer(nowMs, false);
  const seat = keyOf(part, workerId);
  if (!seats.has(seat))
    seats.set(seat, { part, workerId, leaseUntilMs: nowMs + leaseMs, visitor: true, crashed: null });
  const known = storedEvent(rows, delivery);
  if (known !== undefined) return compare(nowMs, known, delivery);
  if (statement.open.get(runId)?.events.has(keyOf(delivery.source, delivery.eventId)))
    waitForDelivery(statement, runId);
  const stored = withEvent(statement, rows, delivery);
  const claimed = claimedBy(statement, stored, workerId);
  runs.set(runId, claimed ?? wakeNow(statement, stored));
  return newAnswer(nowMs, true, claimed !== null);
}

/** The answer of one inbox row. */
export function answerOf(statement: Statement, part: number, runId: RunId, address: Address): DeliveryAnswer | null {
  assertText(address);
  const rows = runIn(statement, part, runId);
  const row = rows === undefined ? undefined : storedEvent(rows, address);
  return row === undefined ? null : knownAnswer(statement.nowMs, row, 'same');
}

/** Wake-ups and undecided inbox rows of the runs that a worker holds (W02). */
export function drainRuns(statement: Statement, part: number, workerId: WorkerId): DrainedRun[] {
  return heldBy(statement, part, workerId).flatMap((rows) => {
    if (rows.wakeUp === null) return [];
    const open = inboxOf(rows).filter((row) => !row.consumed && row.outcome === null);
    return [{ runId: rows.run.runId, wake: rows.wakeUp.wake, inbox: open.map(eventOf) }];
  });
}
