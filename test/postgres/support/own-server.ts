import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createSystemClock } from '../../../src/app/system-clock.ts';
import { type DatabaseHome, findHome } from '../../../src/store/postgres/launcher/database-home.ts';
import type { Database, DatabaseOptions } from '../../../src/store/postgres/launcher/database-options.ts';
import { databaseStatus, stopDatabase } from '../../../src/store/postgres/launcher/stop-database.ts';
import { startDatabase } from '../../../src/store/postgres/launcher/start-database.ts';
import { migrate } from '../../../src/store/postgres/migrations/migrate.ts';
import { STEPPED_CLOCK, STEPPED_PATH } from '../../support/stepped-clock.ts';

/** A server that a test may stop, break and start again; it ends with this process, however that ends. */
export interface OwnServer {
  readonly url: string;
  /** Where its data lie. */
  readonly dataPath: string;
  /** Starts it where it does not answer. */
  start(): Promise<void>;
  /** Stops it, with all that was acknowledged on disk. */
  stop(): Promise<void>;
  /** Stops it as a power cut would. */
  crash(): Promise<void>;
  /** Stops it and removes everything. */
  close(): Promise<void>;
}

async function homeOf({ dataDir }: DatabaseOptions): Promise<DatabaseHome> {
  const home = await findHome(dataDir);
  if (home === null) throw new Error(`there is no database in ${dataDir}`);
  return home;
}

/** Has the database migrated, its time one that can be stepped. */
async function furnish(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrate(client);
  await client.query(STEPPED_CLOCK);
  await client.query(`ALTER DATABASE pawl SET search_path = ${STEPPED_PATH}`);
  await client.end();
}

async function untilGone(pid: number): Promise<void> {
  const clock = createSystemClock();
  for (;;) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (state === null || / Z /.test(state)) return;
    await clock.sleep(10);
  }
}

/** Starts a server of its own with a migrated database. @param folder where its data go; a new one unless given. */
export async function openOwnServer(folder?: string): Promise<OwnServer> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'pawl-server-')));
  await chmod(root, 0o711);
  const options: DatabaseOptions = {
    dataDir: join(root, 'db'),
    env: { PATH: process.env['PATH'] },
    clock: createSystemClock(),
    throwAway: true,
  };
  let database: Database | null = null;
  const stop = async (): Promise<void> => {
    await stopDatabase(options);
  };
  const close = async (): Promise<void> => {
    await stop();
    await database?.leave();
    await rm(folder === undefined ? root : options.dataDir, { recursive: true, force: true });
  };
  try {
    database = await startDatabase(options);
    await furnish(database.url);
    const { dataPath } = await homeOf(options);
    const { url } = database;
    return {
      url,
      dataPath,
      start: async () => database?.revive(),
      stop,
      crash: async () => {
        const { pid } = await databaseStatus(options);
        if (pid === null) return;
        process.kill(pid, 'SIGQUIT');
        await untilGone(pid);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
