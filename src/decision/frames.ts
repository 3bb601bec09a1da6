import { presentItem } from '../machine/items.ts';
import { isItemList, isTurnList } from '../machine/outline.ts';
import type { Frame } from '../model/effect.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { ownValue } from '../model/own-value.ts';
import type { RunData } from '../model/run.ts';

/**
 * The frames of a step: one `["v", n]` per enclosing list, outermost first, before it `["r", n]` where the list is that of a
 * repeat and `["m", key]` where it is that of a map, zeros left out (rule E01). Only the zeros inside the last counted list are left out: a zero outside of a counted
 * list stays in its place, because visit 1 of an outer list and visit 1 of an inner one are two acts and must not share a key.
 * @param lists ids of the enclosing step lists, outermost first (`StepPlace.lists`).
 */
export function framesOf(lists: readonly string[], counts: Counts): readonly Frame[] {
  const { visits, turns = {} } = counts;
  const frames = lists.flatMap((list): readonly Frame[] => {
    const visit: Frame = ['v', ownValue(visits, list) ?? 0];
    if (isItemList(list)) return [['m', presentItem(counts, list).key], visit];
    return isTurnList(list) ? [['r', ownValue(turns, list)?.no ?? 0], visit] : [visit];
  });
  const depth = frames.findLastIndex(([, count]) => count !== 0) + 1;
  return frames.slice(0, depth);
}

/** Visits, turns and items by list, or lane; an absent one is number 0. */
export type Counts = Pick<RunData, 'visits' | 'turns' | 'items' | 'lanes'>;

/**
 * Whether frames lie in a visit of a step around them: they count the same in all lists around that step.
 * @param visit the frames of that step.
 * @param lists the lists around it.
 */
export function isInVisit(frames: readonly Frame[], visit: readonly Frame[], lists: readonly string[]): boolean {
  const depths = Array.from({ length: countedIn(lists) }, (_, depth) => depth);
  return depths.every((depth) => (frames[depth]?.[1] ?? 0) === (visit[depth]?.[1] ?? 0));
}

/** How many frames lists have: one for each, and one more where turns or items are counted. */
export function countedIn(lists: readonly string[]): number {
  return lists.length + lists.filter((list) => isTurnList(list) || isItemList(list)).length;
}

/** A text that two lists of frames share exactly when they are the same place in the same repetition. */
export function frameKey(frames: readonly Frame[]): string {
  return canonicalJson(frames);
}

/** Whether two lists of frames name the same repetition. */
export function sameFrames(left: readonly Frame[], right: readonly Frame[]): boolean {
  return frameKey(left) === frameKey(right);
}
