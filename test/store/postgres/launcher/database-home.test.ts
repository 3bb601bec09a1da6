import { chmod, lstat, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverAccount } from '../../../../src/store/postgres/launcher/account.ts';
import { makeHome } from '../../../../src/store/postgres/launcher/database-home.ts';

const isRoot = process.getuid?.() === 0;
let dir = '';

beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-home-');
  await chmod(dir, 0o755);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('The places of a database that root hands to another account', () => {
  it('Starts at the same moment make them together', async ({ skip }) => {
    const account = await serverAccount(process.getuid?.());
    if (account === null) skip('needs root');
    for (let round = 0; round < 20; round++) {
      const dataDir = join(dir, `${round}`);
      const homes = await Promise.all(Array.from({ length: 8 }, () => makeHome(dataDir, account)));
      const socket = await stat(homes[0]?.socketDir ?? '');
      expect([socket.uid, socket.mode & 0o777]).toEqual([account?.uid, 0o700]);
    }
  });

  it('One that a killed start made and did not hand over is handed over by the next', async ({ skip }) => {
    if (!isRoot) skip('needs root');
    const dataDir = join(dir, '.pawl');
    await mkdir(join(dataDir, 'socket'), { recursive: true, mode: 0o755 });
    const account = await serverAccount(0);
    const { socketDir } = await makeHome(dataDir, account);
    const found = await lstat(socketDir);
    expect([found.uid, found.gid, found.mode & 0o777]).toEqual([account?.uid, account?.gid, 0o700]);
  });
});
