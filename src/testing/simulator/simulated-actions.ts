import { setMaxListeners } from 'node:events';
import type { EffectRequest } from '../../model/effect.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import type { ActionAdapter, SendOrder } from '../../ports/action-adapter.ts';
import type { IncomingCall, Reaction } from '../provider/desk.ts';
import { answered } from './answered.ts';
import type { FaultPlan, WireFate } from './fault-plan.ts';
import type { ProviderClass, SimulatedProvider } from './simulated-provider.ts';
import type { Owner, World } from './world.ts';

/** The wires between a simulated process and the provider. */
export interface Wires {
  readonly world: World;
  readonly owner: Owner;
  readonly plan: FaultPlan;
  readonly provider: SimulatedProvider;
  classOf(operation: string): ProviderClass;
  /** Told of each request in the instant in which its first byte leaves. */
  onByte(order: SendOrder): void;
}

type Carry = () => Reaction;

/** Half of `settlesWithin` is for the way; see the provider for the rest. */
const WAY_SHARE = 0.45;

function broken(byteWritten: boolean, reason: string): AttemptReport {
  return { kind: 'broken', byteWritten, reason };
}

/** What a reaction looks like from here; null = nothing comes. */
function reportOf(reaction: Reaction): AttemptReport | null {
  switch (reaction.kind) {
    case 'answer':
      return answered(reaction.status, reaction.body, reaction.retryAfterSeconds);
    case 'page':
      return answered(200, undefined);
    case 'lost':
      return broken(true, 'the connection was reset');
    case 'silence':
      return null;
  }
}

function isRefusal(reaction: Reaction): boolean {
  return reaction.kind === 'answer' && reaction.status >= 400;
}

/** The path and query of a request's address. */
export function addressOf(request: EffectRequest): URL {
  return new URL(request.url ?? 'http://provider/');
}

/** One exchange: there, back, or not; never longer than its timeout. */
function exchange(
  wires: Wires,
  fate: Exclude<WireFate, { kind: 'unreachable' }>,
  way: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly carry: Carry },
): Promise<AttemptReport> {
  const { world, owner } = wires;
  return new Promise((resolve) => {
    const end = (report: AttemptReport): void => {
      cancel();
      way.signal.removeEventListener('abort', abort);
      resolve(report);
    };
    const abort = (): void => end(broken(true, 'aborted'));
    const cancel = world.after(way.timeoutMs, owner, () => end(broken(true, 'timeout')));
    setMaxListeners(0, way.signal);
    way.signal.addEventListener('abort', abort, { once: true });
    if (fate.kind === 'silent') {
      if (fate.thereMs !== null) world.after(fate.thereMs, null, () => void way.carry());
      if (fate.brokenAfterMs !== null) world.after(fate.brokenAfterMs, owner, () => end(broken(true, 'reset')));
      return;
    }
    world.after(fate.thereMs, null, () => {
      const report = reportOf(way.carry());
      if (report !== null) world.after(fate.backMs, owner, () => end(report));
    });
  });
}

/** The time of a turn on the process's own way to the socket. */
function turn(wires: Wires): Promise<void> {
  return new Promise((resolve) => {
    wires.world.after(wires.world.random.next(), wires.owner, resolve);
  });
}

function callOf(order: SendOrder): IncomingCall {
  const { key, queue } = order.effect;
  // What a remote worker carries out has no address: the name of the action says it.
  const path = queue === undefined ? addressOf(order.request).pathname : `/${order.contract.name.replace(/^do\./, '')}`;
  const kind = order.contract.idempotency?.kind;
  const hasKey = kind === 'header' || kind === 'field' || kind === 'key';
  return {
    operation: path.slice(1),
    path,
    key: hasKey ? key : null,
    effect: key,
    attempt: order.attempt,
    fence: order.fence,
    request: order.request.body,
  };
}

/** What touches the simulated world: the same promises as the real adapter, over wires that can break. */
export function createSimulatedActions(wires: Wires): ActionAdapter {
  const { plan, provider, world } = wires;
  return {
    missing: () => [],
    token: async () => ({ kind: 'token', token: 'token', isRemembered: false }),
    forgetToken: () => undefined,
    send: async (order, _secrets, gate, signal) => {
      const call = callOf(order);
      const { settlesWithinMs, keys } = wires.classOf(call.operation);
      const fate = plan.wireFate(settlesWithinMs * WAY_SHARE);
      await turn(wires);
      if (signal.aborted) return broken(false, 'aborted');
      if (fate.kind === 'unreachable') return broken(false, 'connection refused');
      if (!gate()) return { kind: 'unsent', reason: 'the seat has no time left' };
      wires.onByte(order);
      const carry = (): Reaction => {
        const isDoubled = keys === 'honoured' && plan.isDoubled();
        const reaction = provider.receive(call);
        // Whoever sends a copy on its own account takes a refusal for an answer, as everybody else does.
        if (isDoubled && !isRefusal(reaction)) world.after(world.random.next(), null, () => provider.receive(call));
        return reaction;
      };
      return exchange(wires, fate, { timeoutMs: order.timeoutMs, signal, carry });
    },
    query: async (order, _secrets, signal) => {
      const url = addressOf(order.request);
      const fate = plan.wireFate(order.timeoutMs);
      await turn(wires);
      if (fate.kind === 'unreachable') return broken(false, 'connection refused');
      const carry = (): Reaction => ({
        kind: 'answer',
        status: 200,
        body: provider.look(url.pathname, url.searchParams),
      });
      return exchange(wires, fate, { timeoutMs: order.timeoutMs, signal, carry });
    },
    read: async (order, _secrets, signal) => {
      const fate = plan.wireFate(order.timeoutMs);
      await turn(wires);
      if (fate.kind === 'unreachable') return broken(false, 'connection refused');
      const carry = (): Reaction => ({ kind: 'answer', status: 200, body: { read: order.step } });
      return exchange(wires, fate, { timeoutMs: order.timeoutMs, signal, carry });
    },
  };
}
