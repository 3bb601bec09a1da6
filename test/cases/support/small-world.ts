import type { HistoryView } from '../../../src/engine/history-view.ts';
import type { RunView } from '../../../src/engine/run-view.ts';
import { createVersionCache, type LoadedVersion } from '../../../src/engine/version-cache.ts';
import type { Digest } from '../../../src/model/ids.ts';
import type { Json } from '../../../src/model/json.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import { type MemoryStore, openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import type { ScriptWord } from '../../../src/testing/provider/script.ts';
import { createRandom } from '../../../src/testing/random.ts';
import type { FaultPlan, WireFate } from '../../../src/testing/simulator/fault-plan.ts';
import { createFaultyStore } from '../../../src/testing/simulator/faulty-store.ts';
import { createSimulatedActions } from '../../../src/testing/simulator/simulated-actions.ts';
import { createSimulatedIds } from '../../../src/testing/simulator/simulated-ids.ts';
import { type SimulatedProcess, startSimulatedProcess } from '../../../src/testing/simulator/simulated-process.ts';
import { createSimulatedProvider, type ProviderClass } from '../../../src/testing/simulator/simulated-provider.ts';
import { createWorld, type World } from '../../../src/testing/simulator/world.ts';

/** Database time at which every small world begins. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);
/** The lease of its processes, as in production. */
export const LEASE_MS = 30_000;

const NEAR = { kind: 'answered', thereMs: 1, backMs: 1 } as const satisfies WireFate;

/** What a case does to the world of its story. */
export interface Script {
  /** Fate of the next sending, by operation; left out: there and back in 2 ms. */
  wire?(operation: string): WireFate;
  /** What the provider does with a call; left out: ok. */
  word?(operation: string): ScriptWord;
  /** Told in the instant in which a first byte leaves. */
  onByte?(operation: string): void;
  /** What the provider promises; left out: keys are honoured for a day. */
  readonly provider?: Partial<ProviderClass>;
}

/** Real engine and worker over a world whose time only the case moves; nothing goes wrong but what the case says. */
export interface SmallWorld {
  readonly world: World;
  readonly store: MemoryStore;
  /** What the case may change while it is told. */
  readonly script: Script;
  /** A process without a worker, by which people and senders come in. */
  readonly desk: SimulatedProcess;
  /** Starts a process with a worker. */
  worker(): SimulatedProcess;
  /** Publishes a workflow and starts a run of it, decided by a process without a worker. */
  begin(text: string, input?: Json): Promise<string>;
  /** Has the world go on until an act has its answer. */
  during<T>(act: Promise<T>): Promise<T>;
  show(run: string): Promise<RunView>;
  history(run: string): Promise<HistoryView>;
  /** Time of the database since the world began, milliseconds. */
  elapsedMs(): number;
  /** Time passes, milliseconds. */
  pass(ms: number): Promise<void>;
  /** The database's clock is stepped while nothing happens, milliseconds. */
  stepClock(ms: number): void;
  /** What really happened, in order. */
  happened(): readonly string[];
  /** What processes have logged, by event. */
  readonly logged: string[];
}

/** A world in which nothing goes wrong by itself. */
function quietPlan(wire: () => WireFate): FaultPlan {
  return {
    callFate: () => NEAR,
    wireFate: wire,
    isDoubled: () => false,
    comes: () => false,
    heal: () => undefined,
    isHealed: () => true,
  };
}

/** Opens a world for one case. */
export function openSmallWorld(script: Script = {}): SmallWorld {
  const random = createRandom(1);
  const world = createWorld(random);
  const compiled = new Map<Digest, LoadedVersion>();
  let offsetMs = 0;
  const clock = { nowMs: (): number => EPOCH_MS + Math.floor(world.nowMs() + offsetMs) };
  const store = openMemoryStore({ clock, parts: 1, leaseMs: LEASE_MS });
  const classOf = (): ProviderClass => ({
    keys: 'honoured',
    remembersMs: 86_400_000,
    settlesWithinMs: 4_000,
    ...script.provider,
  });
  const choose = ({ operation }: { readonly operation: string }): ScriptWord =>
    script.word?.(operation) ?? { kind: 'ok' };
  const provider = createSimulatedProvider({ world, classOf, choose });
  const logged: string[] = [];
  let born = 0;

  const start = (hasWorker: boolean): SimulatedProcess => {
    born += 1;
    let operation = '';
    const plan = quietPlan(() => script.wire?.(operation) ?? NEAR);
    return startSimulatedProcess({
      world,
      name: `process-${born}`,
      numbers: numbersFor(LEASE_MS),
      ids: createSimulatedIds(random, born),
      versions: createVersionCache(store, compiled),
      hasWorker,
      onDeath: () => undefined,
      storeFor: (owner) => createFaultyStore(store, { world, owner, plan, onCommit: () => undefined }),
      actionsFor: (owner) => {
        const onByte = ({ request }: { readonly request: { readonly url: string | null } }): void =>
          script.onByte?.(operationOf(request.url));
        const actions = createSimulatedActions({ world, owner, plan, provider, classOf, onByte });
        return {
          ...actions,
          send: (order, secrets, gate, signal) => {
            operation = operationOf(order.request.url);
            return actions.send(order, secrets, gate, signal);
          },
        };
      },
      onLog: (_process, event) => void logged.push(event),
    });
  };
  const desk = start(false);

  const during = async <T>(act: Promise<T>): Promise<T> => {
    let settled = false;
    const note = (): void => {
      settled = true;
    };
    act.then(note, note);
    await world.run(() => settled, world.nowMs() + 60_000);
    return act;
  };
  return {
    world,
    store,
    script,
    logged,
    desk,
    during,
    worker: () => start(true),
    begin: async (text, input = {}) => {
      const { version } = await during(desk.verbs.publish({ text, file: 'case.pawl.yaml', by: 'author' }));
      const { run } = await during(desk.verbs.start({ ...version, input, by: 'starter' }));
      return run.runId;
    },
    show: (run) => during(desk.verbs.show(run)),
    history: (run) => during(desk.verbs.history(run)),
    elapsedMs: () => clock.nowMs() - EPOCH_MS,
    pass: async (ms) => {
      await world.run(() => false, world.nowMs() + ms);
    },
    stepClock: (ms) => {
      offsetMs += ms;
    },
    happened: () => provider.book.entries.map(({ operation }) => operation),
  };
}

function operationOf(url: string | null): string {
  return new URL(url ?? 'http://provider/').pathname.slice(1);
}
