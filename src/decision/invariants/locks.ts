import { isQueued } from '../on-lock.ts';
import type { Finding, PositionCheck } from './check.ts';
import type { OpenedRun } from './opened-run.ts';

type Rows = OpenedRun['rows'];

/** An order of a person reopens a run that has ended, and such a run does not wait for its lock again. */
function isReopened({ snapshot }: OpenedRun): boolean {
  return snapshot.data.ending?.kind === 'ordered';
}

/** A place is where the run's file puts it: the queue is by the start of the run. */
function isOwn({ name, limit, startedAtMs }: NonNullable<Rows['place']>, { lock, ...run }: Rows['run']): boolean {
  return name === lock?.name && limit === lock.limit && startedAtMs === run.startedAtMs;
}

/** What is wrong with the place of a run that wants the lock; null = nothing. */
function placeFault(run: OpenedRun): string | null {
  const { lease, wakeUp, place, run: identity } = run.rows;
  if (place !== null && !isOwn(place, identity)) return 'the place of the run is of another lock, limit or start';
  if (isQueued(run)) {
    const isLookedAfter = place !== null || lease !== null || wakeUp !== null || run.isParked;
    return isLookedAfter ? null : 'the run waits for it and has no place in its queue';
  }
  const isOver = run.phase === 'ended' || isReopened(run);
  const holds = place !== null && place.slot !== null;
  return isOver || holds ? null : 'the run has begun, does not hold it and goes on';
}

function lockFaults(run: OpenedRun): readonly Finding[] {
  const { place, run: identity } = run.rows;
  if (identity.lock === undefined)
    return place === null ? [] : [{ row: `lock ${place.name}`, what: 'the run has a place with it and names no lock' }];
  const what = placeFault(run);
  return what === null ? [] : [{ row: `lock ${identity.lock.name}`, what }];
}

/**
 * A run has begun only with a slot of its lock, and keeps it to its end; that no two runs have one slot is a constraint.
 * Legal in between: a slot of a run that has just ended, or has not heard of it; a queue without a run that its starter,
 * or whoever is woken for it, has not put there yet.
 */
export const LOCK: PositionCheck = {
  name: 'lock',
  rule: 'QUEUED',
  promise:
    'A run that names a lock holds it from its beginning to its end, or has its place in the queue; its place is with that lock.',
  mend: 'a run in no queue: any event wakes it, and a worker puts it there; one that goes on without its lock: cancel it, or wait for its end before others begin',
  find: lockFaults,
};
