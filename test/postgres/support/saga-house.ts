import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type App, createApp } from '../../../src/app/create-app.ts';
import type { RunView } from '../../../src/engine/run-view.ts';
import type { Json } from '../../../src/model/json.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { StoredVersion } from '../../../src/ports/store.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/store/postgres/postgres-store.ts';
import { compareBook } from '../../../src/testing/demo/compare-book.ts';
import { type Provider, startProvider } from '../../../src/testing/fake-provider.ts';
import { keepingLogger, type Logged, testConfig } from '../../engine/support/house.ts';
import { type WatchedStore, watchStore } from '../../engine/support/watched-store.ts';
import { startWorkerProcess } from './worker-process.ts';

/** How long anything may take that is to happen, milliseconds: only a machine that stands still needs it all. */
export const WITHIN_MS = 120_000;
/** The lease of workers that are not to lose it, however slow the machine is. */
const LONG_LEASE_MS = 30_000;
/** The lease of workers that die. */
export const SHORT_LEASE_MS = 1_500;

/** What a house stands on. */
export interface SagaHousePlan {
  /** How its stores reach the database, which is migrated by the first of them. */
  readonly store: Pick<PostgresStoreOptions, 'url' | 'pooler' | 'connections' | 'hintsUrl' | 'revive'>;
  /** Environments of worker processes, taken in turn; null = workers in this process. */
  readonly workers: readonly Readonly<Record<string, string>>[] | null;
}

/** A worker of a house. */
export interface HouseWorker {
  /** The names under which it began to work. */
  readonly seats: ReadonlySet<string>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** A database, a provider, workers, and a desk of people that has no worker. */
export interface SagaHouse {
  readonly app: App;
  readonly provider: Provider;
  /** What the desk and the workers of this process have logged. */
  readonly logged: readonly Logged[];
  worker(leaseMs?: number): Promise<HouseWorker>;
  /** Publishes a workflow, once under each name, and starts a run of it. @returns the run's id. */
  begin(text: string, input?: Json): Promise<string>;
  /** @throws what was seen last, after `WITHIN_MS`. */
  untilRun(run: string, wanted: (view: RunView) => boolean): Promise<RunView>;
  untilStatus(run: string, status: RunView['status']): Promise<RunView>;
  /** Holds every run of the house against the book and the invariants. @returns what is wrong. */
  faults(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface OpenedApp {
  readonly app: App;
  readonly watched: WatchedStore;
  /** Ends it; a dead one only loses its connections. */
  close(isDead: boolean): Promise<void>;
}

async function openApp(
  plan: SagaHousePlan,
  leaseMs: number,
  logger: ReturnType<typeof keepingLogger>,
): Promise<OpenedApp> {
  const store = await openPostgresStore({
    ...plan.store,
    numbers: numbersFor(leaseMs),
    applicationName: 'pawl-variant',
    onBroken: () => undefined,
  });
  const watched = watchStore(store);
  const app = await createApp({ config: testConfig({ leaseMs }), env: {}, store: watched.store, logger });
  const close = async (isDead: boolean): Promise<void> => {
    if (!isDead) await app.close(500);
    await store.close();
  };
  return { app, watched, close };
}

/** Somebody who works, and how that ends. */
interface Hands {
  kill(): Promise<void>;
  stop(): Promise<void>;
}

async function workHere(
  plan: SagaHousePlan,
  leaseMs: number,
  logger: ReturnType<typeof keepingLogger>,
): Promise<Hands> {
  let isDead = false;
  const { app, watched, close } = await openApp(plan, leaseMs, logger);
  await app.runWorker();
  return {
    kill: () => {
      isDead = true;
      // From now on nothing of it reaches the database.
      watched.hooks = { around: () => new Promise(() => undefined) };
      return Promise.resolve();
    },
    stop: () => close(isDead),
  };
}

/** Holds what the ledgers say against what happened. */
async function faultsOf(app: App, provider: Provider, runs: readonly string[]): Promise<readonly string[]> {
  const views: RunView[] = [];
  for (const run of runs) views.push(await app.show(run));
  const { rows, strangers } = compareBook(views, provider.book());
  const { faults } = await app.verifyStore();
  return [
    ...rows
      .filter(({ isEqual }) => !isEqual)
      .map(({ run, step, state, happened }) => `${run} ${step} is ${state} and happened ${happened} times`),
    ...strangers.map((entry) => `in the book only: ${JSON.stringify(entry)}`),
    ...faults.map((fault) => JSON.stringify(fault)),
  ];
}

/** Opens a house over a database. */
export async function openSagaHouse(plan: SagaHousePlan): Promise<SagaHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-variant-'));
  const provider = await startProvider({ bookFile: join(folder, 'book.jsonl') });
  const logger = keepingLogger();
  const { app, close } = await openApp(plan, LONG_LEASE_MS, logger);
  const { store } = app.engine;
  const runs: string[] = [];
  const workers: Hands[] = [];
  const published = new Map<string, StoredVersion>();
  const seatsNow = async (): Promise<readonly string[]> => (await store.workers()).map(({ workerId }) => workerId);
  const untilRun = async (run: string, wanted: (view: RunView) => boolean): Promise<RunView> => {
    let seen = await app.show(run);
    const look = async (): Promise<unknown> => {
      seen = await app.show(run);
      return wanted(seen) || { status: seen.status, waitingFor: seen.waitingFor, incidents: seen.incidents };
    };
    if (!wanted(seen)) await expect.poll(look, { timeout: WITHIN_MS, interval: 20 }).toBe(true);
    return seen;
  };
  return {
    app,
    provider,
    logged: logger.lines,
    worker: async (leaseMs = LONG_LEASE_MS) => {
      const before = new Set(await seatsNow());
      const env = plan.workers?.[workers.length % plan.workers.length];
      const { url } = plan.store;
      const hands =
        env === undefined
          ? await workHere(plan, leaseMs, logger)
          : await startWorkerProcess({ url, leaseMs, folder, env });
      workers.push(hands);
      const seats = (await seatsNow()).filter((seat) => !before.has(seat));
      return { seats: new Set(seats), kill: () => hands.kill() };
    },
    begin: async (text, input = {}) => {
      const version =
        published.get(text) ?? (await app.publish({ text, file: 'variant.pawl.yaml', by: 'starter' })).version;
      published.set(text, version);
      const { run } = await app.start({ workflow: version.workflow, version: version.version, input, by: 'starter' });
      runs.push(run.runId);
      return run.runId;
    },
    untilRun,
    untilStatus: (run, status) => untilRun(run, (view) => view.status === status),
    faults: () => faultsOf(app, provider, runs),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await close(false);
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
