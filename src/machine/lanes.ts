import type { Machine, StepPlace } from '../model/machine.ts';
import { authorOf } from './lane-steps.ts';
import { isBranchList } from './outline.ts';

/** The way of a run through the boxes of its picture. */
export interface Lanes {
  /** Boxes that were entered one after the other, each branch for itself: `from to`. */
  readonly pairs: ReadonlySet<string>;
  /** The boxes where it stands: one, or one of each branch that is under way. */
  readonly places: ReadonlySet<string>;
}

/** Two boxes, one after the other. */
export function pairOf(from: string, to: string): string {
  return `${from} ${to}`;
}

const MAIN = '';
const OVER = /^(.+)\$(?:succeeded|failed|stopped)$/;

/**
 * Follows a run through its branches: what is entered in one comes after what was entered in the same one, whatever came in
 * between elsewhere.
 * @param entered states in the order in which they were entered.
 * @param isBox whether a state has a box.
 */
export function followLanes(machine: Machine, entered: readonly string[], isBox: (state: string) => boolean): Lanes {
  const places = new Map(machine.places);
  const last = new Map([[MAIN, '$start']]);
  const over = new Set<string>();
  const pairs = new Set<string>();
  for (const state of entered) {
    const ended = OVER.exec(state)?.[1];
    if (ended !== undefined && isBranchList(ended)) over.add(ended);
    if (!isBox(state)) continue;
    const lane = laneOf(places.get(state));
    for (const from of before(last, lane)) pairs.add(pairOf(authorOf(from), authorOf(state)));
    for (const inner of lanesIn(last, state)) {
      last.delete(inner);
      over.delete(inner);
    }
    last.set(lane, state);
  }
  return { pairs, places: new Set(standing(last, over, MAIN).map((box) => authorOf(box))) };
}

function laneOf(place: StepPlace | undefined): string {
  return place?.lists.findLast(isBranchList) ?? MAIN;
}

/** The lanes of a parallel step that were entered. */
function lanesIn(last: ReadonlyMap<string, string>, step: string): readonly string[] {
  return [...last.keys()].filter((lane) => lane.startsWith(`${step}$b_`));
}

/** What came before in a lane: the last box, and the last ones of its own branches; at its beginning the step around it. */
function before(last: ReadonlyMap<string, string>, lane: string): readonly string[] {
  const box = last.get(lane) ?? lane.slice(0, lane.indexOf('$'));
  return [box, ...lanesIn(last, box).flatMap((inner) => before(last, inner))];
}

function standing(last: ReadonlyMap<string, string>, over: ReadonlySet<string>, lane: string): readonly string[] {
  const box = last.get(lane) ?? MAIN;
  const open = lanesIn(last, box).filter((inner) => !over.has(inner));
  return open.length === 0 ? [box] : open.flatMap((inner) => standing(last, over, inner));
}
