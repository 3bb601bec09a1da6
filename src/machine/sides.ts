import type { RunData } from '../model/run.ts';
import { areOver, branchesOf, decisionOf, parallelAt, withBranches } from './branches.ts';
import { mapOf } from './compute-items.ts';
import { itemsOf, itemsVerdict } from './items.ts';
import { lanesOf, withLanesOf } from './lane-data.ts';
import { laneCount } from './lane-steps.ts';
import { bodyListId } from './outline.ts';
import type { Program } from './program.ts';

/** How the branches of a parallel step stand, or the lanes of a map. */
interface Sides {
  /** Whether as many have succeeded as must, or too many have failed; null = nobody can say yet. */
  readonly decision: 'met' | 'lost' | null;
  /** Whether nothing is under way in any of them. */
  readonly isOver: boolean;
  /** Whether those under way have been told that they are not wanted any more. */
  readonly stopping: boolean;
  /** Number of the way that leads out from outside; null while the join decides. */
  readonly way: number | null;
}

/** How what is side by side in a step stands. @throws PAWL_INVARIANT for a step that does nothing side by side, or was not entered. */
export function sidesOf(program: Program, data: RunData, step: string): Sides {
  if (program.step(step).verb === 'map') return lanesNow(program, data, step);
  const parallel = parallelAt(program, step);
  const branches = branchesOf(data, step);
  const { stopping, way } = branches;
  return { decision: decisionOf(parallel, branches), isOver: areOver(parallel, branches), stopping, way };
}

const DECISIONS = { won: 'met', lost: 'lost', next: null } as const;

function lanesNow(program: Program, data: RunData, step: string): Sides {
  const map = mapOf(program, step);
  const { over, under, stopping, way } = lanesOf(data, step);
  const verdict = itemsVerdict(map, itemsOf(data, bodyListId(step, 'item')));
  // Lanes that have nothing to do come to their ends by themselves: nobody need tell them.
  return { decision: DECISIONS[verdict], isOver: over === laneCount(map), stopping: stopping || under === 0, way };
}

/** What is under way there is not wanted any more; `way`: what leads out, null = the join. */
export function leaveSides(program: Program, data: RunData, { step, way }: LeavingSides): RunData {
  const before = sidesOf(program, data, step);
  const told = { stopping: true, way: way ?? before.way };
  if (program.step(step).verb === 'map') return withLanesOf(data, step, told);
  return withBranches(data, step, { ...branchesOf(data, step), ...told });
}

/** A step that is left, and by which way. */
interface LeavingSides {
  readonly step: string;
  readonly way: number | null;
}
