import { describeDependencies } from '../definition/dependencies.ts';
import { expressionsAt, expressionsAtEnd, expressionsOfCatch } from '../definition/lint/expressions-of.ts';
import { bodiesAround, type Program } from '../machine/program.ts';
import type { CallStep, Step } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Machine } from '../model/machine.ts';
import { allSteps, innerSteps } from '../model/step-lists.ts';
import { compensationOf } from './effect-policy.ts';

/** In which order the undos of one version may be requested, told of the steps that they undo. */
export interface UndoOrder {
  /** Nothing but `reverse` is said anywhere: one after the other. */
  readonly isReverse: boolean;
  /** Whether two undos are never requested at once, whichever comes first. */
  excludes(one: Step['id'], other: Step['id']): boolean;
  /** Whether the undo of the step that was done later must be confirmed before that of the earlier one is requested (R07). */
  precedes(later: Step['id'], earlier: Step['id']): boolean;
  /** Whether the undo of the step that was done later says itself that it comes after that of the earlier one (R07). */
  awaits(later: Step['id'], earlier: Step['id']): boolean;
}

type Version = Pick<Program, 'machine' | 'steps'>;
type Lists = ReadonlyMap<string, readonly string[]>;

function listed(lists: Lists, id: string): readonly string[] {
  return lists.get(id) ?? [];
}

const orders = new WeakMap<Machine, UndoOrder>();

/** The order of a version; made once. */
export function undoOrderOf(version: Version): UndoOrder {
  const known = orders.get(version.machine);
  if (known !== undefined) return known;
  const made = makeOrder(version);
  orders.set(version.machine, made);
  return made;
}

function makeOrder(version: Version): UndoOrder {
  const { definition, places } = version.machine;
  const groups: Lists = new Map(places.map(([id, place]) => [id, bodiesAround(place)] as const));
  const said = new Map(
    [...version.steps.values()].flatMap((step) =>
      step.verb === 'scope' && step.compensation?.order ? [[step.id, step.compensation.order] as const] : [],
    ),
  );
  const reads = outputsRead(version);
  const named = undosNamed(version);
  /** The innermost group that holds both and says an order, else the document. */
  const standing = (one: string, other: string): 'reverse' | 'graph' | 'parallel' => {
    const around = new Set(listed(groups, other));
    const orders = listed(groups, one).flatMap((id) => (around.has(id) ? (said.get(id) ?? []) : []));
    return orders.at(-1) ?? definition.compensation.order;
  };
  return {
    isReverse: definition.compensation.order === 'reverse' && said.size === 0,
    excludes: (one, other) => standing(one, other) === 'reverse',
    precedes: (later, earlier) => {
      const order = standing(later, earlier);
      if (order === 'reverse') return true;
      return named(earlier, later) || (order === 'graph' && reads(later, earlier));
    },
    awaits: (later, earlier) => named(later, earlier) && standing(later, earlier) !== 'reverse',
  };
}

/** Whether the undo of a step says that it comes after that of another one, or of a group around it. */
function undosNamed({ machine, steps }: Version): (step: string, other: string) => boolean {
  const actions = new Map(machine.definition.actions.map((action) => [action.name, action] as const));
  const parents = new Map(machine.places.map(([id, place]) => [id, place.parents] as const));
  const afterOf = (step: CallStep): readonly string[] => {
    const action = actions.get(step.action);
    invariant(action !== undefined, 'a call of no action', { step: step.id });
    const undo = compensationOf(step, action);
    return undo?.kind === 'call' ? (undo.after ?? []) : [];
  };
  const named = new Map(
    [...steps.values()].map((step) => [step.id, step.verb === 'call' ? afterOf(step) : []] as const),
  );
  return (step, other) => [other, ...listed(parents, other)].some((id) => listed(named, step).includes(id));
}

/**
 * Whether a step reads what another one gave, directly or by what lies between: outputs of steps and groups, vars, and the
 * conditions of the groups around it.
 */
function outputsRead({ machine, steps }: Version): (reader: string, other: string) => boolean {
  // In a machine any guard may have led to a step, and any transition may have written a var, by whatever was done before.
  if (machine.definition.machine !== undefined) return () => true;
  const sources = sourcesOf({ machine, steps });
  const known = new Map<string, ReadonlySet<string>>();
  const closure = (step: string): ReadonlySet<string> => {
    const found = known.get(step) ?? reached(sources, step);
    known.set(step, found);
    return found;
  };
  return (reader, other) => closure(reader).has(other);
}

function reached(sources: Lists, from: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...listed(sources, from)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...listed(sources, id));
  }
  return seen;
}

/** What each step reads directly: step ids, and with a var all steps that may have set it. */
function sourcesOf({ machine, steps }: Version): Lists {
  const setters = settersOf(steps.values());
  const parents = new Map(machine.places.map(([id, place]) => [id, place.parents] as const));
  const everything = [...steps.keys()];
  const named = (path: readonly string[]): readonly string[] => {
    const [root, name] = path;
    if (root === 'vars') return name === undefined ? [...setters.values()].flat() : listed(setters, name);
    if (root !== 'steps') return [];
    const target = name === undefined ? undefined : steps.get(name);
    return target === undefined ? everything : [target.id, ...allSteps(innerSteps(target)).map(({ id }) => id)];
  };
  const own = (step: Step): readonly string[] =>
    [...expressionsAt(step), ...expressionsAtEnd(step), ...expressionsOfCatch(step)]
      .flatMap(describeDependencies)
      .flatMap(({ path }) => named(path));
  const direct = new Map([...steps.values()].map((step) => [step.id, own(step)] as const));
  return new Map(
    everything.map((id) => {
      const around = [id, ...listed(parents, id)];
      return [id, around.flatMap((one) => listed(direct, one))] as const;
    }),
  );
}

function settersOf(steps: Iterable<Step>): Lists {
  const setters = new Map<string, readonly string[]>();
  for (const step of steps) {
    const sets = [...(step.verb === 'set' ? step.set : []), ...step.on.flatMap((handler) => handler.set)];
    for (const [name] of sets) setters.set(name, [...listed(setters, name), step.id]);
  }
  return setters;
}
