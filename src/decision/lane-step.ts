import { authorOf } from '../machine/lane-steps.ts';
import type { Effect } from '../model/effect.ts';
import { ownValue } from '../model/own-value.ts';
import type { RunState } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { isOpen } from './effect-lifecycle.ts';
import { sameFrames } from './frames.ts';

/**
 * The step of the machine that an open row belongs to: that of the lane which does its item. Everywhere else the row is of the
 * author's step, and of the item that its frames name.
 */
export function laneStepOf(
  { control }: Pick<RunState, 'control'>,
  { key, step }: Pick<Effect, 'key' | 'step'>,
): string {
  return ownValue(control.lanes ?? {}, key) ?? step;
}

/**
 * Notes in which lane a row is asked for; that of a step outside of any lane is the author's own. The row of a shared act stays
 * with the item that asked for it first (E11).
 */
export function noteLane(draft: Draft, row: Pick<Effect, 'key' | 'frames'>, step: string): void {
  const { key, frames } = row;
  const { lanes = {} } = draft.control;
  if (step === authorOf(step) && !Object.hasOwn(lanes, key)) return;
  const known = draft.effects.get(key);
  if (known === undefined || sameFrames(known.frames, frames)) draft.setControl({ lanes: { ...lanes, [key]: step } });
}

/** Rows that have settled are of no lane any more. */
export function forgetLanes(draft: Draft): void {
  const { lanes } = draft.control;
  if (lanes === undefined) return;
  const left = Object.entries(lanes).filter(([key]) => {
    const row = draft.effects.get(key as Effect['key']);
    return row !== undefined && isOpen(row.state);
  });
  if (left.length < Object.keys(lanes).length) draft.setControl({ lanes: Object.fromEntries(left) });
}
