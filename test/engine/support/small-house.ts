import type { Verbs } from '../../../src/app/verbs.ts';
import { createVersionCache } from '../../../src/engine/version-cache.ts';
import type { Json } from '../../../src/model/json.ts';
import type { LogEvent } from '../../../src/model/log-events.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { AttemptReport } from '../../../src/model/outcome.ts';
import type { TokenAnswer, TokenGrant } from '../../../src/model/token-grant.ts';
import type {
  ActionAdapter,
  QueryOrder,
  ReadOrder,
  SecretHeaders,
  SendOrder,
} from '../../../src/ports/action-adapter.ts';
import type { Links } from '../../../src/ports/links.ts';
import type { Publisher } from '../../../src/ports/publisher.ts';
import type { Store } from '../../../src/ports/store.ts';
import { type MemoryStore, type MemoryStoreOptions, openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { createRandom } from '../../../src/testing/random.ts';
import { answered } from '../../../src/testing/simulator/answered.ts';
import { createSimulatedIds } from '../../../src/testing/simulator/simulated-ids.ts';
import { type SimulatedProcess, startSimulatedProcess } from '../../../src/testing/simulator/simulated-process.ts';
import { createWorld, type World } from '../../../src/testing/simulator/world.ts';
import { type WatchedStore, watchStore } from './watched-store.ts';

/** How long a test lets a world run before it says that what it waits for does not come, milliseconds of that world. */
const PATIENCE_MS = 600_000;
/** The database's time when a world begins. */
export const BEGIN_MS = Date.UTC(2030, 0, 1);

/** What the world outside does; a promise that never settles is an answer that never comes. */
export interface Outside {
  send?(order: SendOrder, secrets: SecretHeaders): AttemptReport | Promise<AttemptReport>;
  query?(order: QueryOrder): AttemptReport | Promise<AttemptReport>;
  read?(order: ReadOrder): AttemptReport | Promise<AttemptReport>;
  token?(grant: TokenGrant): TokenAnswer;
  forgetToken?(grant: TokenGrant): void;
}

/** An answer that never comes. */
export const NEVER = new Promise<never>(() => undefined);

/** A process of a small house, with a window into what it asks of the store. */
export interface SmallProcess extends SimulatedProcess {
  readonly watched: WatchedStore;
  readonly logged: readonly { readonly event: LogEvent; readonly facts: Readonly<Record<string, unknown>> }[];
}

/** Real processes over a store in memory, in a world whose time passes only while a test waits: no server, no sockets, no waiting. */
export interface SmallHouse {
  readonly store: MemoryStore;
  readonly world: World;
  process(options: {
    readonly works: boolean;
    readonly outside?: Outside;
    readonly store?: Store;
    readonly publisher?: Publisher;
    readonly links?: Links | null;
  }): SmallProcess;
  /** Lets time pass until it holds. @throws when it does not come to that. */
  until(condition: () => boolean): Promise<void>;
  /** Lets time pass until this is settled. */
  settled<T>(promise: Promise<T>): Promise<T>;
  /** Publishes a workflow and starts a run of it. @returns the run's id. */
  begin(verbs: Verbs, text: string, input?: Json): Promise<string>;
}

const ok = (): AttemptReport => answered(200, { id: 'x-1' });
const fresh = (): TokenAnswer => ({ kind: 'token', token: 'token', isRemembered: false });

function actionsOf({
  send = ok,
  query = ok,
  read = ok,
  token = fresh,
  forgetToken = () => undefined,
}: Outside): ActionAdapter {
  return {
    missing: () => [],
    token: async (grant) => token(grant),
    forgetToken,
    send: async (order, secrets) => send(order, secrets),
    query: async (order) => query(order),
    read: async (order) => read(order),
  };
}

/** Opens a house; its world begins at `BEGIN_MS`, with a lease of 3 s. */
export function openSmallHouse(options: Pick<MemoryStoreOptions, 'statements'> = {}): SmallHouse {
  const random = createRandom(7);
  const world = createWorld(random);
  const numbers = numbersFor(3_000);
  const clock = { nowMs: () => BEGIN_MS + world.nowMs() };
  const store = openMemoryStore({ clock, parts: 1, leaseMs: numbers.leaseMs, ...options });
  let born = 0;
  const until = async (condition: () => boolean): Promise<void> => {
    if (await world.run(condition, world.nowMs() + PATIENCE_MS)) return;
    throw new Error(`it does not come to that: ${condition.toString()}`);
  };
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    promise.then(over, over);
    await until(() => isOver);
    return promise;
  };
  return {
    store,
    world,
    until,
    settled,
    process: ({ works, outside = {}, store: seen = store, publisher, links }) => {
      born += 1;
      const watched = watchStore(seen);
      const logged: { event: LogEvent; facts: Readonly<Record<string, unknown>> }[] = [];
      const process = startSimulatedProcess({
        world,
        name: `p${born}`,
        numbers,
        ids: createSimulatedIds(random, born),
        versions: createVersionCache(watched.store),
        hasWorker: works,
        ...(publisher === undefined ? {} : { publisherFor: () => publisher }),
        ...(links === undefined ? {} : { links }),
        onDeath: () => undefined,
        storeFor: () => watched.store,
        actionsFor: () => actionsOf(outside),
        onLog: (_, event, facts) => logged.push({ event, facts }),
      });
      return Object.assign(process, { watched, logged });
    },
    begin: async (verbs, text, input = {}) => {
      const { version } = await settled(verbs.publish({ text, file: 'test.pawl.yaml', by: 'starter' }));
      const { workflow, version: number } = version;
      const { run } = await settled(verbs.start({ workflow, version: number, input, by: 'starter' }));
      return run.runId;
    },
  };
}
