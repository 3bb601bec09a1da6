import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { StoreError } from '../../../model/errors.ts';
import { type Account, canReach, mayRead } from './account.ts';
import type { Binaries } from './binaries.ts';

interface PlannedLink {
  readonly source: string;
  readonly target: string;
}

/** npm cannot carry symlinks: the package lists them, and its install script may have been switched off. */
async function plannedLinks(root: string): Promise<readonly PlannedLink[]> {
  const text = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const listed = JSON.parse(text) as readonly PlannedLink[];
  return listed.map((entry) => ({
    source: entry.source.replace(/^native\//, ''),
    target: entry.target.replace(/^native\//, ''),
  }));
}

async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    () => true,
  );
}

/** Makes the links that are missing; two processes may do it at once. @returns false where the tree is not writable. */
async function makeLinks(root: string, links: readonly PlannedLink[]): Promise<boolean> {
  for (const planned of links) {
    const at = join(root, planned.target);
    if (!(await isMissing(at))) continue;
    try {
      await symlink(relative(dirname(at), join(root, planned.source)), at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

async function isUsable(account: Account | null, root: string): Promise<boolean> {
  if (account === null) return true;
  const files = [join(root, 'bin', 'postgres'), join(root, 'lib'), join(root, 'share')];
  for (const file of files) if (!(await mayRead(account, file))) return false;
  return canReach(account, root);
}

/** Hardlinks are nearly free; a file that others may not read is copied and opened instead. */
async function placeFile(from: string, to: string): Promise<void> {
  const mode = (await stat(from)).mode;
  if ((mode & 0o044) === 0o044) {
    const linked = await link(from, to).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }
  await copyFile(from, to);
  await chmod(to, (mode & 0o100) === 0 ? 0o644 : 0o755);
}

async function placeTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await placeTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await placeFile(source, target);
  }
}

/** Programs are run from there: the place must be ours and nobody else's to write. */
async function assertOurs(path: string, uid: number): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0) return;
  throw new StoreError('PAWL_DATABASE_MISSING', `${path} is not ours alone: remove it, then start again`, { path });
}

/**
 * Makes the bundled tree runnable by the server's account: the missing links are made in place; where that is not
 * allowed, or the account cannot walk there, the tree is hardlinked (else copied) to `copyBase`.
 * @returns the binaries to run.
 */
export async function prepareBinaries(found: Binaries, account: Account | null, copyBase: string): Promise<Binaries> {
  if (found.kind === 'system') return found;
  const links = await plannedLinks(found.root);
  if ((await isUsable(account, found.root)) && (await makeLinks(found.root, links))) return found;
  const name = createHash('sha256').update(`${found.root}\n${found.version}`).digest('hex').slice(0, 16);
  const copy = join(copyBase, `pawl-postgres-${name}`);
  const uid = process.getuid?.() ?? 0;
  if (await isMissing(copy)) {
    const building = join(copyBase, `${basename(copy)}.${randomBytes(6).toString('hex')}`);
    await placeTree(found.root, building);
    await makeLinks(building, links);
    await rename(building, copy).catch(async (error: NodeJS.ErrnoException) => {
      await rm(building, { recursive: true, force: true });
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }
  await assertOurs(copy, uid);
  return { ...found, root: copy, binDir: join(copy, 'bin') };
}
