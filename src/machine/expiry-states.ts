import type { ActionRef, MachineEdge, MachineState } from '../model/machine.ts';
import { assignment, command, guard } from './kernel-names.ts';
import { catchesLeft, isTimed, type StepOutline, timedGroups } from './outline.ts';
import { edgesOf, type Route, uncatch } from './routes.ts';

/** What the timeouts of the groups around a step add to one state of it, and the states in which it drains then. */
export interface ExpiryStates {
  readonly edges: readonly MachineEdge[];
  readonly states: readonly MachineState[];
}

/**
 * Lowers the timeouts in force at a step that waits for the world, innermost group first: nothing new starts, what is open
 * settles, whatever the outcome, then the failure `timeout` of the group.
 * @param canBeOpen whether the step may have something on its way that must settle first.
 */
export function lowerExpiries(step: StepOutline, canBeOpen: boolean): ExpiryStates {
  const id = step.step.id;
  const groups = timedGroups(step);
  const edges = groups.flatMap((group, index) => [
    ...(canBeOpen ? [drainEdge(group, expiringId(id, index), id)] : []),
    expiredEdge(group, { leaf: canBeOpen ? id : null, actions: failing(step, group) }),
  ]);
  return { edges, states: canBeOpen ? drainStates(step, groups) : [] };
}

/** A step that drains for a handler already: the timeout of a group around it counts all the same. */
export function expiriesWhileDraining(step: StepOutline): readonly MachineEdge[] {
  return timedGroups(step).map((group, index) => drainEdge(group, expiringId(step.step.id, index), null));
}

/** A step that only a person can let go: nothing of it is open, so its group fails at once. */
export function expiriesWhileHeld(step: StepOutline): readonly MachineEdge[] {
  return timedGroups(step).map((group) => expiredEdge(group, { leaf: null, actions: failing(step, group) }));
}

/** A group that is being undone when the time of one around it is over: the undo is finished first. */
export function expiriesWhileUndoing(step: StepOutline): ExpiryStates {
  return expiriesOfUndo(step, { groups: timedGroups(step), undoneId, left: uncatch([step.step.id]) });
}

/** An item that is being undone when the time of its map, or of a group around that, is over. */
export function expiriesWhileItemUndone(step: StepOutline): ExpiryStates {
  const groups = isTimed(step.step) ? [step, ...timedGroups(step)] : timedGroups(step);
  return expiriesOfUndo(step, { groups, undoneId: itemUndoneId, left: [] });
}

interface Undoing {
  readonly groups: readonly StepOutline[];
  readonly undoneId: (step: string, index: number) => string;
  readonly left: readonly ActionRef[];
}

function expiriesOfUndo(step: StepOutline, { groups, undoneId, left }: Undoing): ExpiryStates {
  const id = step.step.id;
  const edges = groups.map((group, index) => drainEdge(group, undoneId(id, index), null));
  const states = groups.map((group, index) => {
    const actions = [...failing(step, group), ...left];
    const undone = edgesOf([failedRoute(group, actions)], {
      event: 'group.undone',
      guard: guard('undone', { step: id }),
    });
    return drainState(undoneId(id, index), id, [...undone, ...edges.slice(index + 1)]);
  });
  return { edges, states };
}

function expiringId(step: string, index: number): string {
  return `${step}$expiring${index}`;
}

function undoneId(step: string, index: number): string {
  return `${step}$undone${index}`;
}

function itemUndoneId(step: string, index: number): string {
  return `${step}$itemundone${index}`;
}

/** The group's failure, and the running catches inside it that are left with it. */
function failing(step: StepOutline, group: StepOutline): readonly ActionRef[] {
  const fail = assignment('fail', { step: group.step.id, source: { kind: 'timeout' } });
  return [fail, ...uncatch(catchesLeft(step, group.list))];
}

function failedRoute(group: StepOutline, actions: readonly ActionRef[]): Route {
  return { guard: null, target: `${group.step.id}$failed`, actions, kind: 'failure', label: 'timeout' };
}

function expiredEdge(
  group: StepOutline,
  at: { readonly leaf: string | null; readonly actions: readonly ActionRef[] },
): MachineEdge {
  const taken = guard('expired', { step: group.step.id, closed: at.leaf, open: null });
  return { ...failedRoute(group, at.actions), event: 'group.expired', guard: taken };
}

function drainEdge(group: StepOutline, target: string, open: string | null): MachineEdge {
  const taken = guard('expired', { step: group.step.id, closed: null, open });
  return { event: 'group.expired', guard: taken, target, actions: [], kind: 'failure', label: 'timeout' };
}

function drainStates(step: StepOutline, groups: readonly StepOutline[]): readonly MachineState[] {
  const id = step.step.id;
  const outer = expiriesWhileDraining(step);
  return groups.map((group, index) => {
    const actions = [assignment('record.settled', { step: id, ran: null }), ...failing(step, group)];
    const settled = guard('settled', { step: id, ok: null });
    const edges = (['effect.settled', 'step.settled'] as const).flatMap((event) =>
      edgesOf([failedRoute(group, actions)], { event, guard: settled }),
    );
    return drainState(expiringId(id, index), id, [...edges, ...outer.slice(index + 1)]);
  });
}

function drainState(id: string, step: string, edges: readonly MachineEdge[]): MachineState {
  const entry = [command('step.drain', { step })];
  return { id, kind: 'atomic', initial: null, states: [], entry, exit: [], edges, step, role: 'leaving' };
}
