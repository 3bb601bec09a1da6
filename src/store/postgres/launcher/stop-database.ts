import { resolve } from 'node:path';
import { StoreError } from '../../../model/errors.ts';
import { findBinaries } from './binaries.ts';
import { countClients, isPinned, pin, unpin } from './clients.ts';
import { type DatabaseHome, findHome, urlOf } from './database-home.ts';
import type { DatabaseOptions, DatabaseStatus } from './database-options.ts';
import { identify, isSameProcess } from './process-identity.ts';
import { answers, answersAt, dataMajor, postmasterPid } from './server-process.ts';

const STOP_WITHIN_MS = 30_000;
const POLL_MS = 20;

async function homeOf(options: DatabaseOptions): Promise<DatabaseHome | null> {
  return findHome(resolve(options.dataDir));
}

/**
 * Stops our own server: clients are disconnected, nothing acknowledged is lost. Does nothing where none runs.
 * @returns whether a server was stopped.
 * @throws PAWL_STORE_UNAVAILABLE when it is still there after 30 s.
 */
export async function stopDatabase(options: DatabaseOptions): Promise<boolean> {
  const home = await homeOf(options);
  const pid = home === null ? null : await postmasterPid(home);
  if (home !== null) await unpin(home);
  if (home === null || pid === null || !(await answers(home))) return false;
  const server = await identify(pid);
  process.kill(pid, 'SIGINT');
  const until = options.clock.monotonicMs() + STOP_WITHIN_MS;
  while ((await isSameProcess(server)) && (await postmasterPid(home)) !== null) {
    if (options.clock.monotonicMs() > until) {
      throw new StoreError(
        'PAWL_STORE_UNAVAILABLE',
        `the database (process ${pid}) has not stopped within ${STOP_WITHIN_MS} ms`,
        { pid },
      );
    }
    await options.clock.sleep(POLL_MS);
  }
  return true;
}

/** Keeps the server up without clients until `stopDatabase`; for `pawl db start`. */
export async function keepDatabase(options: DatabaseOptions): Promise<void> {
  const home = await homeOf(options);
  if (home !== null) await pin(home);
}

/** Says what runs where, and starts nothing. */
export async function databaseStatus(options: DatabaseOptions): Promise<DatabaseStatus> {
  const given = options.env['DATABASE_URL'];
  if (given !== undefined && given !== '') {
    return {
      kind: 'given',
      running: await answersAt(given),
      pid: null,
      url: given,
      dataPath: null,
      major: null,
      clients: 0,
      pinned: false,
    };
  }
  const home = await homeOf(options);
  const found = await findBinaries(options).catch(() => null);
  const kind = found?.kind ?? 'none';
  if (home === null)
    return { kind, running: false, pid: null, url: null, dataPath: null, major: null, clients: 0, pinned: false };
  const running = await answers(home);
  return {
    kind,
    running,
    pid: running ? await postmasterPid(home) : null,
    url: running ? urlOf(home) : null,
    dataPath: home.dataPath,
    major: await dataMajor(home),
    clients: await countClients(home),
    pinned: await isPinned(home),
  };
}

/** The URL of the database that would be used now; null where none runs. */
export async function databaseUrl(options: DatabaseOptions): Promise<string | null> {
  return (await databaseStatus(options)).url;
}
