import type { FunctionRegistry } from '../actions/action-function.ts';
import { createActionAdapter } from '../actions/create-action-adapter.ts';
import { createWebhookPublisher } from '../actions/webhook-publisher.ts';
import type { Engine } from '../engine/engine.ts';
import { createVersionCache } from '../engine/version-cache.ts';
import type { ActionAdapter } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Publisher } from '../ports/publisher.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store } from '../ports/store.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createTracing } from '../telemetry/tracing.ts';
import type { Worker } from '../worker/worker.ts';
import type { Config, Environment } from './config.ts';
import { driveBatches } from '../engine/drive-batches.ts';
import { startLoop, type Loop } from '../worker/loop.ts';
import { createDoors } from './doors.ts';
import { createLinks } from './links.ts';
import { loadFunctions } from './load-functions.ts';
import { openStore } from './open-store.ts';
import { type Principal, resolvePrincipal } from './principal.ts';
import { createSecrets, listSecretValues } from './secrets.ts';
import { createSystemClock } from './system-clock.ts';
import { createSystemIds } from './system-ids.ts';
import { createVerbs, type Verbs } from './verbs.ts';

/** How long a closing process may take to finish or release what it holds, milliseconds. */
const GRACE_MS = 10_000;

/** The tenant of a server: there is one. */
const TENANT = 'default';

/** Where a process logs unless told otherwise. */
const STDERR = 2;

/** What an app is made of; everything but the configuration has a default. */
export interface AppOptions {
  readonly config: Config;
  /** Secrets, `PAWL_AS` and the database's environment are read from it. */
  readonly env: Environment;
  /** An open store, which `close` then leaves open; left out: the configured database, started if need be. */
  readonly store?: Store;
  /** Whether Pawl may be set up and migrated in an own PostgreSQL; unless false it is. The database that starts itself always is. */
  readonly setsUp?: boolean;
  /** Whether others are answered: then the database itself binds what is read for them to the tenant, where it lets (S18). */
  readonly answersOthers?: boolean;
  /** Functions beside those of the configured modules. */
  readonly functions?: FunctionRegistry;
  readonly actions?: ActionAdapter;
  /** Left out: the configured receiver, or none. */
  readonly publisher?: Publisher;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** Pawl, embedded in this process: its verbs, and a worker if wanted. */
export interface App extends Verbs {
  readonly config: Config;
  readonly engine: Engine;
  /** Who acts: `by`, else `PAWL_AS`, else the OS user. @throws PAWL_CONFIG_INVALID. */
  principal(by: string | null): Principal;
  /** Starts the worker of this process, or gives the one that runs. @throws PAWL_CONFIG_INVALID naming a broken function module. */
  runWorker(): Promise<Worker>;
  /** What this process has counted since it began, and what is stored of its tenant, as Prometheus reads it. */
  metrics(): Promise<string>;
  /** Finishes or releases what is held, gives seats and connections back. @param graceMs 10 000 unless given. */
  close(graceMs?: number): Promise<void>;
}

/** Functions as the adapter sees them, and the loading of the configured modules: once, when first needed. */
interface Functions {
  readonly registry: FunctionRegistry;
  /** @throws PAWL_CONFIG_INVALID naming the module. */
  load(): Promise<void>;
}

function functionsOf({ config, functions = new Map() }: AppOptions): Functions {
  const registry = new Map(functions);
  const fill = async (): Promise<void> => {
    const loaded = await loadFunctions({ paths: config.functions, folder: process.cwd() });
    for (const [name, entry] of loaded) if (!functions.has(name)) registry.set(name, entry);
  };
  let loading: Promise<void> | null = null;
  return {
    registry,
    load: () => {
      loading ??= fill();
      return loading;
    },
  };
}

/** Who is told what workflows publish; nothing where nobody is configured. */
function publisherOf(
  { config, publisher }: AppOptions,
  parts: Pick<Engine, 'secrets' | 'clock'>,
): Pick<Engine, 'publisher'> {
  if (publisher !== undefined) return { publisher };
  return config.publish === undefined ? {} : { publisher: createWebhookPublisher({ ...config.publish, ...parts }) };
}

/** Signed addresses; nothing where no address is configured. */
function linksOf({ config }: AppOptions, secrets: Secrets): Pick<Engine, 'links'> {
  return config.links === undefined ? {} : { links: createLinks({ config: config.links, secrets, tenant: TENANT }) };
}

/** The engine as callers reach it: it reads what the tenant has, and decides as the other does. */
function boundEngine(engine: Engine, store: Store): Engine {
  return { ...engine, store, versions: createVersionCache(store) };
}

/**
 * Puts the house together: opens the store, binds the verbs. The configured function modules are loaded by the first
 * verb that decides and by the worker: a broken one keeps nobody from reading.
 * @throws PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_MIGRATION_MISMATCH, PAWL_STORE_*.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, env, setsUp = true } = options;
  const clock = options.clock ?? createSystemClock();
  const metrics = createMetrics(clock);
  const log = options.logger ?? createLogger('warn', STDERR, () => listSecretValues(env));
  const logger = metrics.overLogger(log);
  const functions = functionsOf(options);
  const secrets = createSecrets(env);
  const opened =
    options.store === undefined
      ? await openStore({
          config,
          env,
          clock,
          logger,
          setsUp,
          ...(options.answersOthers === true ? { readsFor: TENANT } : {}),
        })
      : { store: options.store, bound: null, close: () => Promise.resolve() };
  const tracing = createTracing();
  const over = (under: Store): Store => metrics.overStore(tracing.overStore(under));
  const store = over(opened.store);
  const engine: Engine = {
    store,
    actions: tracing.overActions(
      options.actions ?? createActionAdapter({ functions: functions.registry, clock, logger }),
    ),
    secrets,
    ...publisherOf(options, { secrets, clock }),
    ...linksOf(options, secrets),
    clock,
    ids: options.ids ?? createSystemIds(),
    logger,
    numbers: config.numbers,
    versions: createVersionCache(store),
    tenant: TENANT,
  };
  const doors = createDoors(engine);
  let batches: Loop | null = null;
  const asked = opened.bound === null ? engine : boundEngine(engine, over({ ...opened.store, ...opened.bound }));
  let closing: Promise<void> | null = null;
  return {
    ...createVerbs(asked, doors.doorOf, functions.load),
    config,
    engine: asked,
    principal: (by) => resolvePrincipal(config, env, by),
    runWorker: async () => {
      await functions.load();
      const worker = await doors.openWorker();
      const round = (): Promise<number> => driveBatches(engine, doors.doorOf);
      batches ??= startLoop({ name: 'batches', clock, logger, round });
      return worker;
    },
    metrics: () => metrics.expose(asked.store, engine.tenant),
    close: (graceMs = GRACE_MS) => {
      closing ??= (batches?.stop() ?? Promise.resolve()).then(() => doors.close(graceMs)).finally(() => opened.close());
      return closing;
    },
  };
}
