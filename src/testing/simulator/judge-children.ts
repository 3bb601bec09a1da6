import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import type { ParentLink } from '../../model/child.ts';
import type { Effect } from '../../model/effect.ts';
import type { Digest, RunId } from '../../model/ids.ts';
import type { RunRecords, UnreadableRun } from '../../model/run-records.ts';
import { isEnd, type RunStatus } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import type { Violation } from './oracle.ts';

/** What of a run is held against its parent and its children. */
interface Relative {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly parent: ParentLink | null;
  readonly effects: readonly Effect[];
}

/** What was pruned does not say it any more. */
function linkOf(snapshot: string, digest: Digest): ParentLink | null {
  if (snapshot === '') return null;
  return unpackSnapshot(snapshot, digest).control.parent ?? null;
}

/** The run that has started a run; null = a person has. */
export function parentOf({ snapshot, run }: StoredRun): RunId | null {
  return linkOf(snapshot, run.digest)?.runId ?? null;
}

function faultOf(child: Relative, message: string): Violation {
  return { rule: 'child', runId: child.runId, subject: child.parent?.step ?? 'run', message };
}

/** The row of the parent that waits for a child. */
function rowOf(parent: Relative, { parent: link }: Relative): Effect | undefined {
  return parent.effects.find(({ key }) => key === link?.effectKey);
}

/** A parent never ends by itself with a child that is under way. */
function judgeOpen(parent: Relative, child: Relative): readonly Violation[] {
  const isBound = child.parent?.effectKey !== null;
  const isOver = isEnd(parent.status) && parent.status !== 'TERMINATED';
  // A late proof holds a run that has ended and told its end.
  if (!isBound || !isOver || isEnd(child.status) || child.status === 'HELD') return [];
  const row = rowOf(parent, child);
  if (row === undefined || row.settledAtMs === null)
    return [faultOf(child, `its parent is ${parent.status}, and it is ${child.status}`)];
  return [];
}

/** No row has two children. */
function judgeTwins(all: readonly Relative[]): readonly Violation[] {
  const bound = all.filter(({ parent }) => parent !== null && parent.effectKey !== null);
  return bound
    .filter((one, index) => bound.findIndex(({ parent }) => parent?.effectKey === one.parent?.effectKey) !== index)
    .map((one) => faultOf(one, 'its step has two children'));
}

/** What a settled row of the parent says of its child is how the child ended. */
function judgeWord(parent: Relative, child: Relative): readonly Violation[] {
  const row = rowOf(parent, child);
  if (row === undefined || child.parent?.effectKey === null) return [];
  if (row.externalId !== child.runId) return [faultOf(child, 'its parent names another child')];
  if (!isEnd(child.status)) return [];
  const undo = parent.effects.findLast(({ compensates, state }) => compensates === row.key && state === 'CONFIRMED');
  if (row.state === 'FAILED' && child.status === 'COMPLETED')
    return [faultOf(child, 'it is COMPLETED, its step has failed')];
  if (row.state === 'UNKNOWN' && parent.status !== 'TERMINATED')
    return [faultOf(child, `it is ${child.status}, and its parent has not heard of it`)];
  // Whatever a child of the simulator has completed with is to be undone.
  if (undo === undefined || child.status === 'COMPENSATED') return [];
  return [faultOf(child, `it is ${child.status}, and counts as undone`)];
}

function families(all: readonly Relative[]): readonly (readonly [Relative, Relative])[] {
  const byId = new Map(all.map((one) => [one.runId, one]));
  return all.flatMap((child) => {
    const parent = child.parent === null ? undefined : byId.get(child.parent.runId);
    return parent === undefined ? [] : [[parent, child] as const];
  });
}

/** What holds at every instant. */
export function judgeOpenChildren(runs: readonly (RunRecords | UnreadableRun)[]): readonly Violation[] {
  const all = runs.flatMap((one) =>
    'run' in one
      ? [
          {
            runId: one.run.runId,
            status: one.head.status,
            parent: linkOf(one.head.snapshot, one.run.digest),
            effects: one.effects,
          },
        ]
      : [],
  );
  return [...judgeTwins(all), ...families(all).flatMap(([parent, child]) => judgeOpen(parent, child))];
}

/** What holds when nothing is on its way any more. */
export function judgeChildren(runs: readonly StoredRun[]): readonly Violation[] {
  const all = runs.map((stored) => ({
    runId: stored.run.runId,
    status: stored.status,
    parent: linkOf(stored.snapshot, stored.run.digest),
    effects: stored.effects,
  }));
  return families(all).flatMap(([parent, child]) => judgeWord(parent, child));
}
