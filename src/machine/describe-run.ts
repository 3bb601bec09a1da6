import type { Machine } from '../model/machine.ts';
import type { Picture, PictureEdge, PictureLive, PictureNode } from '../model/picture.ts';
import { describeMachine } from './diagram.ts';
import { CLOSING, COMPENSATING, COMPLETED, ENDED, SETTLING } from './kernel-names.ts';
import { authorOf } from './lane-steps.ts';
import { followLanes, pairOf } from './lanes.ts';
import { outlineOf, placeOf } from './outline.ts';

/** What is known of a run, for its picture. */
export interface RunPath {
  /** States entered, in order, over the whole journal (`delta.entered` of each transition). */
  readonly entered: readonly string[];
  /** Steps whose effect has been compensated. */
  readonly undone: readonly string[];
  /** Steps that only a person can move on. */
  readonly held: readonly string[];
}

/** The picture of a machine with the way of one run in it: where it has been, where it is, what failed, what was undone. */
export function describeRun(machine: Machine, path: RunPath): Picture {
  const picture = describeMachine(machine);
  const boxes = new Set(picture.nodes.map((node) => node.id));
  // What is done goes to its end through `finally`: the end is drawn before it.
  const isDone = !path.entered.includes(SETTLING);
  const entered = path.entered.map((state) => (state === CLOSING && isDone ? COMPLETED : state));
  const visited = entered.flatMap((state) => boxOfState(boxes, state));
  const { pairs, places } = followLanes(machine, entered, (state) => boxOfState(boxes, state).length > 0);
  const groups = groupsOf(machine);
  const failed = new Set(
    path.entered.flatMap((state) => (state.endsWith('$failed') ? [authorOf(state.slice(0, -'$failed'.length))] : [])),
  );
  const isTaken = (edge: PictureEdge): boolean => {
    if (edge.kind === 'compensation') return path.undone.includes(edge.from);
    return [edge.from, ...(groups.get(edge.from) ?? [])].some((from) => pairs.has(pairOf(from, edge.to)));
  };
  const live = (node: PictureNode): PictureLive | null => {
    if (path.undone.includes(node.id) || path.undone.some((step) => node.id === `${step}$undo`)) return 'undone';
    if (path.held.includes(node.id)) return 'held';
    if (places.has(node.id) && !isEndState(path.entered.at(-1))) return failed.has(node.id) ? 'failed' : 'now';
    if (!visited.includes(node.id) && node.kind !== 'start') return null;
    return failed.has(node.id) ? 'failed' : 'taken';
  };
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({ ...node, live: live(node) })),
    edges: picture.edges.map((edge) => ({ ...edge, taken: isTaken(edge) })),
  };
}

function isEndState(state: string | undefined): boolean {
  return state === COMPLETED || state === ENDED || state === SETTLING || state === COMPENSATING;
}

/** Steps and drawn ends; helpers, lists and the run's own states have no box, and a group is not entered but what is in it. */
function boxOfState(boxes: ReadonlySet<string>, state: string): readonly string[] {
  if (state === COMPLETED) return [COMPLETED];
  if (state.includes('$')) return [];
  const box = authorOf(state);
  return boxes.has(box) ? [box] : [];
}

/** The steps inside each choose: an arrow from its box may begin at any of them. */
function groupsOf(machine: Machine): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const step of outlineOf(machine.definition).steps.values()) {
    for (const parent of [step.step.id, ...placeOf(step).parents]) {
      const group = `${parent}$group`;
      const inside = groups.get(group);
      if (inside === undefined) groups.set(group, [step.step.id]);
      else inside.push(step.step.id);
    }
  }
  return groups;
}
