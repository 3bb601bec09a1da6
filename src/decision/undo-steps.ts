import { itemsOf } from '../machine/items.ts';
import { laneItem } from '../machine/lane-data.ts';
import { authorOf } from '../machine/lane-steps.ts';
import { itemUndoOf } from '../machine/map-states.ts';
import { bodyListId, isLaneList } from '../machine/outline.ts';
import type { UndoStep } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { KernelCommand } from '../model/kernel.ts';
import { ownValue } from '../model/own-value.ts';
import type { Failure, RunData } from '../model/run.ts';
import { advancePlan } from './advance-plan.ts';
import { planOf, holdPlan } from './compensate-run.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { waitsForKept } from './kept-losers.ts';
import { pivotOf } from './pivot.ts';
import { itemRows, presentRows } from './present-rows.ts';

/** What is to be undone while the run goes on, for whom and why. */
export interface UndoOrder {
  /** The step whose clause or whose own verb asks for it. */
  readonly step: string;
  /** What has been done and is to be undone, in any state. */
  readonly rows: readonly Effect[];
  readonly failure: Pick<Failure, 'code' | 'message' | 'step'>;
}

/** A clause with `undo` has taken the failure of its step or group: what that has done is undone before its list begins (R21). */
export function undoGroup(draft: Draft, step: string, data: RunData): void {
  const failure = ownValue(data.caught, step);
  invariant(failure !== undefined, 'a clause undoes without a failure', { step });
  undoRows(draft, { step, rows: presentRows(draft, [step], data), failure });
}

/** The map, and the lane of the item that is undone; absent = its present one. */
type UndoneItem = Pick<Extract<KernelCommand, { readonly type: 'item.undo' }>, 'step' | 'list'>;

/** An item of a map has failed and the map goes on: what the item has done is undone before the next one begins (R08). */
export function undoItem(draft: Draft, { step, list = bodyListId(step, 'item') }: UndoneItem, data: RunData): void {
  const { lost: failure } = isLaneList(list) ? laneItem(data, list) : itemsOf(data, list);
  invariant(failure !== undefined, 'an item is undone without a failure', { step });
  undoRows(draft, { step: itemUndoOf(step, list), rows: itemRows(draft, { step, list }, data), failure });
}

/** The verb `undo`: what the named steps have done in their present visit is undone now. */
export function enterUndo(draft: Draft, { id, undo }: UndoStep, data: RunData): void {
  const owner = draft.ctx.compiled.catchOwner(id);
  const caught = owner === null ? undefined : ownValue(data.caught, owner);
  const failure = caught ?? { code: 'undo', message: `undone by step ${authorOf(id)}`, step: authorOf(id) };
  undoRows(draft, { step: id, rows: presentRows(draft, undo, data, id), failure });
}

/**
 * Writes the rows with their requests computed once (R12), and requests the first. What was undone before is not undone
 * again (R22). Behind a confirmed pivot nothing is undone without a person (R20).
 */
export function undoRows(draft: Draft, { step, rows, failure }: UndoOrder): void {
  if (waitsForKept(draft, { step, keys: rows.map(({ key }) => key), failure })) return;
  if (pivotOf(draft.effects.pivots()) === 'behind') {
    holdUndo(draft, step);
    return;
  }
  const confirmed = rows.filter((row) => row.state === 'CONFIRMED');
  const plan = planOf(draft, failure, confirmed);
  if (plan.kind === 'fault') {
    holdPlan(draft, plan);
    return;
  }
  invariant(plan.kind === 'plan', 'what is confirmed is settled', { step });
  for (const row of plan.rows) draft.putEffect(row);
  draft.setControl({ undos: [...(draft.control.undos ?? []), { step, keys: plan.keys }] });
  advancePlan(draft);
}

function holdUndo(draft: Draft, step: string): void {
  draft.openIncident({
    id: `pivot:${step}`,
    kind: 'pivot',
    step,
    effectKey: null,
    message: `the point of no return is passed: what step ${authorOf(step)} is to undo is undone by order only`,
    from: OPERATORS,
    acts: ['compensate', 'terminate'],
  });
}
