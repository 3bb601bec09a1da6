import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DatabaseStatus } from '../../src/store/postgres/launcher/database-options.ts';
import { callCli, type Called } from './support/command-line.ts';
import { PLAIN } from './support/workflows.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-db-'));
  writeFileSync(join(folder, 'plain.yaml'), PLAIN);
});
afterAll(async () => {
  await db('stop');
  // A data directory that the server's user cannot reach lies elsewhere and is named here.
  const moved = readFileSync(join(folder, '.pawl/location'), { encoding: 'utf8', flag: 'a+' }).trim();
  if (moved.startsWith('/var/tmp/pawl-')) rmSync(moved, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

/** The settings of a fresh folder: nothing names a database. */
const ENV = { PATH: process.env['PATH'] ?? '', PAWL_AS: 'ana' };
const call = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Called> =>
  callCli(args, folder, { env: { ...ENV, ...env } });
const db = (verb: string, ...more: readonly string[]): Promise<Called> => call(['db', verb, ...more]);
const status = async (): Promise<DatabaseStatus> => (await db('status', '-o', 'json')).json<DatabaseStatus>();

describe('pawl db', () => {
  it('knows of no database before the first start, and stopping what does not run is no failure', async () => {
    expect(await db('status')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^not running {2}\w+\n$/) as string,
    });
    expect(await status()).toMatchObject({ running: false, dataPath: null, url: null });
    expect(await db('url')).toMatchObject({
      code: 4,
      out: '',
      err: 'no database runs here: "pawl db start" starts one\n',
    });
    expect((await db('url', '-o', 'json')).json()).toEqual({ url: null });
    expect(await db('stop')).toMatchObject({ code: 0, out: '', err: 'it was not running\n' });
  });

  it('start prints the address and keeps the server up; a second start says so; status and url tell where it is', async () => {
    const first = await db('start');
    expect(first).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^postgres(ql)?:\/\/\S+\n$/) as string,
    });
    expect(await db('start')).toEqual({
      ...first,
      err: 'it runs already; it stays up until "pawl db stop"\n',
      json: expect.any(Function) as unknown,
    });
    const url = first.out.trim();
    expect((await db('start', '-o', 'json')).json()).toEqual({ url, wasRunning: true });
    expect((await db('url')).out.trim()).toBe(url);
    expect((await db('url', '--json')).json()).toEqual({ url });
    expect(await status()).toMatchObject({ running: true, pinned: true, url, clients: 0 });
    const { out } = await db('status');
    expect(out).toMatch(
      /^running {2}(bundled|system) PostgreSQL \d+, kept up\ndata {5}\S+\nurl {6}\S+\nclients {2}0\n$/,
    );
  });

  it('the database that it started is the one that the other verbs of that folder use, and outlives each of them', async () => {
    expect(await call(['run', 'plain.yaml', '--input', '{"id":"a"}'])).toMatchObject({
      code: 0,
      out: '{"note":"none"}\n',
    });
    expect(await status()).toMatchObject({ running: true, clients: 0 });
    expect((await call(['ls', '-o', 'ids'])).out).toMatch(/^run_\w+\n$/);
  });

  it('stop stops it; what it held is there after the next start', async () => {
    expect(await db('stop')).toMatchObject({ code: 0, err: 'stopped\n' });
    expect(await status()).toMatchObject({
      running: false,
      pinned: false,
      url: null,
      dataPath: expect.any(String) as string,
    });
    expect((await db('stop', '-o', 'json')).json()).toEqual({ stopped: false });
    await db('start');
    expect((await call(['show', 'a', '-o', 'json'])).json()).toMatchObject({ status: 'COMPLETED' });
  });

  it('dev answers the API there, and publishes what is saved: as a draft where the version is taken', async () => {
    const save = (wait: string): void =>
      writeFileSync(
        join(folder, 'nap.pawl.yaml'),
        `pawl: 1\nworkflow: nap\nversion: 1\ntimeout: 1d\nsteps: [{ id: pause, wait: ${wait} }]\n`,
      );
    let text = '';
    let heard: () => void = () => undefined;
    const said = async (words: string): Promise<void> => {
      while (!text.includes(words))
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
    };
    const onWrite = (more: string): void => {
      text += more;
      heard();
    };
    save('1h');
    const stopping = new AbortController();
    const developing = callCli(['dev', '--port', '0'], folder, { env: ENV, stopped: stopping.signal, onWrite });
    await said('watching 1 files *.pawl.yaml');
    expect(text).toContain('nap@1  published\n');
    save('soon');
    await said('"soon"');
    save('2h');
    await said('nap@2  published  draft: nap.pawl.yaml says version 1');
    const [, address] = /the API is at (\S+\/v1),/.exec(text) ?? [];
    expect(await (await fetch(`${address}/workflows`)).json()).toMatchObject({
      data: expect.arrayContaining([{ workflow: 'nap', latest: 2, versions: [1, 2] }]) as unknown,
    });
    stopping.abort();
    expect(await developing).toMatchObject({ code: 0, err: expect.stringContaining('stopping') as unknown });
    const own = { PAWL_DATABASE: inject('databaseUrl') };
    expect(await call(['dev'], own)).toMatchObject({ code: 2, err: expect.stringContaining('drafts') as unknown });
  });

  it('of a database of one’s own only the address is known: it is neither started nor stopped', async () => {
    const own = { PAWL_DATABASE: inject('databaseUrl') };
    for (const verb of ['start', 'stop']) {
      const { code, err } = await call(['db', verb], own);
      expect([code, err]).toEqual([2, expect.stringContaining('which pawl neither starts nor stops')]);
    }
    expect((await call(['db', 'url'], own)).out.trim()).toBe(own.PAWL_DATABASE);
    expect((await call(['db', 'status'], own)).out).toMatch(/^running {2}given\nurl {6}\S+\nclients {2}0\n$/);
    const nowhere = { PAWL_DATABASE: 'postgresql://pawl@127.0.0.1:9/pawl' };
    expect((await call(['db', 'status'], nowhere)).out).toContain('not running  given\n');
  });

  it('P12: the password of a database of one’s own is on no screen, in whatever form its address is asked for', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const own = { PAWL_DATABASE: 'postgresql://pawl:geheim@127.0.0.1:9/pawl?sslpassword=geheim&a=b' };
    const hidden = 'postgresql://pawl:******@127.0.0.1:9/pawl?sslpassword=******&a=b';
    expect((await call(['db', 'url'], own)).out).toBe(`${hidden}\n`);
    expect((await call(['db', 'url', '-o', 'json'], own)).json()).toEqual({ url: hidden });
    expect((await call(['db', 'status'], own)).out).toContain(`url      ${hidden}\n`);
    expect((await call(['db', 'status', '-o', 'json'], own)).json()).toMatchObject({ url: hidden });
  });

  it.each([
    ['the line before the mistake', 'database: postgres://pawl:geheim@db/pawl\nleasMs: 3\n', 'pawl:******@db/pawl'],
    ['the line of the mistake', 'database: mysql://pawl:geheim@db/pawl\n', 'mysql://pawl:******@db/pawl'],
    ['what YAML cannot read', 'database: "postgres://pawl:ge@/h:eim@db\n', 'pawl:*********@db'],
    ['a password of its own', 'database: { password: geheim, host: db }\n', '{ password: ******, host: db }'],
    [
      'an address in the place of a key',
      '"postgres://pawl:geheim@db/pawl": 1\n',
      'no key `postgres://pawl:******@db/pawl`',
    ],
    ['a misspelled key', 'databse: postgres://pawl:geheim@db/pawl\n', 'pawl:******@db'],
  ])('P12: a configuration file is shown without its password: %s', async (_, text, shown) => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    writeFileSync(join(folder, 'own.yaml'), text);
    const said = await call(['ls', '--config', 'own.yaml']);
    expect([said.code, said.err]).toEqual([2, expect.stringContaining(shown)]);
    const asData = await call(['ls', '--config', 'own.yaml', '-o', 'json']);
    expect(JSON.parse(asData.err)).toMatchObject({ error: { code: 'PAWL_CONFIG_INVALID' } });
    expect(said.err + asData.err).not.toMatch(/geheim|h:eim/);
  });
});
