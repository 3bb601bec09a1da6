import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionFunction } from '../../../src/actions/action-function.ts';
import type { Config } from '../../../src/app/config.ts';
import { type App, createApp } from '../../../src/app/create-app.ts';
import type { RunView } from '../../../src/engine/run-view.ts';
import type { Json } from '../../../src/model/json.ts';
import { type Numbers, numbersFor } from '../../../src/model/numbers.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { Store } from '../../../src/ports/store.ts';
import { type Provider, startProvider } from '../../../src/testing/fake-provider.ts';
import type { ProviderOptions } from '../../../src/testing/provider/options.ts';
import { openTestStore } from '../../support/postgres.ts';
import { type WatchedStore, watchStore } from './watched-store.ts';

/** A line that was logged. */
export interface Logged {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A logger that keeps what it is told. */
export function keepingLogger(): Logger & { readonly lines: readonly Logged[] } {
  const lines: Logged[] = [];
  const keep = (level: Logged['level']) => (facts: Readonly<Record<string, unknown>>, event: string) => {
    lines.push({ level, event, facts });
  };
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** A configuration for tests: a lease of 9 s unless told otherwise, so that a slow machine is not taken for a dead one. */
export function testConfig(numbers: Partial<Numbers> = {}): Config {
  return {
    databaseUrl: null,
    dataDir: '/nowhere',
    functions: [],
    catalogues: [],
    principals: { ana: ['operator', 'approver'], kai: ['approver'], starter: ['operator', 'approver'] },
    numbers: numbersFor(numbers.leaseMs ?? 9_000, numbers),
  };
}

/** One process of a test house: an app over a window into the shared store. */
export interface Process {
  readonly app: App;
  readonly watched: WatchedStore;
  readonly logger: ReturnType<typeof keepingLogger>;
  /** As SIGKILL would: from now on nothing of it reaches the database, and it is never closed. */
  kill(): void;
}

/** A database, a provider, and as many processes as a test wants. */
export interface House {
  readonly provider: Provider;
  readonly store: Store;
  readonly url: string;
  process(options?: ProcessOptions): Promise<Process>;
  /** Operations that really happened since the last `rest`, in order. */
  happened(): readonly string[];
  /** Closes the processes of a test and begins a new page of the provider's book. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** How a process of a test house differs from the usual. */
export interface ProcessOptions {
  readonly numbers?: Partial<Numbers>;
  readonly functions?: Readonly<Record<string, ActionFunction>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly store?: Store;
  readonly clock?: Clock;
}

/** Opens a house of its own database and provider. */
export async function openHouse(options: Partial<ProviderOptions> = {}): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-house-'));
  const provider = await startProvider({ bookFile: join(folder, 'book.jsonl'), ...options });
  const opened = await openTestStore();
  let apps: App[] = [];
  let page = 0;
  const rest = async (): Promise<void> => {
    const open = apps;
    apps = [];
    for (const app of open) await app.close(500);
    page = provider.effects().length;
  };
  return {
    provider,
    store: opened.store,
    url: opened.url,
    process: async ({ numbers, functions = {}, env = {}, store = opened.store, clock } = {}) => {
      const watched = watchStore(store);
      const logger = keepingLogger();
      const app = await createApp({
        config: testConfig(numbers),
        env,
        store: watched.store,
        functions: new Map(Object.entries(functions)),
        logger,
        ...(clock === undefined ? {} : { clock }),
      });
      apps.push(app);
      const kill = (): void => {
        watched.hooks = { around: () => new Promise(() => undefined) };
        apps = apps.filter((other) => other !== app);
      };
      return { app, watched, logger, kill };
    },
    happened: () => provider.effects().slice(page),
    rest,
    close: async () => {
      await rest();
      await provider.close();
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits, commit by commit, until a run is as wanted. @throws what was seen last, after 15 s. */
export async function untilRun(process: Process, run: string, wanted: (view: RunView) => boolean): Promise<RunView> {
  const { app, watched } = process;
  const untilMs = performance.now() + 15_000;
  const commits = (): number => watched.calls.filter(({ verb }) => verb === 'commit').length;
  for (;;) {
    const before = commits();
    const view = await app.show(run);
    if (wanted(view)) return view;
    if (performance.now() > untilMs)
      throw new Error(
        `run ${run} is still ${view.status}: ${JSON.stringify({ waitingFor: view.waitingFor, incidents: view.incidents, failure: view.failure })}`,
      );
    // What was committed while it was read may have been the last.
    if (commits() === before) await watched.next();
  }
}

/** Waits until a run has this status. */
export function untilStatus(process: Process, run: string, status: RunView['status']): Promise<RunView> {
  return untilRun(process, run, (view) => view.status === status);
}

let published = 0;

/** Publishes a workflow, under a name of its own where it is called `saga`, and starts a run of it as `starter`. @returns the run's id. */
export async function begin(process: Process, text: string, input: Json = {}): Promise<string> {
  published += 1;
  const named = text.replace('workflow: saga\n', `workflow: saga-${published}\n`);
  const { version } = await process.app.publish({ text: named, file: 'test.pawl.yaml', by: 'starter' });
  const { run } = await process.app.start({
    workflow: version.workflow,
    version: version.version,
    input,
    by: 'starter',
  });
  return run.runId;
}
