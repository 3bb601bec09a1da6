import type { Step, WorkflowDefinition } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { StepPlace } from '../model/machine.ts';
import { bodyLists } from '../model/step-lists.ts';
import { FINALLY_LIST, MAIN_LIST } from './kernel-names.ts';

/** A list of steps: the document's or its `finally`, one of the body of a group, or a catch clause's. */
export interface ListOutline {
  readonly id: string;
  readonly kind: 'main' | 'finally' | 'body' | 'catch';
  /** The step that holds it; null for the document's and its `finally`. */
  readonly owner: StepOutline | null;
  /** Number of the list or clause in its owner. */
  readonly index: number;
  readonly steps: readonly Step[];
}

/** A step and where it stands. */
export interface StepOutline {
  readonly step: Step;
  readonly list: ListOutline;
  readonly index: number;
  /** The lists that it holds: its body first, then catch clauses; empty ones are none. */
  readonly inner: readonly ListOutline[];
}

/** Every step and list of a definition by id, in document order. */
export interface Outline {
  readonly definition: WorkflowDefinition;
  readonly steps: ReadonlyMap<string, StepOutline>;
  readonly lists: ReadonlyMap<string, ListOutline>;
}

/** The id of a list of a group's body. */
export function bodyListId(step: string, name: string): string {
  return `${step}$${name}`;
}

/** The id of a catch clause's list. */
export function catchListId(step: string, index: number): string {
  return `${step}$catch${index}`;
}

/**
 * Walks a definition once.
 * @throws PAWL_INVARIANT for two steps with one id: validation refuses such a file.
 */
export function outlineOf(definition: WorkflowDefinition): Outline {
  const steps = new Map<string, StepOutline>();
  const lists = new Map<string, ListOutline>();
  const visitList = (list: ListOutline): void => {
    lists.set(list.id, list);
    for (const [index, step] of list.steps.entries()) visitStep(step, list, index);
  };
  const visitStep = (step: Step, list: ListOutline, index: number): void => {
    const inner: ListOutline[] = [];
    const outline = { step, list, index, inner };
    invariant(!steps.has(step.id), 'two steps have one id', { step: step.id });
    steps.set(step.id, outline);
    inner.push(...listsOf(outline));
    for (const one of inner) visitList(one);
  };
  visitList({ id: MAIN_LIST, kind: 'main', owner: null, index: 0, steps: definition.steps });
  const { finally: last = [] } = definition;
  if (last.length > 0) visitList({ id: FINALLY_LIST, kind: 'finally', owner: null, index: 0, steps: last });
  return { definition, steps, lists };
}

function listsOf(owner: StepOutline): readonly ListOutline[] {
  const { step } = owner;
  const lists: ListOutline[] = bodyLists(step).map(({ name, steps }, index) => ({
    id: bodyListId(step.id, name),
    kind: 'body',
    owner,
    index,
    steps,
  }));
  step.catch.forEach((clause, index) => {
    const steps = clause.do;
    if (steps.length > 0) lists.push({ id: catchListId(step.id, index), kind: 'catch', owner, index, steps });
  });
  return lists;
}

/** The step of that id. @throws PAWL_INVARIANT when there is none. */
export function stepAt(outline: Outline, id: string): StepOutline {
  const found = outline.steps.get(id);
  invariant(found !== undefined, 'no such step', { step: id });
  return found;
}

/** Lists around a step, innermost first. */
export function listsAround(step: StepOutline): readonly ListOutline[] {
  const lists: ListOutline[] = [];
  for (let at: StepOutline | null = step; at !== null; at = at.list.owner) lists.push(at.list);
  return lists;
}

/** Whether a step stands in `finally`, however deep. */
export function isLast(step: StepOutline): boolean {
  return listsAround(step).at(-1)?.kind === 'finally';
}

/** Where a step stands among lists and steps, outermost first. */
export function placeOf(step: StepOutline): StepPlace {
  const around = listsAround(step).toReversed();
  return {
    lists: around.map((list) => list.id),
    parents: around.flatMap((list) => (list.owner === null ? [] : [list.owner.step.id])),
  };
}

/** The steps whose catch is running around `from` and not around `to` (null = the run's own states): left on that way, innermost first. */
export function catchesLeft(from: StepOutline, to: ListOutline | null): readonly string[] {
  const left: string[] = [];
  for (const list of listsAround(from)) {
    if (list === to) break;
    if (list.kind === 'catch' && list.owner !== null) left.push(list.owner.step.id);
  }
  return left;
}

/** Whether a list is that of a repeat, and counts turns beside visits. */
export function isTurnList(list: string): boolean {
  return list.endsWith('$turn');
}

/** Whether a list is that of a map, and is told apart by the item's key beside visits. */
export function isItemList(list: string): boolean {
  return list.endsWith('$item');
}

/** Whether a list is a lane of a map: it is left like a branch, and told apart like an item. */
export function isLaneList(list: string): boolean {
  return isItemList(list) && isBranchList(list);
}

/** What the states that do a map's bookkeeping are named by: the lane, where there are lanes, else the map. */
export function itemsPrefix(list: string): string {
  return isLaneList(list) ? list : list.slice(0, -'$item'.length);
}

/** Whether a list is a branch of a parallel step, or a lane. */
export function isBranchList(list: string): boolean {
  return list.includes('$b_');
}

/** The branch that a step stands in, innermost; null outside of any. */
export function branchAround(step: StepOutline): ListOutline | null {
  return listsAround(step).find(({ id }) => isBranchList(id)) ?? null;
}

/**
 * The groups in whose bodies a step stands, innermost first: never a step whose catch runs, and none around a branch that it
 * stands in. What comes from outside a branch its parallel step takes, for all branches at once.
 */
export function groupsAround(step: StepOutline): readonly StepOutline[] {
  const lists = listsAround(step);
  const branch = lists.findIndex(({ id }) => isBranchList(id));
  const inside = branch === -1 ? lists : lists.slice(0, branch);
  return inside.flatMap(({ kind, owner }) => (kind === 'body' && owner !== null ? [owner] : []));
}

/** Who takes events while a step is active: itself, then the groups in whose bodies it stands; innermost first. */
export function handlerOwners(step: StepOutline): readonly StepOutline[] {
  return [step, ...groupsAround(step)];
}

/** The groups around a step whose time may end while it is active, innermost first. */
export function timedGroups(step: StepOutline): readonly StepOutline[] {
  return groupsAround(step).filter((group) => isTimed(group.step));
}

const TIMED: ReadonlySet<Step['verb']> = new Set(['scope', 'repeat', 'map', 'parallel']);

/** Whether a group's body has a time of its own. */
export function isTimed(step: Step): boolean {
  return TIMED.has(step.verb) && step.timeoutMs !== null;
}
