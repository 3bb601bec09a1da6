import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { StoreError } from '../../../model/errors.ts';
import { serverAccount } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { prepareBinaries } from './binary-tree.ts';
import { ensureWatcher, leaveClient, registerClient } from './clients.ts';
import { type DatabaseHome, makeHome, RELOCATED_BASE, urlOf } from './database-home.ts';
import type { Database, DatabaseOptions } from './database-options.ts';
import {
  answers,
  createCluster,
  dataMajor,
  dropForeignPidFile,
  ensureDatabase,
  logTail,
  postmasterPid,
  type ServerHost,
  spawnServer,
} from './server-process.ts';
import { takeStartLock } from './start-lock.ts';

const LINGER_MS = 10_000;
const RESTART_WITHIN_MS = 15_000;
const LOCK_WAIT_MS = 60_000;
const READY_POLL_MS = 20;
const RETRY_POLL_MS = 150;
/** PostgreSQL's own words for "the old server is not quite gone": worth another try, unlike every other refusal. */
const STILL_GOING =
  /pre-existing shared memory block|lock file "postmaster\.pid" already exists|another postmaster|is still in use|could not bind Unix/;

/**
 * @throws PAWL_DATABASE_VERSION with the way out, when another major version wrote the directory.
 */
async function assertSameMajor(home: DatabaseHome, binaries: Binaries): Promise<void> {
  const major = await dataMajor(home);
  if (major === null || major === binaries.major) return;
  throw new StoreError(
    'PAWL_DATABASE_VERSION',
    `${home.dataPath} was written by PostgreSQL ${major}, these programs are ${binaries.major}: start it with the Pawl release that brought PostgreSQL ${major} ` +
      `(or any PostgreSQL ${major} and DATABASE_URL) and copy the data over with pg_dump, or move the directory away to begin with an empty one`,
    { dataMajor: major, binaryMajor: binaries.major, path: home.dataPath },
  );
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** @returns true when the server answers, false when the started process ended first. */
async function waitReady(host: ServerHost, child: ChildProcess, options: DatabaseOptions): Promise<boolean> {
  while (!hasEnded(child)) {
    if ((await postmasterPid(host.home)) !== null && (await answers(host.home))) return true;
    await options.clock.sleep(READY_POLL_MS);
  }
  return false;
}

/** Starts the server; right after a SIGKILL the old backends may still hold the memory, so refusals of that kind are tried again. */
async function startUnderLock(host: ServerHost, options: DatabaseOptions): Promise<ChildProcess> {
  if ((await dataMajor(host.home)) === null) await createCluster(host);
  const until = options.clock.monotonicMs() + (options.restartWithinMs ?? RESTART_WITHIN_MS);
  for (;;) {
    await dropForeignPidFile(host.home);
    const child = await spawnServer(host);
    if (await waitReady(host, child, options)) return child;
    const said = await logTail(host.home);
    if (!STILL_GOING.test(said.split('\n').slice(-6).join('\n')) || options.clock.monotonicMs() > until) {
      throw new StoreError(
        'PAWL_STORE_UNAVAILABLE',
        `the database did not start; the end of ${host.home.logPath}: ${said}`,
        { path: host.home.logPath },
      );
    }
    await options.clock.sleep(RETRY_POLL_MS);
    if (await answers(host.home)) return child;
  }
}

async function isUp(host: ServerHost): Promise<boolean> {
  return (await postmasterPid(host.home)) !== null && (await answers(host.home));
}

async function startOnce(host: ServerHost, options: DatabaseOptions): Promise<void> {
  if (await isUp(host)) return;
  const release = await takeStartLock(host.home.controlDir, options.clock, LOCK_WAIT_MS);
  try {
    if (await isUp(host)) return;
    await startUnderLock(host, options);
  } finally {
    await release();
  }
}

async function ensureRunning(host: ServerHost, options: DatabaseOptions): Promise<void> {
  await assertSameMajor(host.home, host.binaries);
  await startOnce(host, options);
  // Also where somebody else started it: that one may have been killed in between.
  await ensureDatabase(host.home);
  const pid = await postmasterPid(host.home);
  if (pid !== null && !host.throwAway) await ensureWatcher(host.home, pid, options.lingerMs ?? LINGER_MS);
}

async function prepareHost(options: DatabaseOptions): Promise<ServerHost> {
  if (process.platform === 'win32') {
    throw new StoreError(
      'PAWL_DATABASE_MISSING',
      'the bundled database speaks over unix sockets only: on Windows set DATABASE_URL to a server of your own',
    );
  }
  const found = await findBinaries(options);
  const account = await serverAccount(process.getuid?.());
  const home = await makeHome(resolve(options.dataDir), account);
  const binaries = await prepareBinaries(found, account, account === null ? home.root : RELOCATED_BASE);
  return { binaries, account, home, throwAway: options.throwAway ?? false };
}

/**
 * Gives a database that answers: the one of `DATABASE_URL`, else our own server in `dataDir`, started by the first
 * process that needs it and shared by all others.
 * @throws PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_STORE_UNAVAILABLE, each with the way out.
 */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const given = options.env['DATABASE_URL'];
  if (given !== undefined && given !== '') {
    const nothing = async (): Promise<void> => undefined;
    return { url: given, kind: 'given', major: null, revive: nothing, leave: nothing };
  }
  try {
    return await startOwn(options);
  } catch (error) {
    throw launchErrorOf(error, options.dataDir);
  }
}

/** What the file system refuses is a matter of the directory; everything else is told as it is. */
function launchErrorOf(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const message = `the data directory ${dataDir} cannot be used (${error.message}): mend that, or choose another one`;
  return new StoreError('PAWL_DATABASE_MISSING', message, { path: dataDir }, error);
}

async function startOwn(options: DatabaseOptions): Promise<Database> {
  const host = await prepareHost(options);
  const client = await registerClient(host.home);
  try {
    await ensureRunning(host, options);
  } catch (error) {
    await leaveClient(client);
    throw error;
  }
  return {
    url: urlOf(host.home),
    kind: host.binaries.kind,
    major: host.binaries.major,
    revive: () => ensureRunning(host, options),
    leave: () => leaveClient(client),
  };
}
