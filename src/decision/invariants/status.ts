import { isEnd, type RunStatus } from '../../model/statuses.ts';
import { showsQueued } from '../on-lock.ts';
import { movingRows, openReads } from '../on-due.ts';
import { finalStatus, type LiveRun, liveStatus } from '../run-status.ts';
import type { PositionCheck } from './check.ts';
import type { OpenedRun } from './opened-run.ts';

/** What may still happen by itself, as the commit that derived the status saw it. */
function movingOf(run: OpenedRun): Pick<LiveRun, 'effects' | 'reads'> {
  return { effects: movingRows(run), reads: Object.fromEntries(openReads(run)) };
}

/**
 * Every status that the last commit may have derived: since then time has passed (a not-before was reached), and it may
 * have known of events that were left to be decided, but only while somebody holds the run or will be woken for it.
 */
function legalStatuses(run: OpenedRun): ReadonlySet<RunStatus> {
  const { rows, control, phase, effects, isParked } = run;
  const parked: readonly RunStatus[] = isParked ? ['HELD'] : [];
  if (phase === 'ended') {
    const { ending } = run.snapshot.data;
    const isHeld = ending === null || control.incidents.some(({ kind }) => kind === 'late-proof');
    return new Set([isHeld ? 'HELD' : finalStatus(ending, effects.values()), ...parked]);
  }
  if (showsQueued(run)) return new Set<RunStatus>(['QUEUED', ...parked]);
  const isWatched = rows.lease !== null || rows.wakeUp !== null;
  const asOf = (hasEvents: boolean, nowMs: number): RunStatus =>
    liveStatus({ ...movingOf(run), phase, incidents: control.incidents, hasEvents, nowMs });
  return new Set<RunStatus>([
    asOf(false, 0),
    asOf(false, Number.POSITIVE_INFINITY),
    ...(isWatched ? [asOf(true, 0)] : []),
    ...parked,
  ]);
}

/** An end is reached by a transition, and none comes after it. */
function isOtherTime({ rows, phase }: OpenedRun): boolean {
  const { endedAtMs, revision } = rows.head;
  const last = rows.journal.find((row) => row.revision === revision);
  return phase === 'ended' && endedAtMs !== null && last !== undefined && last.atMs !== endedAtMs;
}

function statusFault(run: OpenedRun): string | null {
  const { status } = run.rows.head;
  const legal = legalStatuses(run);
  // That nobody can act on a HELD run is a finding of its own (`held`).
  if (legal.has(status) || (status === 'HELD' && run.control.incidents.length === 0)) return null;
  const why = run.phase === 'ended' ? 'its end and its ledger' : 'its position and its ledger';
  return `it is ${status}, and ${why} say ${[...legal].join(' or ')}`;
}

/** R25: the status is what a pure function makes of the end that was reached, or of the position, and the ledger. */
export const STATUS: PositionCheck = {
  name: 'status',
  rule: 'R25',
  promise: "A run's status, phase and time of end are what its position, its journal and its ledger say.",
  mend: 'trust position and ledger: what the list of runs shows of this run is wrong until it moves again',
  find: (run) => {
    const { head } = run.rows;
    const isPhaseOff = head.phase !== run.phase && !run.isParked;
    const status = statusFault(run);
    return [
      ...(status === null ? [] : [{ row: 'head', what: status }]),
      ...(isPhaseOff ? [{ row: 'head', what: `its phase is ${head.phase}, and its position says ${run.phase}` }] : []),
      ...(isOtherTime(run) ? [{ row: 'head', what: 'it says that it ended at another time than its journal' }] : []),
      ...(isEnd(head.status) && head.endedAtMs === null
        ? [{ row: 'head', what: 'it has ended and says not when' }]
        : []),
      ...(run.phase !== 'ended' && head.endedAtMs !== null
        ? [{ row: 'head', what: 'it says when it ended and goes on' }]
        : []),
    ];
  },
};
