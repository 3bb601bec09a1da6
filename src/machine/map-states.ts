import type { MapStep } from '../model/definition.ts';
import type { GuardRef, MachineEdge, MachineState } from '../model/machine.ts';
import { branchesId } from './branch-states.ts';
import { type ExpiryStates, expiriesWhileItemUndone, expiriesWhileLaneUndone } from './expiry-states.ts';
import type { ItemsVerdict } from './items.ts';
import { assignment, command, type ComputationRef, guard } from './kernel-names.ts';
import { bodyListId, isLaneList, itemsPrefix, type ListOutline, type Outline, type StepOutline } from './outline.ts';
import { branchEndId, edgesOf, exitRoutes, firstOf, type Route } from './routes.ts';
import { done, faultEdge, plainState } from './state-parts.ts';

/** Computes the items once: two with one key are a failure before any begins (V12). */
export function mapState(step: StepOutline, { id, lanes }: MapStep): MachineState {
  const of: ComputationRef = { kind: 'items', step: id };
  const list = itemsList(id);
  const twice = failed(id, { guard: guard('duplicated', { of }), source: { kind: 'duplicate-item', of } });
  const begun = assignment('items.enter', { step: id, list });
  const first = lanes === undefined ? nextId(list) : branchesId(id);
  const enter: Route = { guard: null, target: first, actions: [begun], kind: 'branch', label: null };
  return {
    ...plainState(id, id, 'active'),
    edges: [...faultEdge(step, of), ...edgesOf([twice, enter], { event: null })],
  };
}

/** What stands in the list beside its steps, so that the time of the map goes on between two items. */
export function itemStates(outline: Outline, step: StepOutline, map: MapStep): readonly MachineState[] {
  const list = itemsList(map.id);
  return [
    nextState(outline, step, map),
    itemedState(map, list),
    ...lostStates(map, { list, expiries: expiriesWhileItemUndone(step) }),
  ];
}

/**
 * What stands in a lane beside the steps of its item. Free transitions of all lanes are taken on the same data: whoever takes
 * the next item claims it in an action first, and asks in a second state whether it got one, else two would begin the last.
 */
export function laneStates(step: StepOutline, map: MapStep, list: ListOutline): readonly MachineState[] {
  const { id } = map;
  const over: Route = { guard: null, target: branchEndId(list, 'succeeded'), actions: [], kind: 'next', label: null };
  const claim: Route = {
    guard: guard('claimable', { step: id }),
    target: `${list.id}$asked`,
    actions: [assignment('item.claim', { step: id, list: list.id })],
    kind: 'next',
    label: null,
  };
  return [
    { ...plainState(nextId(list.id), id, 'gate'), edges: edgesOf([claim, over], { event: null }) },
    { ...plainState(`${list.id}$asked`, id, 'gate'), edges: askedEdges(map, list, over) },
    itemedState(map, list.id),
    ...lostStates(map, { list: list.id, expiries: expiriesWhileLaneUndone(step, list) }),
    ...(['succeeded', 'stopped'] as const).map((as) => ({
      ...plainState(branchEndId(list, as), id, 'over'),
      entry: [assignment('lane.end', { step: id, list: list.id })],
    })),
  ];
}

/** An item that cannot be computed any more has failed, like one that fails in its steps. */
function askedEdges({ id }: MapStep, list: ListOutline, over: Route): readonly MachineEdge[] {
  const of: ComputationRef = { kind: 'item', step: id, list: list.id };
  const first = list.steps[0]?.id ?? null;
  const fault: Route = {
    guard: guard('faulty', { of }),
    target: `${list.id}$itemlost`,
    actions: [
      assignment('fail', { step: first, source: { kind: 'fault', of, cause: false } }),
      assignment('item.end', { step: id, list: list.id, crossed: [] }),
    ],
    kind: 'failure',
    label: null,
  };
  const none: Route = { ...over, guard: guard('idle', { list: list.id }) };
  return edgesOf([none, fault, beginRoute(id, list)], { event: null });
}

function beginRoute(id: string, list: Pick<ListOutline, 'id' | 'steps'>): Route {
  return {
    guard: null,
    target: firstOf(list),
    actions: [assignment('item.begin', { step: id, list: list.id })],
    kind: 'branch',
    label: 'each',
  };
}

/** An item has succeeded. */
function itemedState({ id }: MapStep, list: string): MachineState {
  const ended = assignment('item.end', { step: id, list });
  return {
    ...plainState(`${itemsPrefix(list)}$itemed`, id, 'gate'),
    edges: edgesOf([toNext(list)], { event: null, actions: [ended] }),
  };
}

function toNext(list: string): Route {
  return { guard: null, target: nextId(list), actions: [], kind: 'jump', label: null };
}

function nextState(outline: Outline, step: StepOutline, map: MapStep): MachineState {
  const { id } = map;
  const list = itemsList(id);
  const of: ComputationRef = { kind: 'item', step: id };
  const is = (verdict: ItemsVerdict) => isNow(id, verdict);
  const begin = beginRoute(id, { id: list, steps: map.steps });
  return {
    ...plainState(nextId(list), id, 'gate'),
    edges: [
      ...edgesOf(exitRoutes(outline, step), { event: null, guard: is('won'), actions: [done(step, 'items')] }),
      ...edgesOf([failed(id, { guard: is('lost'), source: { kind: 'items' } })], { event: null }),
      ...faultEdge(step, of),
      ...edgesOf([begin], { event: null }),
    ],
  };
}

/** An item has failed. What it has done is undone before the next one begins, unless all is undone anyway or `keep` is said (R08). */
function lostStates(
  map: MapStep,
  { list, expiries }: { readonly list: string; readonly expiries: ExpiryStates },
): readonly MachineState[] {
  const { id } = map;
  const lost = `${itemsPrefix(list)}$itemlost`;
  const next = toNext(list);
  if (map.losers === 'keep') return [{ ...plainState(lost, id, 'gate'), edges: edgesOf([next], { event: null }) }];
  const undoing = `${itemsPrefix(list)}$itemundo`;
  const undo: Route = { guard: null, target: undoing, actions: [], kind: 'compensation', label: null };
  const undone: readonly MachineEdge[] = edgesOf([next], {
    event: 'group.undone',
    guard: guard('undone', { step: itemUndoOf(id, list) }),
  });
  const undoes = isLaneList(list) ? { step: id, list } : { step: id };
  return [
    {
      ...plainState(lost, id, 'gate'),
      edges: edgesOf([{ ...next, guard: isNow(id, 'lost') }, undo], { event: null }),
    },
    {
      ...plainState(undoing, id, 'undoing'),
      entry: [command('item.undo', undoes)],
      edges: [...undone, ...expiries.edges],
    },
    ...expiries.states,
  ];
}

function isNow(id: string, is: ItemsVerdict): GuardRef {
  return guard('itemsAre', { step: id, list: itemsList(id), is });
}

/** Under which name what an item has done is undone: that of its map, or of its lane where several may be at it. */
export function itemUndoOf(step: string, list: string): string {
  return isLaneList(list) ? list : step;
}

/** The list that a map's items are counted by. */
function itemsList(step: string): string {
  return bodyListId(step, 'item');
}

/** The state in which it is seen whether there is another item. */
export function nextId(list: string): string {
  return `${itemsPrefix(list)}$next`;
}

function failed(
  step: string,
  by: Pick<Route, 'guard'> & { readonly source: Parameters<typeof assignment<'fail'>>[1]['source'] },
): Route {
  const actions = [assignment('fail', { step, source: by.source })];
  return { guard: by.guard, target: `${step}$failed`, actions, kind: 'failure', label: null };
}
