import type { Frame } from '../model/effect.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { ownValue } from '../model/own-value.ts';

/**
 * The frames of a step: one `["v", n]` per enclosing list, outermost first, zeros left out (rule E01).
 * Only the zeros inside the last counted list are left out: a zero outside of a counted list stays in its place, because
 * visit 1 of an outer list and visit 1 of an inner one are two acts and must not share a key.
 * @param lists ids of the enclosing step lists, outermost first (`StepPlace.lists`).
 * @param visits visit number by list id; absent = 0.
 */
export function framesOf(lists: readonly string[], visits: Readonly<Record<string, number>>): readonly Frame[] {
  const counts = lists.map((list) => ownValue(visits, list) ?? 0);
  const depth = counts.findLastIndex((count) => count > 0) + 1;
  return counts.slice(0, depth).map((count): Frame => ['v', count]);
}

/**
 * Whether frames lie in a visit of a step around them: they count the same in all lists around that step.
 * @param visit the frames of that step.
 * @param lists the lists around it.
 */
export function isInVisit(frames: readonly Frame[], visit: readonly Frame[], lists: readonly string[]): boolean {
  return lists.every((_list, depth) => (frames[depth]?.[1] ?? 0) === (visit[depth]?.[1] ?? 0));
}

/** A text that two lists of frames share exactly when they are the same place in the same repetition. */
export function frameKey(frames: readonly Frame[]): string {
  return canonicalJson(frames);
}

/** Whether two lists of frames name the same repetition. */
export function sameFrames(left: readonly Frame[], right: readonly Frame[]): boolean {
  return frameKey(left) === frameKey(right);
}
