import type { MapStep } from '../model/definition.ts';
import type { MachineEdge, MachineState } from '../model/machine.ts';
import { expiriesWhileItemUndone } from './expiry-states.ts';
import type { ItemsVerdict } from './items.ts';
import { assignment, command, type ComputationRef, guard } from './kernel-names.ts';
import { bodyListId, type Outline, type StepOutline } from './outline.ts';
import { edgesOf, exitRoutes, firstOf, type Route } from './routes.ts';
import { done, faultEdge, plainState } from './state-parts.ts';

/** Computes the items once: two with one key are a failure before any begins (V12). */
export function mapState(step: StepOutline, { id }: MapStep): MachineState {
  const of: ComputationRef = { kind: 'items', step: id };
  const list = bodyListId(id, 'item');
  const twice = failed(id, { guard: guard('duplicated', { of }), source: { kind: 'duplicate-item', of } });
  const begun = assignment('items.enter', { step: id, list });
  const enter: Route = { guard: null, target: nextId(id), actions: [begun], kind: 'branch', label: null };
  return {
    ...plainState(id, id, 'active'),
    edges: [...faultEdge(step, of), ...edgesOf([twice, enter], { event: null })],
  };
}

/** What stands in the list beside its steps, so that the time of the map goes on between two items. */
export function itemStates(outline: Outline, step: StepOutline, map: MapStep): readonly MachineState[] {
  const { id } = map;
  const list = bodyListId(id, 'item');
  const ended = assignment('item.end', { step: id, list });
  const toNext: Route = { guard: null, target: nextId(id), actions: [], kind: 'jump', label: null };
  return [
    nextState(outline, step, map),
    { ...plainState(`${id}$itemed`, id, 'gate'), edges: edgesOf([toNext], { event: null, actions: [ended] }) },
    ...lostStates(step, map, toNext),
  ];
}

function nextState(outline: Outline, step: StepOutline, map: MapStep): MachineState {
  const { id } = map;
  const list = bodyListId(id, 'item');
  const of: ComputationRef = { kind: 'item', step: id };
  const is = (verdict: ItemsVerdict) => guard('itemsAre', { step: id, list, is: verdict });
  const begin: Route = {
    guard: null,
    target: firstOf({ id: list, steps: map.steps }),
    actions: [assignment('item.begin', { step: id, list })],
    kind: 'branch',
    label: 'each',
  };
  return {
    ...plainState(nextId(id), id, 'gate'),
    edges: [
      ...edgesOf(exitRoutes(outline, step), { event: null, guard: is('won'), actions: [done(step, 'items')] }),
      ...edgesOf([failed(id, { guard: is('lost'), source: { kind: 'items' } })], { event: null }),
      ...faultEdge(step, of),
      ...edgesOf([begin], { event: null }),
    ],
  };
}

/** An item has failed. What it has done is undone before the next one begins, unless all is undone anyway or `keep` is said (R08). */
function lostStates(step: StepOutline, map: MapStep, toNext: Route): readonly MachineState[] {
  const { id } = map;
  const list = bodyListId(id, 'item');
  const lost = `${id}$itemlost`;
  if (map.losers === 'keep') return [{ ...plainState(lost, id, 'gate'), edges: edgesOf([toNext], { event: null }) }];
  const undoing = `${id}$itemundo`;
  const whole = guard('itemsAre', { step: id, list, is: 'lost' });
  const undo: Route = { guard: null, target: undoing, actions: [], kind: 'compensation', label: null };
  const expiries = expiriesWhileItemUndone(step);
  const undone: readonly MachineEdge[] = edgesOf([toNext], {
    event: 'group.undone',
    guard: guard('undone', { step: id }),
  });
  return [
    { ...plainState(lost, id, 'gate'), edges: edgesOf([{ ...toNext, guard: whole }, undo], { event: null }) },
    {
      ...plainState(undoing, id, 'undoing'),
      entry: [command('item.undo', { step: id })],
      edges: [...undone, ...expiries.edges],
    },
    ...expiries.states,
  ];
}

function nextId(step: string): string {
  return `${step}$next`;
}

function failed(
  step: string,
  by: Pick<Route, 'guard'> & { readonly source: Parameters<typeof assignment<'fail'>>[1]['source'] },
): Route {
  const actions = [assignment('fail', { step, source: by.source })];
  return { guard: by.guard, target: `${step}$failed`, actions, kind: 'failure', label: null };
}
