import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { DatabaseOptions } from '../store/postgres/launcher/database-options.ts';
import { startDatabase } from '../store/postgres/launcher/start-database.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../store/postgres/postgres-store.ts';
import type { TenantReads } from '../store/postgres/tenant-reads.ts';
import type { Config, Environment } from './config.ts';

/** What opening the store needs. */
export interface StoreSources {
  readonly config: Config;
  readonly env: Environment;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether an own PostgreSQL may be set up and migrated; the one that starts itself always is. */
  readonly setsUp: boolean;
  /** The tenant whose callers are answered from it; absent = nobody's. */
  readonly readsFor?: string;
}

/** The store of a process, and how it is left. */
export interface OpenedStore {
  readonly store: Store;
  /** Reads that the database binds to the tenant; null where nobody has asked for them, or the database does not let. */
  readonly bound: TenantReads | null;
  /** Closes connections; the last process to leave a database of our own has its server stop. */
  close(): Promise<void>;
}

/** What the launcher is told: the settings alone say whether there is a database of one's own. */
export function databaseOptions({
  config,
  env,
  clock,
}: Pick<StoreSources, 'config' | 'env' | 'clock'>): DatabaseOptions {
  return { dataDir: config.dataDir, env: { ...env, DATABASE_URL: config.databaseUrl ?? '' }, clock };
}

/** The reads of a server, and what is said where they are not bound. */
function readsFor({ readsFor: tenant, logger }: StoreSources): Pick<PostgresStoreOptions, 'readsFor'> {
  if (tenant === undefined) return {};
  const onUnbound = ({ message }: Error): void => logger.warn({ tenant, message }, 'store.reads-unbound');
  return { readsFor: { tenant, onUnbound } };
}

/**
 * Opens the configured database: the address given, else our own server in the data directory, started if need be.
 * @throws PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_MIGRATION_MISMATCH, PAWL_STORE_*.
 */
export async function openStore(sources: StoreSources): Promise<OpenedStore> {
  const { config, env, clock, logger, setsUp } = sources;
  const database = await startDatabase(databaseOptions({ config, env, clock }));
  try {
    const store = await openPostgresStore({
      url: database.url,
      numbers: config.numbers,
      ...readsFor(sources),
      // Who only looks carries no statement out.
      ...(setsUp && config.sql !== undefined ? { statements: config.sql } : {}),
      migrate: setsUp || config.databaseUrl === null ? 'apply' : 'check',
      revive: () => database.revive(),
      onBroken: (error) => logger.warn({ message: error.message }, 'store.connection-broken'),
    });
    return {
      store,
      bound: store.bound,
      close: async () => {
        await store.close();
        await database.leave();
      },
    };
  } catch (error) {
    await database.leave();
    throw error;
  }
}
