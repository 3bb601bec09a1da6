import type { ChooseStep, MapStep, ParallelStep, ScopeStep, Step } from '../model/definition.ts';
import { elementAt } from '../model/element-at.ts';
import type { MachineEdge, MachineState } from '../model/machine.ts';
import { branchEnds, parallelState, sidesStates } from './branch-states.ts';
import { expiriesWhileHeld, expiriesWhileUndoing, lowerExpiries } from './expiry-states.ts';
import { lowerHandlers } from './handler-states.ts';
import { itemStates, laneStates, mapState, nextId } from './map-states.ts';
import { repeatState, turnedState } from './turn-states.ts';
import { done, faultEdge, plainState, ranIn } from './state-parts.ts';
import type { ComputationRef } from './kernel-names.ts';
import { assignment, command, guard, SETTLING } from './kernel-names.ts';
import type { ListOutline, Outline, StepOutline } from './outline.ts';
import { bodyListId, catchesLeft, isBranchList, isLaneList, isTimed, stepAt } from './outline.ts';
import type { Route } from './routes.ts';
import {
  clauseBegins,
  doneTarget,
  edgesOf,
  entryOf,
  exitRoutes,
  failureRoutes,
  fallRoute,
  firstOf,
  limitRoute,
  nextRoutes,
  uncatch,
  undoingId,
} from './routes.ts';

/** The compound state of a list, with all states of its steps. */
export function listState(outline: Outline, list: ListOutline): MachineState {
  const states = list.steps.flatMap((step) => stepStates(outline, stepAt(outline, step.id)));
  const owner = list.owner?.step ?? null;
  const timed = isTimedBody(list) && owner !== null ? [{ step: owner.id }] : [];
  return {
    ...plainState(list.id, owner?.id ?? null, 'list'),
    kind: 'compound',
    initial: isLaneList(list.id) ? nextId(list.id) : firstOf(list),
    states: [...states, ...ownStates(outline, list)],
    entry: timed.map((group) => command('group.enter', group)),
    exit: timed.map((group) => command('group.leave', group)),
  };
}

/** Whether a list is what the time of its group is for; that of branches is for all of them. */
function isTimedBody({ id, kind, owner }: ListOutline): boolean {
  return kind === 'body' && owner !== null && !isBranchList(id) && isTimed(owner.step);
}

/** States of a list beside those of its steps: the end of a turn, the ends of a branch. */
function ownStates(outline: Outline, list: ListOutline): readonly MachineState[] {
  const { id, kind, owner, index } = list;
  if (kind !== 'body' || owner === null) return [];
  const { step } = owner;
  if (step.verb === 'repeat') return [turnedState(outline, owner, step)];
  if (step.verb === 'map') return isLaneList(id) ? laneStates(owner, step, list) : itemStates(outline, owner, step);
  return step.verb === 'parallel' ? branchEnds(owner, elementAt(step.branches, index)) : [];
}

/** All states of one step: gate, the step itself, where it drains, where it fails, where it is held, its lists, what follows them. */
export function stepStates(outline: Outline, step: StepOutline): readonly MachineState[] {
  return [
    ...gateState(step),
    ...activeStates(outline, step),
    failedState(step),
    heldState(step),
    ...undoingStates(step),
    ...ownLists(step).map((list) => listState(outline, list)),
    ...afterCatchStates(outline, step),
    ...raisedState(step),
  ];
}

/** The lists that are states of their own: branches stand in the state of all of them. */
function ownLists({ inner }: StepOutline): readonly ListOutline[] {
  return inner.filter(({ id }) => !isBranchList(id));
}

/** `when` decides before anything else of the step is evaluated. */
function gateState(step: StepOutline): readonly MachineState[] {
  const { id, when } = step.step;
  if (when === null) return [];
  const of: ComputationRef = { kind: 'when', step: id };
  const enter: Route = { guard: guard('verdict', { of }), target: id, actions: [], kind: 'next', label: null };
  const skip: Route = { ...fallRoute(step), kind: 'skip', label: 'skipped' };
  const skipped = edgesOf([skip], { event: null, actions: [assignment('record.skipped', { step: id })] });
  const edges = [...faultEdge(step, of), ...edgesOf([enter], { event: null }), ...skipped];
  return [{ ...plainState(`${id}$when`, id, 'gate'), edges }];
}

function activeStates(outline: Outline, step: StepOutline): readonly MachineState[] {
  switch (step.step.verb) {
    case 'set':
      return [setState(outline, step)];
    case 'choose':
      return [chooseState(outline, step, step.step), doneState(outline, step, step.step)];
    case 'scope':
      return [scopeState(step.step), doneState(outline, step, step.step)];
    case 'repeat':
      return [repeatState(outline, step, step.step)];
    case 'map':
      return [mapState(step, step.step), ...(isSideBySide(step.step) ? sidesOf(outline, step, step.step) : [])];
    case 'parallel':
      return [parallelState(step, step.step), ...sidesOf(outline, step, step.step)];
    case 'fail':
      return [failState(step)];
    case 'end':
      return [endState(outline, step, step.step.end)];
    default:
      return workingStates(outline, step, step.step.verb === 'call' || step.step.verb === 'undo');
  }
}

function isSideBySide(step: Step): step is ParallelStep | MapStep {
  return step.verb === 'parallel' || (step.verb === 'map' && step.lanes !== undefined);
}

function sidesOf(outline: Outline, step: StepOutline, sides: ParallelStep | MapStep): readonly MachineState[] {
  const regions = step.inner.filter(({ kind }) => kind === 'body').map((list) => listState(outline, list));
  return sidesStates(outline, step, { sides, regions });
}

/** A step that waits for the world: entered and left with a command, moved by one settled event. */
function workingStates(outline: Outline, step: StepOutline, canBeOpen: boolean): readonly MachineState[] {
  const { id } = step.step;
  const handlers = lowerHandlers(outline, step, canBeOpen);
  const expiries = lowerExpiries(step, canBeOpen);
  const record = [assignment('record.settled', { step: id, ran: ranIn(step) })];
  const failing = [...record, assignment('fail', { step: id, source: { kind: 'event' } })];
  const failed: Route = { guard: null, target: `${id}$failed`, actions: [], kind: 'failure', label: null };
  const events =
    step.step.verb === 'call' ? (['effect.settled', 'step.settled'] as const) : (['step.settled'] as const);
  const edges = events.flatMap((event) => [
    ...edgesOf(exitRoutes(outline, step), { event, guard: guard('settled', { step: id, ok: true }), actions: record }),
    ...edgesOf([failed], { event, guard: guard('settled', { step: id, ok: false }), actions: failing }),
  ]);
  const active: MachineState = {
    ...plainState(id, id, 'active'),
    entry: [command('step.enter', { step: id })],
    exit: [command('step.leave', { step: id })],
    edges: [...edges, ...handlers.edges, ...expiries.edges],
  };
  return [active, ...handlers.states, ...expiries.states];
}

function setState(outline: Outline, step: StepOutline): MachineState {
  const { id } = step.step;
  const of: ComputationRef = { kind: 'set', step: id };
  const actions = [assignment('set', { of }), done(step, 'none')];
  const edges = [...faultEdge(step, of), ...edgesOf(exitRoutes(outline, step), { event: null, actions })];
  return { ...plainState(id, id, 'active'), edges };
}

/** Guards in the author's order; the first that is true wins, one that cannot be computed is a failure of the step. */
function chooseState(outline: Outline, step: StepOutline, choose: ChooseStep): MachineState {
  const { id } = choose;
  const edges = choose.branches.flatMap((branch, index) => {
    const of: ComputationRef = { kind: 'branch', step: id, index };
    const ways = branchRoutes(outline, step, index).map((route) => ({
      ...route,
      kind: branchKind(route),
      label: branchLabel(choose, index),
    }));
    if (branch.when === null) return edgesOf(ways, { event: null });
    return [...faultEdge(step, of), ...edgesOf(ways, { event: null, guard: guard('verdict', { of }) })];
  });
  const isTotal = choose.branches.some((branch) => branch.when === null);
  const noMatch = assignment('fail', { step: id, source: { kind: 'no-match' } });
  const route: Route = { guard: null, target: `${id}$failed`, actions: [noMatch], kind: 'failure', label: 'no match' };
  return { ...plainState(id, id, 'active'), edges: isTotal ? edges : [...edges, ...edgesOf([route], { event: null })] };
}

function branchKind(route: Route): Route['kind'] {
  return route.kind === 'failure' ? 'failure' : 'branch';
}

function branchLabel(choose: ChooseStep, index: number): string {
  return choose.branches[index]?.when?.source ?? 'else';
}

function branchRoutes(outline: Outline, step: StepOutline, index: number): readonly Route[] {
  const choose = step.step;
  const branch = choose.verb === 'choose' ? choose.branches[index] : undefined;
  const steps = branch?.steps ?? [];
  const list = bodyListId(choose.id, `branch${index}`);
  const enter = assignment('list.enter', { list, choose: choose.id });
  const route = { guard: null, kind: 'branch', label: null } as const;
  if (steps.length > 0) return [{ ...route, target: firstOf({ id: list, steps }), actions: [enter] }];
  const next = branch?.next ?? null;
  if (next === null) return [{ ...route, target: `${choose.id}$done`, actions: [enter] }];
  const limit = limitRoute(step);
  const ways = nextRoutes(outline, { owner: step, from: step, next, limit });
  return ways.map((way) => (way === limit ? way : { ...way, actions: [enter, done(step, 'none'), ...way.actions] }));
}

/** Enters the body; what is in it handles, fails and is undone within the scope. */
function scopeState({ id, steps }: ScopeStep): MachineState {
  const list = bodyListId(id, 'scope');
  const actions = [assignment('list.enter', { list, choose: id })];
  const enter: Route = { guard: null, target: firstOf({ id: list, steps }), actions, kind: 'branch', label: null };
  return { ...plainState(id, id, 'active'), edges: edgesOf([enter], { event: null }) };
}

/** The body has come to its end: the group has its output. */
function doneState(outline: Outline, step: StepOutline, group: ChooseStep | ScopeStep): MachineState {
  const { id } = group;
  const of: ComputationRef = { kind: 'output', step: id };
  const fault = group.output === null ? [] : faultEdge(step, of);
  const actions = [done(step, group.output === null ? 'ran' : 'computed')];
  return {
    ...plainState(`${id}$done`, id, 'gate'),
    edges: [...fault, ...edgesOf(exitRoutes(outline, step), { event: null, actions })],
  };
}

function failState(step: StepOutline): MachineState {
  const { id } = step.step;
  const actions = [assignment('fail', { step: id, source: { kind: 'step', of: { kind: 'fail', step: id } } })];
  const route: Route = { guard: null, target: `${id}$failed`, actions, kind: 'failure', label: 'fail' };
  return { ...plainState(id, id, 'active'), edges: edgesOf([route], { event: null }) };
}

function endState(outline: Outline, step: StepOutline, end: Extract<Step, { verb: 'end' }>['end']): MachineState {
  const { id } = step.step;
  const leaving = uncatch(catchesLeft(step, null));
  const route = { guard: null, kind: 'end', label: null } as const;
  if (end === 'cancelled') {
    const actions = [done(step, 'none'), assignment('end.cancelled', {})];
    return {
      ...plainState(id, id, 'active'),
      edges: edgesOf([{ ...route, target: SETTLING, actions }], { event: null }),
    };
  }
  const of: ComputationRef = { kind: 'output', step: id };
  const finish: Route = {
    ...route,
    target: doneTarget(outline.definition),
    actions: [assignment('end.done', { step: id }), done(step, 'none'), ...leaving],
  };
  return { ...plainState(id, id, 'active'), edges: [...faultEdge(step, of), ...edgesOf([finish], { event: null })] };
}

/** Routes the failure at once: nothing rests here. */
function failedState(step: StepOutline): MachineState {
  const { id } = step.step;
  return { ...plainState(`${id}$failed`, id, 'failed'), edges: edgesOf(failureRoutes(step, 'own'), { event: null }) };
}

/** A person is needed; the step is entered again, through its gate, when one lets it. */
function heldState(step: StepOutline): MachineState {
  const { id } = step.step;
  const actions = [assignment('forgive', {})];
  const expiries = expiriesWhileHeld(step);
  const retry: Route = {
    guard: guard('retried', { step: id }),
    target: entryOf(step.step),
    actions,
    kind: 'retry',
    label: null,
  };
  return {
    ...plainState(`${id}$held`, id, 'held'),
    entry: [command('step.held', { step: id })],
    // What ends the waiting for a person from outside ends what the person was asked.
    exit: expiries.length === 0 ? [] : [command('step.leave', { step: id })],
    edges: [...edgesOf([retry], { event: 'step.retried' }), ...expiries],
  };
}

/**
 * A clause with `undo` waits until what it had to compensate is settled; then its list begins. What ends the step meanwhile
 * waits as long, also where a race undoes what has lost it.
 */
function undoingStates(step: StepOutline): readonly MachineState[] {
  const { id } = step.step;
  const undoing = step.step.catch.flatMap((clause, index) => (clause.undo === true ? [{ clause, index }] : []));
  const isRace = isSideBySide(step.step) && step.step.join.kind !== 'all';
  if (undoing.length === 0 && !isRace) return [];
  const expiries = expiriesWhileUndoing(step);
  const states = undoing.map(({ clause, index }): MachineState => {
    const begin: Route = { ...clauseBegins(id, clause, index), guard: null, kind: 'next', label: null };
    const undone = edgesOf([begin], { event: 'group.undone', guard: guard('undone', { step: id }) });
    return {
      ...plainState(undoingId(id, index), id, 'undoing'),
      entry: [command('group.undo', { step: id, clause: index })],
      edges: [...undone, ...expiries.edges],
    };
  });
  return [...states, ...expiries.states];
}

/** What follows the `do` of a clause: its `then` or `next`. */
function afterCatchStates(outline: Outline, step: StepOutline): readonly MachineState[] {
  const { id } = step.step;
  return step.step.catch.map((clause, index) => {
    const leaving = [assignment('uncatch', { steps: [id] })];
    const edges = (routes: readonly Route[], actions = leaving): MachineEdge[] =>
      edgesOf(routes, { event: null }).map((edge) => ({ ...edge, actions: [...edge.actions, ...actions] }));
    return { ...plainState(`${id}$after${index}`, id, 'gate'), edges: edges(thenRoutes(outline, step, clause)) };
  });
}

function thenRoutes(outline: Outline, step: StepOutline, clause: Step['catch'][number]): readonly Route[] {
  const { id } = step.step;
  const raised: Route = { guard: null, target: `${id}$raised`, actions: [], kind: 'failure', label: null };
  // A cycle that is used up inside a catch is a failure inside that catch: outward, with the first as cause (rule R22).
  const limit: Route = {
    ...raised,
    actions: [assignment('fail', { step: id, source: { kind: 'limit', caught: true } })],
    label: 'limit',
  };
  const next = clause.next ?? (clause.then === 'continue' ? step.step.next : clause.then === 'end' ? 'end' : null);
  if (next !== null) return nextRoutes(outline, { owner: step, from: step, next, limit });
  if (clause.then === 'continue') return [fallRoute(step)];
  return [{ ...raised, actions: [assignment('raise', { step: id })] }];
}

/** A failure that its own step's clauses no longer take: to those around it. */
function raisedState(step: StepOutline): readonly MachineState[] {
  const { id } = step.step;
  if (step.step.catch.length === 0) return [];
  return [
    { ...plainState(`${id}$raised`, id, 'failed'), edges: edgesOf(failureRoutes(step, 'outward'), { event: null }) },
  ];
}
