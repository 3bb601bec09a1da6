import type { DatabaseOptions, DatabaseStatus } from '../store/postgres/launcher/database-options.ts';
import { startDatabase } from '../store/postgres/launcher/start-database.ts';
import { databaseStatus, databaseUrl, keepDatabase, stopDatabase } from '../store/postgres/launcher/stop-database.ts';
import type { Config, Environment } from './config.ts';
import { createSystemClock } from './system-clock.ts';

/** The hand on the database that starts itself: what `pawl db` does. */
export interface DatabaseManager {
  /** Starts it and keeps it up until `stop`. @returns its address. */
  start(): Promise<string>;
  /** @returns false when it was not running. */
  stop(): Promise<boolean>;
  status(): Promise<DatabaseStatus>;
  /** Its address, whether it runs or not; null when there is none yet. */
  url(): Promise<string | null>;
}

/** Manages the database that the settings name. */
export function manageDatabase(config: Config, env: Environment): DatabaseManager {
  const given = config.databaseUrl === null ? env : { ...env, DATABASE_URL: config.databaseUrl };
  const options: DatabaseOptions = { dataDir: config.dataDir, env: given, clock: createSystemClock() };
  return {
    async start() {
      const database = await startDatabase(options);
      await keepDatabase(options);
      await database.leave();
      return database.url;
    },
    stop: () => stopDatabase(options),
    status: () => databaseStatus(options),
    url: () => databaseUrl(options),
  };
}
