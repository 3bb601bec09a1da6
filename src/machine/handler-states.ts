import type { Handler } from '../model/definition.ts';
import type { ActionRef, GuardRef, MachineEdge, MachineState } from '../model/machine.ts';
import { expiriesWhileDraining } from './expiry-states.ts';
import type { ComputationRef } from './kernel-names.ts';
import { assignment, both, command, type GuardParams, guard, SETTLING } from './kernel-names.ts';
import type { Outline, StepOutline } from './outline.ts';
import { branchAround, catchesLeft, handlerOwners, isLast } from './outline.ts';
import type { Route } from './routes.ts';
import { edgesOf, endOf, nextRoutes, uncatch, unhandledRoutes } from './routes.ts';

/** A handler that can take an event while a step is active. */
export interface Taker {
  /** Number among all takers of the step: names the leaving state. */
  readonly number: number;
  /** The step that declares it; null = the document. */
  readonly owner: StepOutline | null;
  readonly index: number;
  readonly handler: Handler;
}

/** What the handlers around a step add to it: edges of its active state, and states in which an open effect drains. */
export interface HandlerStates {
  readonly edges: readonly MachineEdge[];
  readonly states: readonly MachineState[];
}

/**
 * Lowers every handler that is in force at a step, innermost first. They are written out per step, because what is left
 * (running catches) and what must drain (this step's effect) is known here.
 * @param canBeOpen whether the step may have an effect that must settle before the handler's target (calls).
 */
export function lowerHandlers(outline: Outline, step: StepOutline, canBeOpen: boolean): HandlerStates {
  const parts = takersAt(outline, step).map((taker) => lowerTaker(outline, { step, taker, canBeOpen }));
  return { edges: parts.flatMap((part) => part.edges), states: parts.flatMap((part) => part.states) };
}

/** Every handler that is in force at a step, innermost first: those of its branch, and outside of any the document's. */
export function takersAt({ definition }: Outline, step: StepOutline): readonly Taker[] {
  const takers: Taker[] = [];
  const add = (owner: StepOutline | null, handlers: readonly Handler[]): void => {
    for (const [index, handler] of handlers.entries()) takers.push({ number: takers.length, owner, index, handler });
  };
  for (const owner of handlerOwners(step)) add(owner, owner.step.on);
  // The document's events are those of the way forward, and that is over in `finally`.
  if (branchAround(step) === null && !isLast(step)) add(null, definition.on ?? []);
  return takers;
}

/** The step that declares a handler; null = the document. */
export function idOf({ owner }: Taker): string | null {
  return owner === null ? null : owner.step.id;
}

/** A handler at a step where it is in force. */
export interface TakerAt {
  readonly step: StepOutline;
  readonly taker: Taker;
  readonly canBeOpen: boolean;
}

function lowerTaker(outline: Outline, at: TakerAt): HandlerStates {
  const { taker, step } = at;
  const { handler } = taker;
  const of: ComputationRef = { kind: 'handler', step: idOf(taker), index: taker.index };
  const set = assignment('set', { of });
  const fault = assignment('fail', { step: idOf(taker), source: { kind: 'fault', of, cause: false } });
  const targets = targetRoutes(outline, at);
  const failing = failingRoutes(at);
  const hasSet = handler.set.length > 0;
  const leaving = `${step.step.id}$leaving${taker.number}`;
  const drains = at.canBeOpen && (targets.length > 0 || hasSet);
  const edges: MachineEdge[] = [];
  const faulty = hasSet ? guard('faulty', { of }) : null;
  if (drains) {
    const open = taken(taker, true);
    const drain = (actions: readonly ActionRef[], extra: GuardRef | null): MachineEdge => ({
      event: 'handler.taken',
      guard: both(open, extra),
      target: leaving,
      actions,
      kind: 'handler',
      label: handler.event,
    });
    if (faulty !== null) edges.push(drain([fault], faulty));
    if (targets.length > 0) edges.push(drain([set, ...beforeLeaving(at)], null));
  }
  const closed = taken(taker, drains && targets.length > 0 ? false : null);
  if (faulty !== null)
    edges.push(...edgesOf(failing, { event: 'handler.taken', guard: both(closed, faulty), actions: [fault] }));
  if (targets.length === 0) {
    edges.push({
      event: 'handler.taken',
      guard: closed,
      target: null,
      actions: [set],
      kind: 'handler',
      label: handler.event,
    });
  } else {
    const actions = [set, ...beforeLeaving(at)];
    edges.push(...edgesOf(targets, { event: 'handler.taken', guard: closed, actions }));
  }
  return { edges, states: drains ? [leavingState(leaving, at, { targets, failing })] : [] };
}

function taken(taker: Taker, open: boolean | null): GuardRef {
  return guard('taken', { step: idOf(taker), handler: taker.index, open });
}

/** `then: fail` raises while the event is at hand. */
export function beforeLeaving(at: TakerAt): readonly ActionRef[] {
  if (at.taker.handler.then !== 'fail') return [];
  return [assignment('fail', { step: idOf(at.taker), source: { kind: 'handler' } })];
}

/** Where a handler leads; nowhere if it has no target. */
export function targetRoutes(outline: Outline, at: TakerAt): readonly Route[] {
  const { taker, step } = at;
  const { handler, owner } = taker;
  const label = handler.event;
  const route = { guard: null, kind: 'handler', label } as const;
  if (handler.next !== null && owner !== null) {
    const limit: Route = {
      guard: null,
      target: `${owner.step.id}$failed`,
      actions: [
        assignment('fail', { step: owner.step.id, source: { kind: 'limit', caught: false } }),
        ...uncatch(catchesLeft(step, owner.list)),
      ],
      kind: 'failure',
      label: 'limit',
    };
    const routes = nextRoutes(outline, { owner, from: step, next: handler.next, limit });
    return routes.map((next) => (next === limit ? next : { ...next, kind: 'handler' as const, label }));
  }
  if (handler.then === 'end') return [{ ...route, target: endOf(step), actions: uncatch(catchesLeft(step, null)) }];
  if (handler.then === 'cancel') return [{ ...route, target: SETTLING, actions: [assignment('end.cancelled', {})] }];
  if (handler.then === 'fail') return failingRoutes(at);
  return [];
}

/** A failure of a handler belongs to the step that declares it; of the document's, to no step: no clause takes it. */
export function failingRoutes(at: TakerAt): readonly Route[] {
  const { owner, handler } = at.taker;
  if (owner === null)
    return unhandledRoutes(at.step, catchesLeft(at.step, null)).map((route) => ({ ...route, label: handler.event }));
  const actions = uncatch(catchesLeft(at.step, owner.list));
  return [{ guard: null, target: `${owner.step.id}$failed`, actions, kind: 'failure', label: handler.event }];
}

/** Where the failure is looked for that is being routed at a step. */
export function failingIn(step: StepOutline): GuardParams['failing'] {
  const branch = branchAround(step);
  return branch === null ? {} : { in: branch.id };
}

/** Retries have stopped; what is in flight settles, whatever the outcome, then the handler's target. */
function leavingState(
  id: string,
  at: TakerAt,
  ways: { readonly targets: readonly Route[]; readonly failing: readonly Route[] },
): MachineState {
  const step = at.step.step.id;
  const settled = guard('settled', { step, ok: null });
  const actions = [assignment('record.settled', { step, ran: null })];
  const isFailing = both(settled, guard('failing', failingIn(at.step)));
  const edges = (['effect.settled', 'step.settled'] as const).flatMap((event) => [
    ...edgesOf(ways.failing, { event, guard: isFailing, actions }),
    ...(at.taker.handler.then === 'fail' ? [] : edgesOf(ways.targets, { event, guard: settled, actions })),
  ]);
  const expiries = expiriesWhileDraining(at.step);
  return {
    id,
    kind: 'atomic',
    initial: null,
    states: [],
    entry: [command('step.drain', { step })],
    exit: [],
    edges: [...edges, ...expiries],
    step,
    role: 'leaving',
  };
}
