import type { RunId, WorkerId } from '../../model/ids.ts';
import { compareText, inOrder } from './row.ts';
import { heldBy, keyOf, runIn, type RunRows, runsIn, type Seat, type Statement } from './tables.ts';
import { wakeNow } from './wake-ups.ts';

/** Runs that one statement disowns at most. */
const DISOWNED_MAX = 200;
/** How long an expired seat that holds nothing is kept, milliseconds. */
const SEAT_KEPT_MS = 3_600_000;

type SeatAnswer = Pick<Seat, 'leaseUntilMs'>;

/** Takes a seat; one that is there is left as it is. */
export function takeSeat({ seats, nowMs }: Statement, part: number, workerId: WorkerId, leaseMs: number): SeatAnswer {
  const key = keyOf(part, workerId);
  const seat = seats.get(key) ?? { part, workerId, leaseUntilMs: nowMs + leaseMs, visitor: false, crashed: null };
  seats.set(key, seat);
  return { leaseUntilMs: seat.leaseUntilMs };
}

/** Renews a living seat (P03); null = it is lost. */
export function beat(
  { seats, nowMs }: Statement,
  part: number,
  workerId: WorkerId,
  leaseMs: number,
): SeatAnswer | null {
  const key = keyOf(part, workerId);
  const seat = seats.get(key);
  if (seat === undefined || seat.leaseUntilMs <= nowMs) return null;
  seats.set(key, { ...seat, leaseUntilMs: nowMs + leaseMs });
  return { leaseUntilMs: nowMs + leaseMs };
}

/**
 * Gives a seat back. Whoever leaves lives: the crash that was counted when this seat expired is taken back, and the run
 * is woken, which may be parked for it (P06). @throws WaitsForDelivery
 */
export function leaveSeat(statement: Statement, part: number, workerId: WorkerId): void {
  const { seats, runs } = statement;
  const key = keyOf(part, workerId);
  const crashed = seats.get(key)?.crashed ?? null;
  seats.delete(key);
  const rows = crashed === null ? undefined : runIn(statement, part, crashed);
  if (rows === undefined || rows.head.crashes === 0) return;
  const head = { ...rows.head, crashes: rows.head.crashes - 1 };
  runs.set(rows.run.runId, wakeNow(statement, { ...rows, head }));
}

/** Takes a run out of a worker's hands: the fence rises, somebody is told. @throws WaitsForDelivery */
function free(statement: Statement, rows: RunRows, head: Partial<RunRows['head']>): void {
  const freed = { ...rows, head: { ...rows.head, fence: rows.head.fence + 1, ...head }, lease: null };
  statement.runs.set(rows.run.runId, wakeNow(statement, freed));
}

/** Frees what is leased to a worker, not in its hands and older than its longest statement (P16). @returns how many. */
export function disown(
  statement: Statement,
  {
    part,
    workerId,
    held,
    olderThanMs,
  }: {
    readonly part: number;
    readonly workerId: WorkerId;
    readonly held: readonly RunId[];
    readonly olderThanMs: number;
  },
): number {
  const lost = heldBy(statement, part, workerId)
    .filter(
      ({ run, lease }) =>
        !held.includes(run.runId) && lease !== null && lease.claimedAtMs < statement.nowMs - olderThanMs,
    )
    .sort((a, b) => compareText(a.run.runId, b.run.runId))
    .slice(0, DISOWNED_MAX);
  for (const rows of lost) free(statement, rows, {});
  return lost.length;
}

/**
 * Frees runs of seats that are expired or missing (P03). Each is suspect from now on; a crash counts only where a
 * suspect was the only run of a worker's seat, and the seat notes it until its process says that it lives (P06): who has
 * left lives, and a visitor sends nothing. Seats expired for an hour that hold nothing go.
 */
export function sweep(statement: Statement, part: number, limit: number): RunId[] {
  const { seats, nowMs } = statement;
  const held = runsIn(statement, part).flatMap((rows) =>
    rows.lease === null ? [] : [{ rows, by: rows.lease.workerId }],
  );
  const holds = (workerId: WorkerId): number => held.filter(({ by }) => by === workerId).length;
  const isLost = (workerId: WorkerId): boolean => {
    const seat = seats.get(keyOf(part, workerId));
    return seat === undefined || seat.leaseUntilMs < nowMs;
  };
  const lost = inOrder(
    held.filter(({ by }) => isLost(by)),
    ({ rows }) => [rows.run.runId],
  ).slice(0, limit);
  for (const { rows, by } of lost) {
    const seat = seats.get(keyOf(part, by));
    const alone = rows.head.suspect && holds(by) === 1 && seat?.visitor === false;
    if (alone) seats.set(keyOf(part, by), { ...seat, crashed: rows.run.runId });
    free(statement, rows, { suspect: true, crashes: rows.head.crashes + (alone ? 1 : 0) });
  }
  for (const [key, seat] of seats) {
    if (seat.part === part && seat.leaseUntilMs < nowMs - SEAT_KEPT_MS && holds(seat.workerId) === 0) seats.delete(key);
  }
  return lost.map(({ rows }) => rows.run.runId);
}
