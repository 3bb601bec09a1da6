import { type ChildProcess, spawn } from 'node:child_process';
import { chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { StoreError } from '../../../model/errors.ts';
import { sqlstateOf, storeErrorOf } from '../sqlstate.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type DatabaseHome, urlOf } from './database-home.ts';
import { isAlive } from './process-identity.ts';

/** The locale is C whatever the host's; initdb and postgres need nothing else from the environment. */
const SERVER_ENV = { LC_ALL: 'C', LANG: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
const LOG_TAIL_BYTES = 2_000;
const PROBE_TIMEOUT_MS = 2_000;

/** What runs a program of PostgreSQL. */
export interface ServerHost {
  readonly binaries: Binaries;
  readonly account: Account | null;
  readonly home: DatabaseHome;
  readonly throwAway: boolean;
}

function spawnAs(host: ServerHost, command: string, args: readonly string[], extra: object): ChildProcess {
  const as = host.account === null ? {} : { uid: host.account.uid, gid: host.account.gid };
  return spawn(command, [...args], { env: SERVER_ENV, cwd: host.home.root, ...as, ...extra });
}

/** The postmaster named by `postmaster.pid`; null where there is no such file. */
export async function postmasterPid(home: DatabaseHome): Promise<number | null> {
  const text = await readFile(join(home.dataPath, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** Major version of the data directory; null where there is none. */
export async function dataMajor(home: DatabaseHome): Promise<number | null> {
  const text = await readFile(join(home.dataPath, 'PG_VERSION'), 'utf8').catch(() => '');
  return text === '' ? null : Number.parseInt(text, 10);
}

/** Whether our own server answers a query now. */
export function answers(home: DatabaseHome): Promise<boolean> {
  return answersAt(urlOf(home, 'postgres'));
}

/** Whether a database answers a query now. */
export async function answersAt(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Makes the database of the product once; two starters may race. @throws PAWL_STORE_* */
export async function ensureDatabase(home: DatabaseHome): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(home, 'postgres') });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'pawl'");
    if (rowCount === 0) await client.query('CREATE DATABASE pawl');
  } catch (error) {
    const code = sqlstateOf(error);
    if (code !== '42P04' && code !== '23505') throw storeErrorOf(error, 'connecting');
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function exitOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}

/**
 * Makes the data directory: built beside its place and renamed, so that a start that was killed leaves none.
 * @throws PAWL_DATABASE_MISSING with what initdb said.
 */
export async function createCluster(host: ServerHost): Promise<void> {
  // A name that nobody else gives: what lies there from a start that was killed is removed.
  const building = join(host.home.root, '.pawl-data.new');
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { mode: 0o700 });
  if (host.account !== null) await chown(building, host.account.uid, host.account.gid);
  const args = [
    '-D',
    building,
    '-U',
    'pawl',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
  ];
  if (host.throwAway) args.push('--no-sync');
  const { code, output } = await exitOf(
    spawnAs(host, join(host.binaries.binDir, 'initdb'), args, { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  if (code !== 0) {
    await rm(building, { recursive: true, force: true });
    throw new StoreError(
      'PAWL_DATABASE_MISSING',
      `initdb could not make ${host.home.dataPath}: ${output.trim().slice(-LOG_TAIL_BYTES)}`,
    );
  }
  await rename(building, host.home.dataPath);
}

function serverArgs(host: ServerHost): string[] {
  const durable = host.throwAway ? 'off' : 'on';
  const settings = {
    listen_addresses: '',
    unix_socket_directories: host.home.socketDir,
    unix_socket_permissions: '0700',
    port: '5432',
    fsync: durable,
    full_page_writes: durable,
    synchronous_commit: 'on',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
  };
  return ['-D', host.home.dataPath, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Ends its server when the pipe to our process closes, however that ends: nothing of a test outlives it. */
const BOUND = '"$@" & server=$!; read -r _; kill -INT "$server"; wait "$server"';

/** Starts the server detached; its output goes to the log file. */
export async function spawnServer(host: ServerHost): Promise<ChildProcess> {
  const log = await open(host.home.logPath, 'a', 0o600);
  try {
    const program = join(host.binaries.binDir, 'postgres');
    const args = serverArgs(host);
    const child = host.throwAway
      ? spawnAs(host, '/bin/sh', ['-c', BOUND, 'sh', program, ...args], {
          detached: true,
          stdio: ['pipe', log.fd, log.fd],
        })
      : spawnAs(host, program, args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** The end of the server's log, for messages. */
export async function logTail(home: DatabaseHome): Promise<string> {
  const text = await readFile(home.logPath, 'utf8').catch(() => '');
  return text.slice(-LOG_TAIL_BYTES).trim();
}

/**
 * Removes a `postmaster.pid` whose process is certainly not this server: after a restart of the host or container the
 * number may belong to anybody, and PostgreSQL would refuse to start for ever.
 */
export async function dropForeignPidFile(home: DatabaseHome): Promise<void> {
  const pid = await postmasterPid(home);
  if (pid === null || !isAlive(pid)) return;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  if (command === null || command === '' || command.includes('postgres')) return;
  await rm(join(home.dataPath, 'postmaster.pid'), { force: true });
}
