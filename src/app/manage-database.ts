import { RefusedError } from '../model/errors.ts';
import type { DatabaseStatus } from '../store/postgres/launcher/database-options.ts';
import { startDatabase } from '../store/postgres/launcher/start-database.ts';
import { databaseStatus, databaseUrl, keepDatabase, stopDatabase } from '../store/postgres/launcher/stop-database.ts';
import type { Config, Environment } from './config.ts';
import { databaseOptions } from './open-store.ts';
import { createSystemClock } from './system-clock.ts';

/** The hand on the database that starts itself: what `pawl db` does. */
export interface DatabaseManager {
  /** Starts it and keeps it up until `stop`. @throws PAWL_CONFIG_INVALID when the settings name a database of one's own. */
  start(): Promise<{ readonly url: string; readonly wasRunning: boolean }>;
  /** @returns false when it was not running. @throws as `start`. */
  stop(): Promise<boolean>;
  status(): Promise<DatabaseStatus>;
  /** Its address; null while none runs. */
  url(): Promise<string | null>;
}

/** Manages the database that the settings name. */
export function manageDatabase(config: Config, env: Environment): DatabaseManager {
  const options = databaseOptions({ config, env, clock: createSystemClock() });
  const assertOurs = (): void => {
    if (config.databaseUrl !== null)
      throw new RefusedError(
        'PAWL_CONFIG_INVALID',
        'the settings name a database of your own (PAWL_DATABASE, DATABASE_URL or `database:` in pawl.config.yaml), which pawl neither starts nor stops',
      );
  };
  return {
    async start() {
      assertOurs();
      const { running } = await databaseStatus(options);
      const database = await startDatabase(options);
      await keepDatabase(options);
      await database.leave();
      return { url: database.url, wasRunning: running };
    },
    async stop() {
      assertOurs();
      return stopDatabase(options);
    },
    status: () => databaseStatus(options),
    url: () => databaseUrl(options),
  };
}
