import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Migration, MIGRATIONS } from '../../../src/store/postgres/migrations/migration-list.ts';
import { assertCompatible, migrate, readSchema } from '../../../src/store/postgres/migrations/migrate.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { RunId } from '../../../src/model/ids.ts';
import { seated, stepOf } from '../../../src/testing/store-conformance/rows.ts';
import { createTestDatabase, runSql } from '../../support/postgres.ts';

const NEXT: Migration = {
  number: MIGRATIONS.length + 1,
  name: 'next',
  breaking: false,
  sql: 'CREATE TABLE pawl.later (n integer)',
};

let url = '';
const clients: pg.Client[] = [];
beforeEach(async () => {
  url = await createTestDatabase({ empty: true });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

describe('Migrations', () => {
  it('Migrations are numbered from 1 without gaps', () => {
    expect(MIGRATIONS.map((step) => step.number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it('Several processes that start at once migrate once, and later starts change nothing', async () => {
    await Promise.all(Array.from({ length: 4 }, async () => migrate(await connect(), { parts: 8 })));
    await migrate(await connect(), { parts: 2 });
    expect(await readSchema(await connect())).toEqual({ number: MIGRATIONS.length, parts: 8 });
    expect(await runSql(url, 'SELECT count(*)::integer AS n FROM pawl.migration')).toEqual([{ n: MIGRATIONS.length }]);
  });

  it('A migration that fails leaves nothing, and the next start finishes', async () => {
    const broken = [...MIGRATIONS, { ...NEXT, sql: `${NEXT.sql}; SELECT no_such_function()` }];
    await expect(migrate(await connect(), { known: broken })).rejects.toThrow('no_such_function');
    expect(await readSchema(await connect())).toEqual({ number: 0, parts: 0 });
    await migrate(await connect(), { known: [...MIGRATIONS, NEXT] });
    expect((await readSchema(await connect(), [...MIGRATIONS, NEXT])).number).toBe(MIGRATIONS.length + 1);
  });

  it('A schema that is newer, or made by another text, is refused with what to do', async () => {
    await migrate(await connect(), { known: [...MIGRATIONS, NEXT] });
    await expect(openPostgresStore({ url })).rejects.toMatchObject({
      code: 'PAWL_MIGRATION_MISMATCH',
      message: expect.stringContaining('newer release'),
    });
    await runSql(url, "UPDATE pawl.migration SET sha256 = 'other' WHERE number = 1");
    await expect(migrate(await connect(), { known: [...MIGRATIONS, NEXT] })).rejects.toMatchObject({
      message: expect.stringContaining('another text'),
    });
  });

  it('Code runs on its own schema and on the one before where the last step breaks nothing, and on no other', () => {
    const known = [...MIGRATIONS, NEXT, { ...NEXT, number: NEXT.number + 1, breaking: true }];
    expect(() => assertCompatible(known.length, known)).not.toThrow();
    expect(() => assertCompatible(known.length - 1, known)).toThrow('needs');
    expect(() => assertCompatible(NEXT.number - 1, known.slice(0, NEXT.number))).not.toThrow();
    expect(() => assertCompatible(0, MIGRATIONS)).toThrow('Pawl is not set up');
  });

  it('Runs that were started before there were locks have none, and go on', async () => {
    const client = await connect();
    await migrate(client, { known: MIGRATIONS.slice(0, 2) });
    const id = '01890000-0000-7000-8000-000000000001';
    await runSql(
      url,
      `INSERT INTO pawl.run VALUES (0, '${id}', 'default', 'shop', 1, 'd', 'old', 1, '{}', now(), 'ana');
       INSERT INTO pawl.run_head VALUES (0, '${id}', 'default', 1, 0, NULL, 'WAITING', 'forward', '[]', 0, false, 0, '{}')`,
    );
    const store = await openPostgresStore({ url });
    const [run] = await store.findRun('default', 'old');
    expect(run).toMatchObject({ runId: id, key: 'old' });
    expect(Object.keys(run ?? {})).not.toContain('lock');
    expect(await store.locks('default', null, 10)).toEqual([]);
    const [records] = (await store.records(0, null, 10)).runs;
    expect(records).toMatchObject({ place: null });
    await store.close();
  });

  it('Runs that were started before there was an outbox have sent nothing, and send from now on', async () => {
    const client = await connect();
    await migrate(client, { known: MIGRATIONS.slice(0, 4) });
    const id = '01890000-0000-7000-8000-000000000001' as RunId;
    await runSql(
      url,
      `INSERT INTO pawl.run VALUES (0, '${id}', 'default', 'shop', 1, 'd', 'old', 1, '{}', now(), 'ana');
       INSERT INTO pawl.run_head VALUES (0, '${id}', 'default', 1, 0, NULL, 'RUNNING', 'forward', '[]', 0, false, 0, '{}')`,
    );
    const store = await openPostgresStore({ url });
    const worker = await seated(store);
    expect(await store.claimRun(0, id, worker)).toMatchObject({ run: { fence: 1 } });
    expect(await store.outbox(0, id)).toEqual([]);
    const message = { revision: 2, ordinal: 0, messageId: 'm', key: null, step: 's', frames: [], body: '{}', atMs: 0 };
    const outbox = [{ ...message, topic: 'event' as const }];
    expect(await store.commit(0, worker, [stepOf(id, 1, 1, { outbox })])).toMatchObject([{ kind: 'applied' }]);
    expect(await store.outbox(0, id)).toMatchObject([{ messageId: 'm', state: 'waiting' }]);
    await store.close();
  });

  it('A store that may not migrate refuses an empty database, and one opened with other parts is told so', async () => {
    await expect(openPostgresStore({ url, migrate: 'check' })).rejects.toMatchObject({
      code: 'PAWL_MIGRATION_MISMATCH',
      message: expect.stringContaining('not set up in this database: publish'),
    });
    expect(await runSql(url, "SELECT to_regnamespace('pawl')::text AS made")).toEqual([{ made: null }]);
    const store = await openPostgresStore({ url, parts: 2 });
    expect(store.parts).toBe(2);
    await store.close();
    await expect(openPostgresStore({ url, parts: 4 })).rejects.toMatchObject({ code: 'PAWL_CONFIG_INVALID' });
  });
});

describe('A schema that is not as Pawl has made it', () => {
  it.each([
    [
      'a table `migration` of somebody else',
      'CREATE TABLE pawl.migration (id integer)',
      'pawl.migration is not the one',
    ],
    ['tables of somebody else', 'CREATE TABLE pawl.cat (id integer)', 'holds tables (cat) and pawl.migration'],
  ])('%s: opening refuses it, names it and changes nothing', async (_, statement, words) => {
    await runSql(url, 'CREATE SCHEMA pawl');
    await runSql(url, statement);
    for (const rights of ['apply', 'check'] as const)
      await expect(openPostgresStore({ url, migrate: rights })).rejects.toMatchObject({
        code: 'PAWL_MIGRATION_MISMATCH',
        message: expect.stringContaining(words),
      });
    expect(await runSql(url, "SELECT to_regclass('pawl.setting')::text AS made")).toEqual([{ made: null }]);
  });

  it.each([
    ['no record of its migrations', 'DELETE FROM pawl.migration', /holds tables \(.*setting.*\) and pawl\.migration/],
    ['a record with a gap', 'DELETE FROM pawl.migration WHERE number = 1', /holds row 2 where 1 belongs/],
    [
      'a record that ends too early',
      'DELETE FROM pawl.migration WHERE number > 1',
      /not as Pawl has made it .*already exists/,
    ],
    ['no setting', 'DELETE FROM pawl.setting', /pawl\.setting is empty/],
    ['a table that is gone', 'DROP TABLE pawl.setting', /not as Pawl has made it .*pawl\.setting/],
  ])('a restore that brought %s is refused and told to be restored whole', async (_, statement, words) => {
    await migrate(await connect());
    await runSql(url, statement);
    await expect(openPostgresStore({ url })).rejects.toMatchObject({
      code: 'PAWL_MIGRATION_MISMATCH',
      retry: 'never',
      message: expect.stringMatching(words),
    });
    await expect(openPostgresStore({ url })).rejects.toThrow('restore');
  });
});

describe('A role without rights', () => {
  const role = 'lowly_of_migrations';
  const lowly = (): string => {
    const address = new URL(url);
    address.username = role;
    return address.toString();
  };
  beforeEach(async () => {
    await runSql(url, `CREATE ROLE ${role} LOGIN`);
  });
  afterEach(async () => {
    await runSql(url, `DROP OWNED BY ${role}`);
    await runSql(url, `DROP ROLE ${role}`);
  });

  it.each([
    ['an empty database', 'SELECT 1', 'permission denied for database'],
    ['the schema', 'SELECT 1', 'permission denied for schema pawl'],
    ['its tables', `GRANT USAGE ON SCHEMA pawl TO ${role}`, 'permission denied for table'],
  ])('is told which right on %s is missing and what to grant', async (where, grant, words) => {
    if (where !== 'an empty database') await migrate(await connect());
    await runSql(url, grant);
    await expect(openPostgresStore({ url: lowly() })).rejects.toMatchObject({
      code: 'PAWL_STORE_REFUSED',
      retry: 'never',
      message: expect.stringMatching(new RegExp(`lacks a right \\(42501: ${words}.*: grant it: USAGE`)),
    });
  });
});
