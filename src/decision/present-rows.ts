import { bodyListId } from '../machine/outline.ts';
import type { Effect } from '../model/effect.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { framesOf, isInVisit } from './frames.ts';
import { forwardRows } from './step-effects.ts';
import { framesAt } from './step-scope.ts';

/** The rows of steps and of all that stands in them, as far as they belong to the present visit of that step (R21). */
export function presentRows(draft: Draft, steps: readonly string[], data: RunData): readonly Effect[] {
  const { compiled } = draft.ctx;
  const visits = steps.map((step) => {
    const { lists } = compiled.place(step);
    return { step, lists, frames: framesAt(draft, step, data) };
  });
  return forwardRows(draft).filter((row) => {
    const around = [row.step, ...compiled.place(row.step).parents];
    return visits.some(({ step, lists, frames }) => around.includes(step) && isInVisit(row.frames, frames, lists));
  });
}

/** The rows of the present item of a map. */
export function itemRows(draft: Draft, step: string, data: RunData): readonly Effect[] {
  const { compiled } = draft.ctx;
  const lists = [...compiled.place(step).lists, bodyListId(step, 'item')];
  const frames = framesOf(lists, data);
  return presentRows(draft, [step], data).filter((row) => isInVisit(row.frames, frames, lists));
}
