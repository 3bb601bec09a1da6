import { assign, createMachine, enqueueActions } from 'xstate';
import { InvariantError, invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { IssuedCommand, KernelCommand, KernelEvent } from '../model/kernel.ts';
import type { ActionRef, Machine, MachineState } from '../model/machine.ts';
import type { KernelSnapshot, RunData } from '../model/run.ts';
import { ASSIGN_NAMES, applyAssign } from './assigns.ts';
import type { Turn } from './compute.ts';
import { raisedEvent } from './form/raised-event.ts';
import { withSettledActs } from './form/settled-acts.ts';
import { checkGuard, GUARD_NAMES } from './guards.ts';
import { assignment, type ComputationRef, RAISE } from './kernel-names.ts';
import { xstateConfig } from './xstate-config.ts';

/** What one event made of a machine. */
export interface KernelMove {
  readonly snapshot: KernelSnapshot;
  readonly commands: readonly IssuedCommand[];
  readonly changed: boolean;
  /** States entered and left in order, transient ones too. */
  readonly entered: readonly string[];
  readonly left: readonly string[];
}

/** XState behind our port: a pure function of a snapshot and an event. No actor is ever started. */
export interface Kernel {
  enter(data: RunData, turn: Turn): KernelMove;
  move(snapshot: KernelSnapshot, turn: Turn): KernelMove;
  /** What XState makes of a snapshot when it restores it. */
  restored(snapshot: KernelSnapshot): KernelSnapshot;
}

/** The parts of XState's own types that are used here. */
interface RawNode {
  readonly id: string;
}
interface RawSnapshot {
  readonly status: string;
  readonly error: unknown;
  readonly value: Json;
  readonly context: KernelContext;
  readonly children: JsonObject;
  readonly historyValue: Readonly<Record<string, readonly RawNode[]>>;
  readonly _nodes: readonly RawNode[];
}
interface KernelContext {
  readonly data: RunData;
  /** For the events that XState tells itself, which carry none. */
  readonly turn?: Turn;
}
interface RawMachine {
  transition(snapshot: RawSnapshot, event: RawEvent, scope: InertScope): RawSnapshot;
  getInitialSnapshot(scope: InertScope, input: RawInput): RawSnapshot;
  restoreSnapshot(snapshot: unknown, scope: InertScope): RawSnapshot;
}
interface RawInput {
  readonly turn: Turn;
  readonly data: RunData;
}
/** Ours carry the turn; XState's own first event carries it in its input. */
interface RawEvent {
  readonly type: string;
  readonly turn?: Turn;
  readonly input?: RawInput;
}
interface RawAction {
  readonly type: string;
  readonly params: JsonObject | undefined;
  readonly info: { readonly context: KernelContext };
}
interface Microstep {
  readonly type: string;
  readonly snapshot: RawSnapshot;
  readonly _transitions: readonly {
    readonly source: RawNode;
    readonly target?: readonly RawNode[];
    readonly reenter: boolean;
  }[];
}
type InertScope = ReturnType<typeof inertScope>;

/** XState takes `xstate.error.actor.*` that nothing handles as the end of the machine: no type but these reaches it. */
const EVENT_TYPES: ReadonlySet<string> = new Set(
  Object.keys({
    'effect.settled': true,
    'step.settled': true,
    'handler.taken': true,
    'event.received': true,
    'group.expired': true,
    'branches.stopped': true,
    'group.undone': true,
    'run.granted': true,
    'run.kept': true,
    'run.stopped': true,
    'run.settled': true,
    'run.undone': true,
    'run.closing': true,
    'step.retried': true,
    'run.reopened': true,
  } satisfies Record<KernelEvent['type'], true>),
);

/** XState's functions that are used; tests give those of its other builds. */
export interface XStateLibrary {
  readonly assign: unknown;
  readonly createMachine: unknown;
  readonly enqueueActions: unknown;
}

/** A machine as XState's own object; only this file and its tests look inside. */
export function xstateMachine(
  machine: Machine,
  library: XStateLibrary = { assign, createMachine, enqueueActions },
): unknown {
  const config = { ...xstateConfig(machine), context: ({ input }: { input: RawInput }) => input };
  const create = library.createMachine as (config: unknown, implementations: unknown) => unknown;
  return create(config, implementations(library));
}

/** Compiles a machine for XState, once per version. */
export function createKernel(machine: Machine, library?: XStateLibrary): Kernel {
  const raw = xstateMachine(machine, library) as RawMachine;
  const first = initialIds(machine.root);
  return {
    enter: (data, turn) => {
      const walk = new Walk([]);
      // XState tells nobody of its first microstep: what it enters is known beforehand.
      walk.follow(first, []);
      return walk.finish(raw.getInitialSnapshot(inertScope(walk), { turn, data }));
    },
    move: (snapshot, turn) => {
      invariant(turn.event !== null && EVENT_TYPES.has(turn.event.type), 'no event of the kernel', {
        type: turn.event?.type ?? null,
      });
      const before = restore(raw, { ...snapshot, data: withSettledActs(turn, snapshot.data) }, turn);
      const walk = new Walk(idsOf(before._nodes));
      const after = raw.transition(before, { type: turn.event.type, turn }, inertScope(walk));
      // A machine may take an event and do nothing: then nobody else takes it.
      const isTaken = after !== before || (turn.event.type === 'event.received' && walk.isTaken);
      return isTaken ? walk.finish(after) : { snapshot, commands: [], changed: false, entered: [], left: [] };
    },
    restored: (snapshot) => persist(restore(raw, snapshot)),
  };
}

function idsOf(nodes: readonly RawNode[]): readonly string[] {
  return nodes.map((node) => node.id);
}

/** The guards and data actions of the closed list as XState wants them; commands have no implementation on purpose. */
function implementations(library: XStateLibrary): { readonly guards: object; readonly actions: object } {
  const assigning = library.assign as (change: unknown) => unknown;
  const enqueueing = library.enqueueActions as (collect: unknown) => unknown;
  const guards = GUARD_NAMES.map((type) => {
    const check = ({ context, event }: Given, params: JsonObject): boolean =>
      checkGuard(turnOf(event, context), context.data, { type, params });
    return [type, check] as const;
  });
  const actions = ASSIGN_NAMES.map((type) => {
    const change = ({ context, event }: Given, params: JsonObject): KernelContext => ({
      data: applyAssign(turnOf(event, context), context.data, { type, params }),
    });
    return [type, assigning(change)] as const;
  });
  return {
    guards: Object.fromEntries(guards),
    actions: { ...Object.fromEntries(actions), [RAISE]: enqueueing(raised) },
  };
}

interface Given {
  readonly context: KernelContext;
  readonly event: RawEvent;
}
interface Enqueue {
  (action: ActionRef): void;
  raise(event: RawEvent): void;
}

/** Tells the machine an event of its own; one that cannot be computed is a failure. */
function raised(
  { context, event, enqueue }: Given & { readonly enqueue: Enqueue },
  { of }: { of: ComputationRef },
): void {
  const turn = turnOf(event, context);
  const told = raisedEvent(turn, context.data, of);
  if (told === 'fault') enqueue(assignment('fail', { step: null, source: { kind: 'fault', of, cause: false } }));
  else if (told !== null) enqueue.raise({ type: told.type, turn: { ...turn, event: told, memo: new Map() } });
}

function turnOf(event: RawEvent, context: KernelContext): Turn {
  const turn = event.turn ?? event.input?.turn ?? context.turn;
  invariant(turn !== undefined, 'an event without its turn', { type: event.type });
  return turn;
}

/**
 * Restores position and history. The data never passes through XState, which walks it and turns what looks like an actor
 * (`xstate$$type`) into undefined: it is put in afterwards.
 */
function restore(raw: RawMachine, snapshot: KernelSnapshot, turn?: Turn): RawSnapshot {
  const bare = { status: 'active', value: snapshot.value, context: {}, children: {}, historyValue: snapshot.history };
  return {
    ...raw.restoreSnapshot(bare, inertScope(new Walk([]))),
    context: { data: snapshot.data, ...(turn === undefined ? {} : { turn }) },
  };
}

function persist(raw: RawSnapshot): KernelSnapshot {
  const history = Object.entries(raw.historyValue).map(
    ([id, nodes]) => [id, nodes.map((node) => ({ id: node.id }))] as const,
  );
  return { value: raw.value, data: raw.context.data, history: Object.fromEntries(history) };
}

/** The states that are entered at the very first, each before what is in it. */
function initialIds(state: MachineState): readonly string[] {
  const first = state.states.filter((child) => state.kind === 'parallel' || child.id === state.initial);
  return [state.id, ...first.filter(({ kind }) => kind !== 'history').flatMap(initialIds)];
}

/** What happens on the way through a macrostep: commands, and states left and entered. */
class Walk {
  readonly commands: IssuedCommand[] = [];
  /** Whether a transition was taken, even if it changes nothing. */
  isTaken = false;
  readonly #entered: string[] = [];
  readonly #left: string[] = [];
  #ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /** An action without implementation is a command; XState resolves all others itself. */
  issue(action: RawAction): void {
    const command = { type: action.type, ...action.params } as unknown as KernelCommand;
    this.commands.push({ command, data: action.info.context.data });
  }

  step(microstep: Microstep): void {
    if (microstep.type !== '@xstate.microstep') return;
    if (microstep._transitions.length > 0) this.isTaken = true;
    const again = microstep._transitions.flatMap((taken) => (taken.reenter ? (taken.target ?? []) : []));
    this.follow(idsOf(microstep.snapshot._nodes), idsOf(again));
  }

  follow(ids: readonly string[], again: readonly string[]): void {
    const before = this.#ids;
    for (const id of before.toReversed()) if (!ids.includes(id) || again.includes(id)) this.#left.push(id);
    for (const id of ids) if (!before.includes(id) || again.includes(id)) this.#entered.push(id);
    this.#ids = ids;
  }

  /** @throws PAWL_INVARIANT when XState gave up: an error in the kernel's own code, or children that nobody asked for. */
  finish(raw: RawSnapshot): KernelMove {
    if (raw.status !== 'active') throw new InvariantError('the kernel gave up', { status: raw.status }, raw.error);
    invariant(Object.keys(raw.children).length === 0, 'the kernel has started an actor');
    this.follow(idsOf(raw._nodes), []);
    return { snapshot: persist(raw), commands: this.commands, changed: true, entered: this.#entered, left: this.#left };
  }
}

/**
 * What XState calls an actor scope, with nothing behind it: the public `transition` builds a whole actor for it at every
 * call and computes the initial snapshot again, which costs several times the transition itself.
 */
function inertScope(walk: Walk) {
  const nothing = (): void => {};
  const self = { id: '', sessionId: '' };
  const system = { _sendInspectionEvent: (event: Microstep) => walk.step(event) };
  return {
    self,
    system,
    id: '',
    sessionId: '',
    defer: nothing,
    logger: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: (action: RawAction) => walk.issue(action),
  };
}
