import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, runSql } from '../support/postgres.ts';
import { callCli, type Called } from './support/command-line.ts';
import { PLAIN } from './support/workflows.ts';

let folder = '';
let url = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-own-'));
  writeFileSync(join(folder, 'plain.yaml'), PLAIN);
});
beforeEach(async () => {
  url = await createTestDatabase({ empty: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = { PAWL_DATABASE: url },
): Promise<Called> => callCli(args, folder, { env: { PAWL_AS: 'ana', ...env } });
const isSetUp = async (): Promise<boolean> => {
  const [row] = await runSql(url, "SELECT to_regnamespace('pawl') IS NOT NULL AS made");
  return row?.['made'] === true;
};

const LOOKING: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--needs', 'human'],
  ['show', 'x'],
  ['why', 'x'],
  ['verify'],
  ['receipt', 'verify', 'x'],
  ['signal', 'x', 'paid'],
  ['approve', 'x'],
];

describe('a database of somebody else', () => {
  it.each(['PAWL_DATABASE', 'DATABASE_URL'])(
    'a verb that looks says that Pawl is not set up in the one of %s and what does it, and makes nothing',
    async (variable) => {
      for (const args of LOOKING) {
        const { code, err } = await call(args, { [variable]: url });
        expect([args, code, err]).toEqual([
          args,
          69,
          expect.stringMatching(/^error PAWL_MIGRATION_MISMATCH Pawl is not set up in this database: .*`pawl publish`/),
        ]);
      }
      expect(await isSetUp()).toBe(false);
    },
  );

  it('a verb that begins something sets it up, and from then on it is looked at', async () => {
    expect(await call(['publish', 'plain.yaml'])).toMatchObject({ code: 0 });
    expect(await isSetUp()).toBe(true);
    expect(await call(['verify'])).toMatchObject({ code: 0 });
  });

  it.each(['start', 'run'])('%s sets it up too', async (verb) => {
    expect(await call([verb, 'plain.yaml', '--input', '{"id":"a"}'])).toMatchObject({ code: 0 });
    expect(await isSetUp()).toBe(true);
  });
});

describe('a database that does not do', () => {
  const other = (change: (address: URL) => void): Readonly<Record<string, string>> => {
    const address = new URL(url);
    change(address);
    return { PAWL_DATABASE: address.toString() };
  };

  it('one that is not there is missing, and nobody is told to try again', async () => {
    const gone = other((address) => {
      address.pathname = '/nowhere_at_all';
    });
    const { code, err } = await call(['ls'], gone);
    expect(code).toBe(69);
    expect(err).toContain('error PAWL_DATABASE_MISSING');
    expect(err).toContain('"nowhere_at_all" does not exist): make it (CREATE DATABASE)');
    expect(err).not.toContain('try again');
  });

  it('a user that it does not know is refused, with the mend', async () => {
    const nobody = other((address) => {
      address.username = 'nobody_at_all';
    });
    expect(await call(['ls'], nobody)).toMatchObject({
      code: 69,
      err: expect.stringMatching(/^error PAWL_STORE_REFUSED the database does not let this user in .*mend the user/),
    });
  });

  it('one that lost a table is told to be restored', async () => {
    await call(['publish', 'plain.yaml']);
    await runSql(url, 'DROP TABLE pawl.timer');
    const { code, err } = await call(['start', 'plain', '--input', '{"id":"a"}']);
    expect(code).toBe(69);
    expect(err).toMatch(/error PAWL_MIGRATION_MISMATCH .*"pawl\.timer" does not exist\): restore it whole/);
    expect(err).not.toContain('try again');
  });

  it('a data directory in which somebody else has a folder `data` is refused and left as it was', async () => {
    mkdirSync(join(folder, 'x/data'), { recursive: true });
    writeFileSync(join(folder, 'x/data/foo'), 'hi\n');
    expect(await call(['ls', '--data', 'x'], { PATH: process.env['PATH'] ?? '' })).toMatchObject({
      code: 69,
      err: expect.stringContaining(`error PAWL_DATABASE_MISSING ${join(folder, 'x/data')} is there and is not ours`),
    });
    expect(readdirSync(join(folder, 'x'))).toEqual(['data']);
  });
});
