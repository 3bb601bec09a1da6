import type { RunCommit } from '../../model/run-commit.ts';
import type { RunId } from '../../model/ids.ts';
import type { RunRows, Statement, WakeUp } from './tables.ts';

/** A statement met a row that an open delivery has in its hands: it is done again when that has ended. */
export class WaitsForDelivery extends Error {
  readonly ended: Promise<void>;
  constructor(ended: Promise<void>) {
    super('an open delivery has the wake-up in its hands');
    this.ended = ended;
  }
}

/** What writes a run's wake-up waits for the delivery that is writing it. @throws WaitsForDelivery */
export function waitForDelivery({ open }: Statement, runId: RunId): void {
  const delivery = open.get(runId);
  if (delivery !== undefined) throw new WaitsForDelivery(delivery.ended);
}

/** Whether a wake-up may be taken or changed now; who can wait for it later passes it by (SKIP LOCKED). */
export function isWithin({ open }: Statement, runId: RunId): boolean {
  return open.get(runId)?.locks !== true;
}

/** The wake-up after somebody was told (W01): never later than it was, counted up. */
export function raised(before: WakeUp | null, dueAtMs: number): WakeUp {
  if (before === null) return { dueAtMs, wake: 1 };
  return { dueAtMs: Math.min(before.dueAtMs, dueAtMs), wake: before.wake + 1 };
}

/** Wakes a run now. @throws WaitsForDelivery */
export function wakeNow(statement: Statement, rows: RunRows): RunRows {
  waitForDelivery(statement, rows.run.runId);
  return { ...rows, wakeUp: raised(rows.wakeUp, statement.nowMs) };
}

/**
 * The wake-up after a release: deleted, or put to the time asked for, only at the value that the drain saw (W03, W04);
 * one it did not see is pulled forward (W06).
 * @throws WaitsForDelivery
 */
export function afterRelease(
  statement: Statement,
  { run, wakeUp }: RunRows,
  { wakeSeen, readyAtMs }: Extract<RunCommit['lease'], { readonly kind: 'release' }>,
): WakeUp | null {
  if (wakeUp === null) {
    if (readyAtMs === null) return null;
    waitForDelivery(statement, run.runId);
    return { dueAtMs: readyAtMs, wake: 1 };
  }
  if (!isWithin(statement, run.runId)) return wakeUp;
  if (wakeUp.wake === wakeSeen) return readyAtMs === null ? null : { dueAtMs: readyAtMs, wake: wakeUp.wake };
  return { dueAtMs: Math.min(wakeUp.dueAtMs, statement.nowMs), wake: wakeUp.wake };
}
