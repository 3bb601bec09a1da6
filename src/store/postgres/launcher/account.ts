import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../../../model/errors.ts';

/** A user of the host by numbers. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Users that may run the server when we are root, best first; neither is created by us. */
const SERVER_USERS = ['postgres', 'nobody'];

/**
 * The account that runs initdb and the server: null = our own; as root an existing unprivileged user, because
 * PostgreSQL refuses to run as root.
 * @throws PAWL_DATABASE_MISSING when root has nobody to hand the server to.
 */
export async function serverAccount(uid: number | undefined, passwdFile = '/etc/passwd'): Promise<Account | null> {
  if (uid !== 0) return null;
  const lines = (await readFile(passwdFile, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const name of SERVER_USERS) {
    const line = lines.find((fields) => fields[0] === name);
    if (line !== undefined) return { name, uid: Number(line[2]), gid: Number(line[3]) };
  }
  throw new StoreError(
    'PAWL_DATABASE_MISSING',
    'PostgreSQL does not run as root and this host has neither a user postgres nor nobody: set DATABASE_URL, or run as another user',
  );
}

const READ = 4;
const ENTER = 1;

/** The three permission bits that a file grants to an account (no supplementary groups: the server has none). */
function bitsFor(
  account: Account,
  owner: { readonly uid: number; readonly gid: number; readonly mode: number },
): number {
  if (owner.uid === account.uid) return (owner.mode >> 6) & 7;
  if (owner.gid === account.gid) return (owner.mode >> 3) & 7;
  return owner.mode & 7;
}

/** Whether an account may read or enter this path, its ancestors not looked at. */
export async function mayRead(account: Account, path: string): Promise<boolean> {
  const found = await stat(path);
  const needed = found.isDirectory() ? READ | ENTER : READ;
  return (bitsFor(account, found) & needed) === needed;
}

/** Whether an account may walk to a directory: every ancestor and the directory itself grants it `x`. */
export async function canReach(account: Account | null, directory: string): Promise<boolean> {
  if (account === null) return true;
  for (let path = directory; ; path = dirname(path)) {
    const found = await stat(path).catch(() => null);
    if (found !== null && (bitsFor(account, found) & ENTER) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
