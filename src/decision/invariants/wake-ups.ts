import { isStepping } from '../../model/statuses.ts';
import { activeLeaves } from '../active-steps.ts';
import { isSentFromHere, isWithWorkers } from '../hand-out.ts';
import { isQueued } from '../on-lock.ts';
import { actionableRows, openReads } from '../on-due.ts';
import type { Effect } from '../../model/effect.ts';
import { isPaused } from '../on-pause.ts';
import type { Finding, PositionCheck } from './check.ts';
import { awaitsShare } from '../share-effect.ts';
import { effectRow, inboxRow, type OpenedRun } from './opened-run.ts';

/** How far a wake-up may lie behind what it is for: a worker's idea of the database's time, and a push-back (W06), milliseconds. */
const LATE_MS = 5_000;

/** Something that a worker must act on, and when. */
interface Want extends Finding {
  readonly atMs: number;
}

/** All that only a worker moves on: undecided events, what is in flight for nobody, rows and reads that are or become due. */
function wantsOf(run: OpenedRun): readonly Want[] {
  const { rows, nowMs, control } = run;
  const inFlight = rows.effects.filter(isSentFromHere);
  const isOver = { what: 'it is in flight, and nobody awaits its answer', atMs: nowMs };
  const left = inFlight.map((effect) => ({ row: effectRow(effect), ...isOver }));
  // Whatever else a paused run has waits until a person lets it go on.
  if (isPaused(run)) return left;
  const undecided = rows.inbox.filter(({ outcome }) => outcome === null);
  return [
    ...undecided.map((row) => ({ row: inboxRow(row), what: 'it waits to be decided', atMs: nowMs })),
    ...left,
    ...actionableRows(run).map((effect) => ({
      row: effectRow(effect),
      what: `it is ${effect.state} and to be ${effect.doubt === 'query' ? 'asked about' : 'sent'}`,
      atMs: effect.notBeforeMs ?? nowMs,
    })),
    ...openReads(run).map(([step, { notBeforeMs }]) => ({
      row: `read ${step}`,
      what: 'it is to be asked',
      atMs: notBeforeMs ?? nowMs,
    })),
    ...(control.pending.length > 0 ? [{ row: 'head', what: 'events of its own wait to be applied', atMs: nowMs }] : []),
  ];
}

/**
 * Whether somebody beside a worker moves the run on: a person, the world, or a time. A wait without its timer is a finding
 * of its own (`timer-missing`); the deadline alone does not count, for it ends a run and does not move it on.
 */
function isAwaited({ rows, control, snapshot, phase }: OpenedRun): boolean {
  // Its place in the queue is looked at for itself (`lock`).
  if (isQueued({ snapshot })) return true;
  if (isPaused({ control }) || control.incidents.length > 0 || rows.approvals.some(({ state }) => state === 'open'))
    return true;
  const isElsewhere = (effect: Effect): boolean => isWithWorkers(effect) || awaitsShare(effect);
  if (rows.effects.some((effect) => effect.doubt === 'event' || isElsewhere(effect))) return true;
  if (!isStepping(phase)) return false;
  // Without its version nobody can say what a step waits for; that it is missing is told (`pin`).
  if (rows.program === null) return true;
  const { copies, machine } = rows.program;
  // A state of a machine waits for an event or a time; that one waits for nothing is refused when it is published.
  if (phase === 'forward' && machine.definition.machine !== undefined) return true;
  const verbs = activeLeaves(rows.program, snapshot.value).map((id) => copies.get(id)?.verb);
  return verbs.includes('await') || verbs.includes('wait');
}

function lateFaults({ nowMs }: OpenedRun, dueAtMs: number, wants: readonly Want[]): readonly Finding[] {
  if (wants.length === 0) return [];
  const wantedAtMs = Math.min(...wants.map(({ atMs }) => atMs));
  if (dueAtMs <= Math.max(wantedAtMs, nowMs) + LATE_MS) return [];
  return [
    { row: 'wake-up', what: `it is due ${new Date(dueAtMs).toISOString()}, long after the run is to be looked at` },
  ];
}

function silentFaults(run: OpenedRun, wants: readonly Want[]): readonly Finding[] {
  if (wants.length > 0)
    return wants.map(({ row, what }) => ({ row, what: `${what}, and the run has no holder and no wake-up` }));
  if (run.phase === 'ended' || isAwaited(run)) return [];
  return [{ row: 'wake-up', what: 'it is missing: nothing is left that would ever move this run on' }];
}

/**
 * W01 to W05, "nothing silent": a run that a worker must look at is held or has its wake-up. At every committed instant:
 * a delivery, a firing, a sweep and a release write the wake-up in the same statement, and a claim deletes it with the
 * lease in hand. Legal without: whatever a holder has in hand, and a parked run (its events wait until a person acts).
 */
export const WAKE_UP: PositionCheck = {
  name: 'wake-up',
  rule: 'W01, W03, P17',
  promise:
    'A run with an undecided event, an effect to send, await or ask about, is held or woken; no other is left to nobody.',
  mend: 'any event wakes it: `pawl signal`, `pawl reconcile`, `pawl cancel`; a worker finds the rest',
  find: (run) => {
    const { lease, wakeUp } = run.rows;
    if (lease !== null || run.isParked) return [];
    const wants = wantsOf(run);
    return wakeUp === null ? silentFaults(run, wants) : lateFaults(run, wakeUp.dueAtMs, wants);
  },
};
