import { ConflictError, RefusedError } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { findRun } from './find-run.ts';
import {
  type ChildUndo,
  type CompensationPreview,
  type PlannedUndo,
  previewCompensation,
} from './plan-compensation.ts';

/** So many children of a preview are asked for their own plans, those of children included: each is a read of a run. */
const ASKED_CHILDREN_MAX = 100;

/** How many more may be asked. */
interface Budget {
  left: number;
}

/** What a child would do if it were told now; why not where it could not. */
async function asked(engine: Engine, child: ChildUndo, budget: Budget): Promise<ChildUndo> {
  try {
    const { undo, standing } = await previewCompensation(engine, await findRun(engine, child.id));
    return { ...child, plan: { undo: await withPlans(engine, undo, budget), standing } };
  } catch (error) {
    if (error instanceof ConflictError || error instanceof RefusedError) return { ...child, refused: error.message };
    throw error;
  }
}

async function withPlans(
  engine: Engine,
  undo: readonly PlannedUndo[],
  budget: Budget,
): Promise<readonly PlannedUndo[]> {
  const told: PlannedUndo[] = [];
  for (const row of undo) {
    const { child } = row;
    if (child === undefined || budget.left === 0) {
      told.push(row);
      continue;
    }
    budget.left -= 1;
    told.push({ ...row, child: await asked(engine, child, budget) });
  }
  return told;
}

/**
 * What ordering the compensation would do now, and what it would come to in the children that it undoes, down to the first
 * hundred of them. Transaction: none; children are read one by one, each as it is then, and plan anew when they are told.
 * @throws what `previewCompensation` throws.
 */
export async function previewWithChildren(engine: Engine, run: RunIdentity): Promise<CompensationPreview> {
  const preview = await previewCompensation(engine, run);
  return { ...preview, undo: await withPlans(engine, preview.undo, { left: ASKED_CHILDREN_MAX }) };
}
