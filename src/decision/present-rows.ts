import { authorOf } from '../machine/lane-steps.ts';
import { isItemList, isTurnList } from '../machine/outline.ts';
import type { Effect } from '../model/effect.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { framesOf, isInVisit } from './frames.ts';
import { forwardRows } from './step-effects.ts';

/**
 * The rows of steps and of all that stands in them, as far as they belong to the present visit of that step (R21).
 * @param from the step that asks: of turns and items that it does not stand in itself all count; null = as seen from inside.
 */
export function presentRows(
  draft: Draft,
  steps: readonly string[],
  data: RunData,
  from: string | null = null,
): readonly Effect[] {
  const { compiled } = draft.ctx;
  const visits = steps.map((step) => {
    const { lists } = compiled.place(step);
    const seen = from === null ? lists : beforeRounds(lists, compiled.place(from).lists);
    // A row is of the author's step; which lane it was done in says nothing, its frames name the item.
    return { step: authorOf(step), lists: seen, frames: framesOf(seen, data) };
  });
  return forwardRows(draft).filter((row) => {
    const around = [row.step, ...compiled.place(row.step).parents];
    return visits.some(({ step, lists, frames }) => around.includes(step) && isInVisit(row.frames, frames, lists));
  });
}

/** The lists up to the first that counts turns or items and is not around both. */
function beforeRounds(lists: readonly string[], around: readonly string[]): readonly string[] {
  const first = lists.findIndex((list) => (isTurnList(list) || isItemList(list)) && !around.includes(list));
  return first === -1 ? lists : lists.slice(0, first);
}

/** A map, and the list of its item: that of a lane where it has lanes. */
interface ItemOf {
  readonly step: string;
  readonly list: string;
}

/** The rows of the present item of a map, or of a lane. */
export function itemRows(draft: Draft, { step, list }: ItemOf, data: RunData): readonly Effect[] {
  const { compiled } = draft.ctx;
  const lists = [...compiled.place(step).lists, list];
  const frames = framesOf(lists, data);
  return presentRows(draft, [step], data).filter((row) => isInVisit(row.frames, frames, lists));
}
