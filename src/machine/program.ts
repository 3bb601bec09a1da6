import type { Evaluator } from '../definition/evaluator.ts';
import type { ActionContract, Step } from '../model/definition.ts';
import { InvariantError } from '../model/errors.ts';
import type { Machine, MachineState, StepPlace } from '../model/machine.ts';
import { allStates, type MachineForm } from '../model/machine-form.ts';
import { bodyLists, everyStep } from '../model/step-lists.ts';
import { createStepsRead } from '../definition/steps-read.ts';
import { type FormPart, formParts } from './form/form-parts.ts';
import { isHandling } from './form/lower-form.ts';
import { FINALLY_LIST } from './kernel-names.ts';
import { authorOf, stepsWithLanes } from './lane-steps.ts';
import { bodyListId, isBranchList, isItemList, isLaneList } from './outline.ts';

/** A machine with everything that is looked up by id again and again. */
export interface Program {
  readonly machine: Machine;
  readonly evaluator: Evaluator;
  /** Every state by id. */
  readonly states: ReadonlyMap<string, MachineState>;
  /** @throws PAWL_INVARIANT for an id that no step has. */
  step(id: string): Step;
  /** @throws PAWL_INVARIANT for an id that no step has. */
  place(id: string): StepPlace;
  /** @throws PAWL_INVARIANT for a name that no action has. */
  action(name: string): ActionContract;
  /** Every step that the author wrote with its id, in document order. */
  readonly steps: ReadonlyMap<string, Step>;
  /** These and the copies of them in lanes. */
  readonly copies: ReadonlyMap<string, Step>;
  /** Of the lanes around a step the lists, outermost first; none outside of any. */
  lanesAround(step: string): readonly string[];
  /** States of a machine that take only what is received while they are active (rule V13); none where the workflow has steps. */
  readonly handlers: ReadonlySet<string>;
  /** A guard or an action of a machine. @throws PAWL_INVARIANT for a place where there is none. */
  part(at: string): FormPart;
  /** The step whose running catch surrounds a step, innermost; null where there is none. Its failure is the root `failure`. */
  catchOwner(step: string): string | null;
  /** Whether some expression reads what this step gives, or it may become what a group around it gives. */
  isRead(step: string): boolean;
  /** The maps in whose items a step stands, outermost first: their lists, and how expressions name the item. */
  itemsAround(step: string): readonly ItemName[];
  /** The branch of a parallel step that a step stands in, innermost, by its list; null outside of any. */
  branchOf(step: string): string | null;
  /** Whether some step shares its act with other runs (E11). */
  readonly sharesActs: boolean;
  /** Whether remote workers carry out some action of it. */
  readonly hasQueues: boolean;
  /** Whether a step stands in `finally`: what it does is never undone, and changes nothing of the end. */
  isLast(step: string): boolean;
}

/** How the present item of a map's list is named in expressions. */
export interface ItemName {
  readonly list: string;
  readonly as: string;
}

/** Indexes a machine once; nothing of it changes afterwards. */
export function createProgram(machine: Machine, evaluator: Evaluator): Program {
  const steps = new Map(everyStep(machine.definition).map((step) => [step.id, step] as const));
  const copies = new Map(stepsWithLanes(machine).map((step) => [step.id, step] as const));
  const places = new Map([...machine.places, ...lanePlaces(machine, copies)]);
  const actions = new Map(machine.definition.actions.map((action) => [action.name, action] as const));
  const isRead = createStepsRead(machine.definition);
  const items = new Map([...places].map(([id, place]) => [id, itemsIn(place, copies)] as const));
  const lanes = new Map([...places].map(([id, { lists }]) => [id, lists.filter(isLaneList)] as const));
  const branches = new Map([...places].map(([id, { lists }]) => [id, lists.findLast(isBranchList) ?? null] as const));
  const parts = formParts(machine.definition.machine);
  const handlers = handlersOf(machine.definition.machine);
  const owners = new Map([...places].map(([id, place]) => [id, catchOwnerOf(place)] as const));
  return {
    machine,
    evaluator,
    states: indexStates(machine.root),
    part: (at) => parts.get(at) ?? unknown('part', at),
    steps,
    copies,
    handlers,
    step: (id) => copies.get(id) ?? unknown('step', id),
    lanesAround: (id) => lanes.get(id) ?? [],
    place: (id) => places.get(id) ?? unknown('step', id),
    action: (name) => actions.get(name) ?? unknown('action', name),
    catchOwner: (id) => owners.get(id) ?? null,
    isRead: (id) => isRead(authorOf(id)) || (places.get(id) ?? unknown('step', id)).parents.length > 0,
    itemsAround: (id) => items.get(id) ?? [],
    branchOf: (id) => branches.get(id) ?? null,
    sharesActs: [...steps.values()].some((step) => step.verb === 'call' && step.reach !== undefined),
    hasQueues: machine.definition.actions.some(({ transport }) => transport.kind === 'worker'),
    isLast: (id) => places.get(id)?.lists[0] === FINALLY_LIST,
  };
}

/** What is undone in a lane is undone under the lane's name, so a lane has its place like a step. */
function lanePlaces({ places }: Machine, copies: ReadonlyMap<string, Step>): Machine['places'] {
  return places.flatMap(([id, { lists, parents }]) => {
    const step = copies.get(id);
    const inner = step?.verb === 'map' && step.lanes !== undefined ? bodyLists(step) : [];
    return inner.map(({ name }) => {
      const lane = bodyListId(id, name);
      return [lane, { lists: [...lists, lane], parents: [...parents, id] }] as const;
    });
  });
}

/** The outermost is as old as the run. */
function handlersOf(form: MachineForm | undefined): ReadonlySet<string> {
  const inside = form === undefined ? [] : form.root.states.flatMap(allStates);
  return new Set(inside.filter(isHandling).map(({ id }) => id));
}

function itemsIn({ lists, parents }: StepPlace, steps: ReadonlyMap<string, Step>): readonly ItemName[] {
  return lists.flatMap((list, depth) => {
    const owner = steps.get(parents[depth - 1] ?? '');
    return owner?.verb === 'map' && isItemList(list) ? [{ list, as: owner.as }] : [];
  });
}

function unknown(what: string, id: string): never {
  throw new InvariantError(`the machine has no such ${what}`, { [what]: id });
}

function indexStates(root: MachineState): ReadonlyMap<string, MachineState> {
  const index = new Map<string, MachineState>();
  const visit = (state: MachineState): void => {
    index.set(state.id, state);
    state.states.forEach(visit);
  };
  visit(root);
  return index;
}

/** `lists` and `parents` run side by side, the document's list having no parent: list n + 1 belongs to parent n. */
function isCatch({ lists }: StepPlace, parent: string, depth: number): boolean {
  return lists[depth + 1]?.startsWith(`${parent}$catch`) === true;
}

function catchOwnerOf(place: StepPlace): string | null {
  return place.parents.findLast((parent, depth) => isCatch(place, parent, depth)) ?? null;
}

/** The groups in whose bodies a step stands, outermost first: never a step whose catch runs. */
export function bodiesAround(place: StepPlace): readonly string[] {
  return place.parents.filter((parent, depth) => !isCatch(place, parent, depth));
}
