import { createHash } from 'node:crypto';
import { chmod, lchown, lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../../model/errors.ts';
import { type Account, canReach } from './account.ts';

/** Longest path of a unix socket, bytes (sun_path is 108 with its NUL on Linux; macOS has 104). */
const SOCKET_PATH_MAX = process.platform === 'darwin' ? 103 : 107;
/** The port that names the socket file; nothing listens on it. */
export const SOCKET_PORT = 5432;

/** The places of one database on disk. */
export interface DatabaseHome {
  /** Lock, clients and `location`: written by every client. */
  readonly controlDir: string;
  /** PostgreSQL's data directory. */
  readonly dataPath: string;
  readonly socketDir: string;
  readonly logPath: string;
  /** Where data, socket and log lie: `controlDir`, or a relocated directory. */
  readonly root: string;
}

/** Where directories go that the server's account could not reach otherwise. */
export const RELOCATED_BASE = '/var/tmp';

function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** A directory and those above it. Node's own way never ends where a parent is there and takes no directory, as in /proc. */
async function makeDirectories(path: string, mode: number): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectories(parent, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errnoOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

/**
 * A directory that only the server's account (and root) may enter; an existing one must already be so. One that is
 * still ours belongs to a start beside this one that is between its two steps, or died there: whoever finds it hands
 * it over.
 */
async function ownDirectory(path: string, account: Account | null): Promise<void> {
  const ours = process.getuid?.() ?? 0;
  const uid = account?.uid ?? ours;
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  const made = await lstat(path);
  if (account !== null && made.isDirectory() && made.uid === ours) await lchown(path, account.uid, account.gid);
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== uid) {
    throw new StoreError(
      'PAWL_DATABASE_MISSING',
      `${path} belongs to another user: remove it, or choose another data directory`,
      { path },
    );
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

async function readLocation(controlDir: string): Promise<string | null> {
  const text = await readFile(join(controlDir, 'location'), 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}

function homeAt(controlDir: string, root: string): DatabaseHome {
  const near = join(root, 'socket');
  const tooLong = Buffer.byteLength(`${near}/.s.PGSQL.${SOCKET_PORT}`) > SOCKET_PATH_MAX;
  return {
    controlDir,
    root,
    dataPath: join(root, 'data'),
    socketDir: tooLong ? join(RELOCATED_BASE, `pawl-socket-${shortHash(root)}`) : near,
    logPath: join(root, 'server.log'),
  };
}

/** The places as they are now, nothing made; null when there is no database yet. */
export async function findHome(dataDir: string): Promise<DatabaseHome | null> {
  const control = await lstat(dataDir).catch(() => null);
  return control === null ? null : homeAt(dataDir, (await readLocation(dataDir)) ?? dataDir);
}

/**
 * Looks before anything is made: what lies where the data go must be a database, or nothing.
 * @throws PAWL_DATABASE_MISSING when it is something else.
 */
async function assertOurs(dataDir: string): Promise<void> {
  const home = await findHome(dataDir);
  if (home === null) return;
  const { dataPath } = home;
  // Where it cannot be there at all, making it says why.
  if ((await lstat(dataPath).catch(() => null)) === null) return;
  const names = await readdir(dataPath).catch(() => null);
  if (names?.length === 0 || names?.includes('PG_VERSION') === true) return;
  throw new StoreError('PAWL_DATABASE_MISSING', `${dataPath} is there and is not ours: choose another data directory`, {
    path: dataPath,
  });
}

/**
 * Makes the places. The data lie in `dataDir`, or, where the server's account cannot walk there, in
 * `/var/tmp/pawl-<hash of the path>`, which `dataDir/location` then names.
 * @throws PAWL_DATABASE_MISSING when it cannot be made, or what is there already belongs to somebody else.
 */
export async function makeHome(dataDir: string, account: Account | null): Promise<DatabaseHome> {
  await assertOurs(dataDir);
  try {
    await makeDirectories(dataDir, account === null ? 0o700 : 0o755);
    await makeDirectories(join(dataDir, 'clients'), 0o700);
  } catch (error) {
    throw new StoreError(
      'PAWL_DATABASE_MISSING',
      `the data directory ${dataDir} cannot be made (${errnoOf(error) ?? String(error)}): choose another one`,
      { path: dataDir },
    );
  }
  const known = await readLocation(dataDir);
  const near = known === null && (await canReach(account, dataDir));
  const home = homeAt(dataDir, known ?? (near ? dataDir : join(RELOCATED_BASE, `pawl-${shortHash(dataDir)}`)));
  if (home.root !== dataDir) {
    await ownDirectory(home.root, account);
    await writeFile(join(dataDir, 'location'), `${home.root}\n`);
  }
  await ownDirectory(home.socketDir, account);
  return home;
}

/** The connection URL of a home's database. */
export function urlOf(home: DatabaseHome, database = 'pawl'): string {
  return `postgresql://pawl@localhost/${database}?host=${encodeURIComponent(home.socketDir)}&port=${SOCKET_PORT}`;
}
