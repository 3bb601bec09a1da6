import type { Evaluator } from '../definition/evaluator.ts';
import type { ActionContract, Step } from '../model/definition.ts';
import { InvariantError } from '../model/errors.ts';
import type { Machine, MachineState, StepPlace } from '../model/machine.ts';

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
  /** Every step with its id, in document order. */
  readonly steps: ReadonlyMap<string, Step>;
  /** The step whose running catch surrounds a step, innermost; null where there is none. Its failure is the root `failure`. */
  catchOwner(step: string): string | null;
}

/** Indexes a machine once; nothing of it changes afterwards. */
export function createProgram(machine: Machine, evaluator: Evaluator): Program {
  const steps = indexSteps(machine.definition.steps);
  const places = new Map(machine.places);
  const actions = new Map(machine.definition.actions.map((action) => [action.name, action] as const));
  const owners = new Map([...places].map(([id, place]) => [id, catchOwnerOf(place)] as const));
  return {
    machine,
    evaluator,
    states: indexStates(machine.root),
    steps,
    step: (id) => steps.get(id) ?? unknown('step', id),
    place: (id) => places.get(id) ?? unknown('step', id),
    action: (name) => actions.get(name) ?? unknown('action', name),
    catchOwner: (id) => owners.get(id) ?? null,
  };
}

function unknown(what: string, id: string): never {
  throw new InvariantError(`the machine has no such ${what}`, { [what]: id });
}

function indexSteps(list: readonly Step[]): ReadonlyMap<string, Step> {
  const index = new Map<string, Step>();
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      index.set(step.id, step);
      if (step.verb === 'choose') for (const branch of step.branches) visit(branch.steps ?? []);
      for (const clause of step.catch) visit(clause.do);
    }
  };
  visit(list);
  return index;
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
function catchOwnerOf(place: StepPlace): string | null {
  for (let at = place.lists.length - 1; at > 0; at -= 1) {
    const owner = place.parents[at - 1];
    if (owner !== undefined && place.lists[at]?.startsWith(`${owner}$catch`) === true) return owner;
  }
  return null;
}
