import type { Program } from '../machine/program.ts';
import type { Approval } from '../model/approval.ts';
import type { Effect } from '../model/effect.ts';
import type { Ending, Incident, ReadProgress, RunControl } from '../model/run.ts';
import type { RunPhase, RunStatus } from '../model/statuses.ts';
import { isSentFromHere, isWithWorkers } from './hand-out.ts';
import { isLeftByChild } from './child-outcome.ts';
import { SECRET_MISSING } from './judge-outcome.ts';

/** The ends a run can have. */
export type EndStatus = Extract<
  RunStatus,
  'COMPLETED' | 'FAILED' | 'COMPENSATED' | 'COMPENSATED_WITH_ERRORS' | 'CANCELLED' | 'TERMINATED'
>;

/**
 * The final status, from the end that the machine reached and the ledger alone (rule R25).
 * A compensation row stands in the ledger for every confirmed effect that could be undone, so "no compensatable effect
 * was ever confirmed" is "no compensation row". What a child has left standing is never undone.
 */
export function finalStatus(ending: Pick<Ending, 'kind'>, effects: Iterable<Effect>): EndStatus {
  if (ending.kind === 'done') return 'COMPLETED';
  if (ending.kind === 'cancelled') return 'CANCELLED';
  if (ending.kind === 'terminated') return 'TERMINATED';
  const rows = [...effects];
  if (rows.some((effect) => isLeftByChild(effect) || (effect.compensates !== null && effect.state === 'WAIVED')))
    return 'COMPENSATED_WITH_ERRORS';
  return rows.some((effect) => effect.compensates !== null) ? 'COMPENSATED' : 'FAILED';
}

/** The status of a run that has ended: a late proof holds it whatever its end (E08); a doubt that a terminated run has left is listed beside its end. */
export function endedStatus(
  ending: Pick<Ending, 'kind'>,
  effects: Iterable<Effect>,
  incidents: readonly Pick<Incident, 'kind'>[],
): EndStatus | 'HELD' {
  return incidents.some(({ kind }) => kind === 'late-proof') ? 'HELD' : finalStatus(ending, effects);
}

/** What the status of a run that has not ended is read from. */
export interface LiveRun {
  readonly phase: RunPhase;
  readonly effects: Iterable<Effect>;
  readonly incidents: readonly Incident[];
  readonly reads: RunControl['reads'];
  /** An event was received and is neither answered nor kept. */
  readonly hasEvents: boolean;
  readonly nowMs: number;
}

/**
 * The status of a run that has not ended: HELD (nothing moves without a person), COMPENSATING, RUNNING (an unconsumed
 * event, or a row that may be sent or is in flight) or WAITING (only the world can act: a not-before, a query, a timer,
 * an event, a decision).
 */
export function liveStatus(run: LiveRun): Extract<RunStatus, 'HELD' | 'COMPENSATING' | 'RUNNING' | 'WAITING'> {
  const isMoving = run.hasEvents || canActNow(run);
  if (run.incidents.length > 0 && !isMoving && !waitsForItsTime(run)) return 'HELD';
  if (run.phase === 'settling' || run.phase === 'compensating') return 'COMPENSATING';
  return isMoving ? 'RUNNING' : 'WAITING';
}

function canActNow(run: LiveRun): boolean {
  const rows = [...run.effects].some((effect) => isSentFromHere(effect) || isDue(effect, run.nowMs));
  return rows || openReads(run.reads).some((read) => (read.notBeforeMs ?? 0) <= run.nowMs);
}

/** Whether a worker may act on the row at this database time: send it, send it again, or ask about it. */
export function isDue(effect: Effect, nowMs: number): boolean {
  return isActionable(effect) && (effect.notBeforeMs ?? 0) <= nowMs;
}

function isActionable(effect: Effect): boolean {
  if (isWithWorkers(effect)) return false;
  if (effect.state === 'AUTHORIZED') return true;
  return effect.state === 'UNKNOWN' && (effect.doubt === 'resend' || effect.doubt === 'query');
}

/** Reads in progress; of a read whose step was left only the number is remembered. */
function openReads(reads: RunControl['reads']): readonly ReadProgress[] {
  return Object.values(reads).filter((read) => !read.closed);
}

/** Time alone brings no secret: what lacks one waits for a person, though it is looked for now and then. */
function waitsForItsTime(run: LiveRun): boolean {
  const rows = [...run.effects].some(
    (effect) => isWithWorkers(effect) || (isActionable(effect) && effect.code !== SECRET_MISSING),
  );
  return rows || openReads(run.reads).some((read) => read.lacks === undefined);
}

/**
 * When a worker is next wanted for a row or a read.
 * @returns epoch milliseconds (a row without not-before counts as `nowMs`), or null when none waits.
 */
export function nextDueAtMs(run: Pick<LiveRun, 'effects' | 'reads' | 'nowMs'>): number | null {
  const rows = [...run.effects].filter((effect) => isActionable(effect)).map((effect) => effect.notBeforeMs);
  const reads = openReads(run.reads).map((read) => read.notBeforeMs);
  const times = [...rows, ...reads].map((atMs) => atMs ?? run.nowMs);
  return times.length === 0 ? null : Math.min(...times);
}

/** What a person is needed for, as short words for lists: `approval:decision`, `incident:<kind>`, `pause:resume`; sorted, each once. */
export function needsOf(
  { incidents, paused }: Pick<RunControl, 'incidents' | 'paused'>,
  approvals: Iterable<Approval>,
): readonly string[] {
  const decisions = [...approvals].filter((approval) => approval.state === 'open').map(() => 'approval:decision');
  const holds = incidents.map((incident) => `incident:${incident.kind}`);
  const stops = paused === undefined ? [] : ['pause:resume'];
  return [...new Set([...decisions, ...holds, ...stops])].sort();
}

/**
 * What stands in the world at the end: forward effects that are CONFIRMED and not made good, and children that left something.
 * What `finally` did is not of them.
 */
export function standingOf(effects: Iterable<Effect>, { isLast }: Pick<Program, 'isLast'>): readonly Effect[] {
  const rows = [...effects].filter(({ step }) => !isLast(step));
  const undone = new Set(rows.filter((row) => row.state === 'CONFIRMED').map((row) => row.compensates));
  const isDone = (row: Effect): boolean => row.compensates === null && row.state === 'CONFIRMED';
  return rows.filter((row) => isLeftByChild(row) || (isDone(row) && !undone.has(row.key)));
}
