import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canReach, mayRead, serverAccount } from '../../../../src/store/postgres/launcher/account.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-account-');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function passwd(...lines: readonly string[]): Promise<string> {
  const file = join(dir, 'passwd');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

describe('The account of the server', () => {
  it('Whoever is not root runs the server as who they are', async () => {
    expect(await serverAccount(1_000)).toBe(null);
    expect(await serverAccount(undefined)).toBe(null);
  });

  it('Root hands it to postgres where there is one, else to nobody, else says what to do', async () => {
    const [root, nobody, postgres] = ['root:x:0:0::/:/sh', 'nobody:x:65534:65533::/:/no', 'postgres:x:101:104::/:/sh'];
    expect(await serverAccount(0, await passwd(root, nobody, postgres))).toEqual({
      name: 'postgres',
      uid: 101,
      gid: 104,
    });
    expect(await serverAccount(0, await passwd(root, nobody))).toEqual({ name: 'nobody', uid: 65_534, gid: 65_533 });
    const refusal = { code: 'PAWL_DATABASE_MISSING', message: expect.stringContaining('DATABASE_URL') };
    await expect(serverAccount(0, await passwd(root))).rejects.toMatchObject(refusal);
    await expect(serverAccount(0, join(dir, 'nowhere'))).rejects.toMatchObject(refusal);
  });

  it('A file grants by owner, by group or to others, whichever comes first', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    const { uid, gid } = await stat(file);
    const readers = async (mode: number): Promise<boolean[]> => {
      await chmod(file, mode);
      const accounts = [
        { name: 'owner', uid, gid },
        { name: 'group', uid: uid + 1, gid },
        { name: 'other', uid: uid + 1, gid: gid + 1 },
      ];
      return Promise.all(accounts.map((account) => mayRead(account, file)));
    };
    expect(await readers(0o400)).toEqual([true, false, false]);
    expect(await readers(0o040)).toEqual([false, true, false]);
    expect(await readers(0o004)).toEqual([false, false, true]);
  });

  it('A directory is reached when every one on the way may be entered; what is not there yet bars nobody', async () => {
    const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };
    const inner = join(dir, 'outer', 'inner');
    await mkdir(inner, { recursive: true });
    await chmod(dir, 0o711);
    expect(await canReach(stranger, join(inner, 'not', 'yet'))).toBe(true);
    await chmod(join(dir, 'outer'), 0o700);
    expect(await canReach(stranger, inner)).toBe(false);
    expect(await canReach(null, inner)).toBe(true);
  });
});
