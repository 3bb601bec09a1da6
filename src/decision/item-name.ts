import type { Program } from '../machine/program.ts';
import { authorOf } from '../machine/lane-steps.ts';
import { isItemList, isTurnList } from '../machine/outline.ts';
import type { Frame } from '../model/effect.ts';
import type { RunData } from '../model/run.ts';
import { framesOf } from './frames.ts';

/** Which item of which maps frames name: `sku-1`, or `order-7/sku-1` of an inner one; null where they stand in no map. */
export function itemNameOf(frames: readonly Frame[]): string | null {
  const keys = frames.flatMap(([kind, key]) => (kind === 'm' ? [String(key)] : []));
  return keys.length === 0 ? null : keys.join('/');
}

/**
 * Which turn of which repeats frames name, from 1: `2`, or `1/2` where the outer one is in its first; null where they stand in none.
 * @param lists ids of the step lists around the step, outermost first (`StepPlace.lists`): a first turn has left no frame.
 */
export function turnNameOf(lists: readonly string[], frames: readonly Frame[]): string | null {
  const turns: number[] = [];
  let at = 0;
  for (const list of lists) {
    const frame = frames[at];
    if (isTurnList(list)) turns.push(1 + (frame?.[0] === 'r' ? frame[1] : 0));
    at += isTurnList(list) || isItemList(list) ? 2 : 1;
  }
  return turns.length === 0 ? null : turns.join('/');
}

/** A step of a machine as people know it: the author's, and the item that it is done for now; null = of no map. */
export function placeNameOf(
  program: Program | null,
  data: RunData,
  id: string,
): { readonly step: string; readonly item: string | null } {
  const step = authorOf(id);
  const isPlaced = program?.copies.has(id) === true;
  return { step, item: isPlaced ? itemNameOf(framesOf(program.place(id).lists, data)) : null };
}
