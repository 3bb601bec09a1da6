import type { ActionRef, MachineEdge, MachineState } from '../model/machine.ts';
import { assignment, command, guard } from './kernel-names.ts';
import { branchAround, catchesLeft, isTimed, type ListOutline, type StepOutline, timedGroups } from './outline.ts';
import { branchEndId, edgesOf, type Route, uncatch } from './routes.ts';

/** What the timeouts of the groups around a step add to one state of it, and the states in which it drains then. */
export interface ExpiryStates {
  readonly edges: readonly MachineEdge[];
  readonly states: readonly MachineState[];
}

/** What may end a step from around it: the time of a group, or the branch that it stands in, which is not wanted any more. */
export interface Ender {
  readonly event: 'group.expired' | 'branches.stopped';
  readonly guard: 'expired' | 'halted';
  /** The group, or the parallel step of the branch. */
  readonly owner: StepOutline;
  readonly list: ListOutline;
}

/** What of it the states need in which a step drains. */
type Draining = Pick<Ender, 'event' | 'guard'> & { readonly owner: Pick<StepOutline, 'step'> };

/** All that may end a step, innermost first. */
export function endersOf(step: StepOutline): readonly Ender[] {
  return [...groupEnders(timedGroups(step)), ...branchEnder(step)];
}

/** The times of these groups. */
export function groupEnders(groups: readonly StepOutline[]): readonly Ender[] {
  return groups.map((owner) => ({ event: 'group.expired', guard: 'expired', owner, list: owner.list }));
}

/** The branch around a step, if there is one. */
export function branchEnder(step: StepOutline): readonly Ender[] {
  const list = branchAround(step);
  const owner = list?.owner ?? null;
  return list === null || owner === null ? [] : [{ event: 'branches.stopped', guard: 'halted', owner, list }];
}

/**
 * Lowers what may end a step that waits for the world, innermost first: nothing new starts, what is open settles, whatever
 * the outcome, then the failure `timeout` of the group, or the end of the branch.
 * @param canBeOpen whether the step may have something on its way that must settle first.
 */
export function lowerExpiries(step: StepOutline, canBeOpen: boolean): ExpiryStates {
  const id = step.step.id;
  const enders = endersOf(step);
  const edges = enders.flatMap((ender, index) => [
    ...(canBeOpen ? [drainEdge(ender, expiringId(id, index), id)] : []),
    endedEdge(step, ender, canBeOpen ? id : null),
  ]);
  return { edges, states: canBeOpen ? drainStates(step, enders) : [] };
}

/** A step that drains for a handler already: what is around it may end it all the same. */
export function expiriesWhileDraining(step: StepOutline): readonly MachineEdge[] {
  return endersOf(step).map((ender, index) => drainEdge(ender, expiringId(step.step.id, index), null));
}

/** A step that only a person can let go: nothing of it is open, so its group fails at once. */
export function expiriesWhileHeld(step: StepOutline): readonly MachineEdge[] {
  return endersOf(step).map((ender) => endedEdge(step, ender, null));
}

/** A group that is being undone when it is ended from around it: the undo is finished first. */
export function expiriesWhileUndoing(step: StepOutline): ExpiryStates {
  return expiriesOfUndo(step, { enders: endersOf(step), undoneId, left: uncatch([step.step.id]) });
}

/** An item that is being undone when its map, or what is around that, is ended. */
export function expiriesWhileItemUndone(step: StepOutline): ExpiryStates {
  const own = isTimed(step.step) ? groupEnders([step]) : [];
  return expiriesOfUndo(step, { enders: [...own, ...endersOf(step)], undoneId: itemUndoneId, left: [] });
}

/** An item of a lane that is being undone when its map is stopped: the undo is finished first. */
export function expiriesWhileLaneUndone({ step }: StepOutline, list: ListOutline): ExpiryStates {
  const { id } = step;
  const ending = `${list.id}$itemundone`;
  const stopped = { event: 'branches.stopped', guard: 'halted' } as const;
  const over: Route = { guard: null, target: branchEndId(list, 'stopped'), actions: [], kind: 'settle', label: null };
  const undone = edgesOf([over], { event: 'group.undone', guard: guard('undone', { step: list.id }) });
  return {
    edges: [drainEdge({ ...stopped, owner: { step } }, ending, null)],
    states: [drainState(ending, id, undone)],
  };
}

interface Undoing {
  readonly enders: readonly Ender[];
  readonly undoneId: (step: string, index: number) => string;
  readonly left: readonly ActionRef[];
}

function expiriesOfUndo(step: StepOutline, { enders, undoneId, left }: Undoing): ExpiryStates {
  const id = step.step.id;
  const edges = enders.map((ender, index) => drainEdge(ender, undoneId(id, index), null));
  const states = enders.map((ender, index) => {
    const route = endRoute(step, ender);
    const undone = edgesOf([{ ...route, actions: [...route.actions, ...left] }], {
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

/** Where a step goes that is ended: the group's failure, or the end of the branch; running catches inside are left with it. */
export function endRoute(step: StepOutline, { event, owner, list }: Ender): Route {
  const left: readonly ActionRef[] = uncatch(catchesLeft(step, list));
  if (event === 'branches.stopped')
    return { guard: null, target: branchEndId(list, 'stopped'), actions: left, kind: 'settle', label: null };
  const fail = assignment('fail', { step: owner.step.id, source: { kind: 'timeout' } });
  const actions = [fail, ...left];
  return { guard: null, target: `${owner.step.id}$failed`, actions, kind: 'failure', label: 'timeout' };
}

function endedEdge(step: StepOutline, ender: Ender, leaf: string | null): MachineEdge {
  const taken = guard(ender.guard, { step: ender.owner.step.id, closed: leaf, open: null });
  return { ...endRoute(step, ender), event: ender.event, guard: taken };
}

function drainEdge({ event, guard: type, owner }: Draining, target: string, open: string | null): MachineEdge {
  const taken = guard(type, { step: owner.step.id, closed: null, open });
  const [kind, label] = event === 'group.expired' ? (['failure', 'timeout'] as const) : (['settle', null] as const);
  return { event, guard: taken, target, actions: [], kind, label };
}

function drainStates(step: StepOutline, enders: readonly Ender[]): readonly MachineState[] {
  const id = step.step.id;
  const outer = expiriesWhileDraining(step);
  return enders.map((ender, index) => {
    const record = [assignment('record.settled', { step: id, ran: null })];
    const settled = guard('settled', { step: id, ok: null });
    const edges = (['effect.settled', 'step.settled'] as const).flatMap((event) =>
      edgesOf([endRoute(step, ender)], { event, guard: settled, actions: record }),
    );
    return drainState(expiringId(id, index), id, [...edges, ...outer.slice(index + 1)]);
  });
}

function drainState(id: string, step: string, edges: readonly MachineEdge[]): MachineState {
  const entry = [command('step.drain', { step })];
  return { id, kind: 'atomic', initial: null, states: [], entry, exit: [], edges, step, role: 'leaving' };
}
