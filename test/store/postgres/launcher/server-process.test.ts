import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseHome, findHome, makeHome } from '../../../../src/store/postgres/launcher/database-home.ts';
import {
  answers,
  createCluster,
  dataMajor,
  dropForeignPidFile,
  logTail,
  postmasterPid,
} from '../../../../src/store/postgres/launcher/server-process.ts';

let dir = '';
let home: DatabaseHome;
beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-server-');
  home = await makeHome(join(dir, '.pawl'), null);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function leavePidFile(text: string): Promise<void> {
  await mkdir(home.dataPath, { recursive: true });
  await writeFile(join(home.dataPath, 'postmaster.pid'), text);
}

/** A living process whose command line has this word. */
async function withProcess(word: string, act: (pid: number) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")', word]);
  await once(child.stdout, 'data');
  await act(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'close');
}

describe('The process of the server', () => {
  it('A directory without a database has no server, no version, no log', async () => {
    expect([await postmasterPid(home), await dataMajor(home), await logTail(home), await answers(home)]).toEqual([
      null,
      null,
      '',
      false,
    ]);
    await leavePidFile('not a number\n');
    expect(await postmasterPid(home)).toBe(null);
  });

  it('A pid file of a host that was restarted goes when its number belongs to another program, and only then', async () => {
    await dropForeignPidFile(home);
    await withProcess('something-else', async (pid) => {
      await leavePidFile(`${pid}\n`);
      await dropForeignPidFile(home);
      expect(await postmasterPid(home)).toBe(null);
    });
    await withProcess('postgres', async (pid) => {
      await leavePidFile(`${pid}\n`);
      await dropForeignPidFile(home);
      expect(await postmasterPid(home)).toBe(pid);
    });
    const dead = 2 ** 22 - 3;
    await leavePidFile(`${dead}\n`);
    await dropForeignPidFile(home);
    expect(await postmasterPid(home)).toBe(dead);
  });

  it('What initdb says is told when it cannot make the directory, and nothing half made is taken for data', async () => {
    const binDir = join(dir, 'bin');
    await mkdir(binDir);
    await writeFile(join(binDir, 'initdb'), '#!/bin/sh\necho "no space left"; exit 1\n', { mode: 0o755 });
    const binaries = { kind: 'system', root: dir, binDir, major: 17, version: '17.2' } as const;
    await expect(createCluster({ binaries, account: null, home, throwAway: true })).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      message: expect.stringContaining('no space left'),
    });
    expect(await readdir(home.root)).not.toContain('data');
    await expect(
      createCluster({ binaries: { ...binaries, binDir: '/nowhere' }, account: null, home, throwAway: false }),
    ).rejects.toThrow('ENOENT');
  });
});

describe('The places of a database', () => {
  it.each([
    ['below a file', 'file/deep'],
    ['at a file', 'file'],
  ])('A data directory %s is refused with its name and the mend, and nothing is made', async (_where, name) => {
    await writeFile(join(dir, 'file'), '');
    await expect(makeHome(join(dir, name), null)).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      message: expect.stringMatching(/file.* cannot be made \((ENOTDIR|EEXIST)\): choose another one/),
    });
  });

  it('A data directory where the system takes none is refused, and is not tried for ever', async () => {
    await expect(makeHome('/proc/pawl/data', null)).rejects.toMatchObject({ code: 'PAWL_DATABASE_MISSING' });
  });

  it('Where nothing was made there is no home; a socket directory that is none is not used', async () => {
    expect(await findHome(join(dir, 'other'))).toBe(null);
    expect(await findHome(join(dir, '.pawl'))).toEqual(home);
    await rm(home.socketDir, { recursive: true });
    await writeFile(home.socketDir, '');
    await expect(makeHome(join(dir, '.pawl'), null)).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      message: expect.stringContaining(home.socketDir),
    });
  });
});
