import type { RunId, WorkerId } from '../../model/ids.ts';
import { inOrder } from './row.ts';
import { heldBy, runIn, type RunRows, runsIn, seatLives, type Statement, type WakeUp } from './tables.ts';
import { isWithin } from './wake-ups.ts';

/** Rows of leased runs that a picker may pass before it pushes them back (W06). */
const PASSED_ROWS_MAX = 500;
/** How far they are pushed back, milliseconds. */
const PUSHED_BACK_MS = 1_000;

/** Who claims, how many at most, and how long a suspect may wait before busy seats are kept from claiming (P06). */
export interface ClaimAsk {
  readonly part: number;
  readonly workerId: WorkerId;
  readonly limit: number;
  readonly patienceMs: number;
}

type Woken = RunRows & { readonly wakeUp: WakeUp };

function isWoken(rows: RunRows): rows is Woken {
  return rows.wakeUp !== null;
}

/** Wake-ups that are due at an instant, the oldest first. */
function dueAt(statement: Statement, part: number, atMs: number): Woken[] {
  const due = runsIn(statement, part)
    .filter(isWoken)
    .filter(({ wakeUp }) => wakeUp.dueAtMs <= atMs);
  return inOrder(due, ({ run, wakeUp }) => [wakeUp.dueAtMs, run.runId]);
}

/** A suspect is handed out alone, to empty hands; what waits behind it too long waits for busy hands to be empty (P06). */
function pick(statement: Statement, { part, workerId, limit, patienceMs }: ClaimAsk): Woken[] {
  const held = heldBy(statement, part, workerId);
  const busy = held.length > 0;
  const [oldest] = dueAt(statement, part, statement.nowMs - patienceMs).filter(({ lease }) => lease === null);
  if (held.some(({ head }) => head.suspect) || (busy && oldest?.head.suspect === true)) return [];
  return dueAt(statement, part, statement.nowMs)
    .filter(({ run, lease, head }) => lease === null && !(busy && head.suspect) && isWithin(statement, run.runId))
    .slice(0, limit);
}

function chosenOf(picked: readonly Woken[]): readonly Woken[] {
  const [first] = picked;
  return picked.filter((rows) => rows === first || !(rows.head.suspect || first?.head.suspect === true));
}

function leased(statement: Statement, rows: RunRows, workerId: WorkerId): RunRows {
  return {
    ...rows,
    head: { ...rows.head, fence: rows.head.fence + 1 },
    lease: { workerId, claimedAtMs: statement.nowMs },
  };
}

/** Wake-ups of leased runs that stand in the way of every picker go back by a second (W06). */
function pushBack(statement: Statement, { part, limit }: ClaimAsk, picked: readonly Woken[]): void {
  const last = picked.length < limit ? undefined : picked.at(-1);
  const passed = dueAt(statement, part, last?.wakeUp.dueAtMs ?? statement.nowMs)
    .filter(({ lease }) => lease !== null)
    .slice(0, PASSED_ROWS_MAX);
  if (passed.length < PASSED_ROWS_MAX) return;
  const dueAtMs = statement.nowMs + PUSHED_BACK_MS;
  for (const rows of passed.filter(({ run }) => isWithin(statement, run.runId)))
    statement.runs.set(rows.run.runId, { ...rows, wakeUp: { ...rows.wakeUp, dueAtMs } });
}

/** Claims runs that are free and due, for a living seat (P03); each claim raises the fence and takes the wake-up (W03). */
export function claimRuns(statement: Statement, ask: ClaimAsk): RunRows[] {
  if (!seatLives(statement, ask.part, ask.workerId)) return [];
  const picked = pick(statement, ask);
  pushBack(statement, ask, picked);
  const claimed = chosenOf(picked).map((rows) => ({ ...leased(statement, rows, ask.workerId), wakeUp: null }));
  for (const rows of claimed) statement.runs.set(rows.run.runId, rows);
  return claimed;
}

/** A free run in the hands of a living seat, its wake-up untouched (P17); null when it is not free, or the seat is lost. */
export function claimedBy(statement: Statement, rows: RunRows, workerId: WorkerId): RunRows | null {
  if (rows.lease !== null || !seatLives(statement, rows.run.part, workerId)) return null;
  return leased(statement, rows, workerId);
}

/** Claims one named run, if it is free and the seat lives. */
export function claimOne(statement: Statement, part: number, runId: RunId, workerId: WorkerId): RunRows | null {
  const rows = runIn(statement, part, runId);
  const held = rows === undefined ? null : claimedBy(statement, rows, workerId);
  if (held === null) return null;
  const claimed = isWithin(statement, runId) ? { ...held, wakeUp: null } : held;
  statement.runs.set(runId, claimed);
  return claimed;
}
