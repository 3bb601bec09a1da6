import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { numbersFor } from '../../src/model/numbers.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { lostAnswer } from '../../src/testing/store-verbs.ts';
import { runSql } from '../support/postgres.ts';
import { begin, type House, openHouse, type Process, untilRun } from './support/house.ts';

const ROLE = `s_${randomBytes(6).toString('hex')}`;
const opening = (url: string, role: string) =>
  openPostgresStore({ url, numbers: numbersFor(9_000), applicationName: 'pawl-test', statements: { role } });

let house: House;
let store: Store;
beforeAll(async () => {
  house = await openHouse();
  for (const statement of [
    'CREATE TABLE public.stock (sku text PRIMARY KEY, on_hand integer NOT NULL, CONSTRAINT stock_ck CHECK (on_hand >= 0))',
    'CREATE TABLE public.slot (no integer, CONSTRAINT slot_no UNIQUE (no) DEFERRABLE INITIALLY DEFERRED)',
  ])
    await runSql(house.url, statement);
  store = await opening(house.url, ROLE);
  await runSql(house.url, `GRANT SELECT, INSERT, UPDATE ON public.stock, public.slot TO ${ROLE}`);
});
afterEach(() => house.rest());
afterAll(async () => {
  await store.close();
  await house.close();
});

const text = (sql: string, more = ''): string => `pawl: 1
workflow: saga
version: 1
timeout: 1d
input: { type: object, properties: { sku: { type: string }, n: { type: integer } } }
actions:
  act:
    sql: ${JSON.stringify(sql)}
    compensate: none
${more}steps:
  - { id: act, call: act, with: { sku: =input.sku, n: =input.n } }
output: =steps.act.output
`;
const ADD = text('INSERT INTO stock (sku, on_hand) VALUES (:sku, :n) RETURNING sku, on_hand');

async function play(worker: Process, file: string, input: { sku: string; n: number }) {
  const run = await begin(worker, file, input);
  await worker.app.runWorker();
  return untilRun(worker, run, ({ endedAt }) => endedAt !== null);
}

const stockOf = async (sku: string): Promise<unknown> =>
  (await runSql(house.url, 'SELECT on_hand FROM public.stock WHERE sku = $1', [sku])).map(
    (row) => row['on_hand'] as unknown,
  );

describe('a statement on PostgreSQL', () => {
  it('E13 is in the table and in the ledger, and its rows are the output', async () => {
    // E13: "a transaction of their own with the run's commit"
    const view = await play(await house.process({ store }), ADD, { sku: "it's", n: 3 });
    expect(view).toMatchObject({ status: 'COMPLETED', output: { rows: [{ sku: "it's", on_hand: 3 }], rowCount: 1 } });
    expect(await stockOf("it's")).toEqual([3]);
  });

  it.each([
    ['a key that is there', 'INSERT INTO stock SELECT x, 1 FROM unnest(ARRAY[:sku, :sku]) AS x', 'sql-23505'],
    ['a rule of the table', 'INSERT INTO stock VALUES (:sku, -1)', 'sql-23514'],
    ['a deferred rule', 'INSERT INTO slot SELECT 1 FROM generate_series(1, 2)', 'sql-23505'],
    ['the engine: its role has no rights there', 'UPDATE pawl.run_head SET revision = 0', 'sql-42501'],
    ['another role', "SELECT set_config('role', 'none', true)", 'sql-42501'],
    ['more rows than an expression may look at', 'SELECT * FROM generate_series(1, 10001)', 'too-many-rows'],
    ['more bytes than the action wants', 'SELECT repeat(:sku, 1000000) AS big', 'too-large'],
    ['what no value can hold', 'SELECT 9007199254740993 AS n', 'unreadable'],
  ])('E13 what PostgreSQL refuses is FAILED and leaves nothing: %s', async (_, sql, code) => {
    // E13: "the statement run inside a SECURITY DEFINER function of a role without rights in the engine's schema, whose exception block gives FAILED"
    const view = await play(await house.process({ store }), text(sql), { sku: 'no', n: 1 });
    expect(view).toMatchObject({ status: 'FAILED', failure: { code } });
    expect(await stockOf('no')).toEqual([]);
    expect(await runSql(house.url, 'SELECT no FROM public.slot')).toEqual([]);
  });

  it('E13 a statement that takes too long has done nothing, and what it has set is set right', async () => {
    // E13: "whose exception block gives FAILED"
    const worker = await house.process({ store });
    const slow = text("SELECT set_config('search_path', 'nowhere', false), pg_sleep(30)", '').replace(
      '    compensate',
      '    timeout: 100ms\n    compensate',
    );
    expect(await play(worker, slow, { sku: 'slow', n: 1 })).toMatchObject({ failure: { code: 'sql-57014' } });
    const sets = text("SELECT set_config('search_path', 'nowhere', false), pg_advisory_lock(7)");
    expect(await play(worker, sets, { sku: 'sets', n: 1 })).toMatchObject({ status: 'COMPLETED' });
    expect(await runSql(house.url, 'SELECT pg_try_advisory_lock(7) AS free')).toEqual([{ free: true }]);
    expect(await play(worker, ADD, { sku: 'later', n: 1 })).toMatchObject({ status: 'COMPLETED' });
  });

  it.each(['before', 'after', 'lost', 'lost and not done'])(
    'E13 a COMMIT and a death: %s leaves the table and the ledger agreeing',
    async (fault) => {
      // E13: "a transaction of their own with the run's commit"
      let acts = 0;
      const act: NonNullable<Store['act']> = async (ask, conclude) => {
        acts += 1;
        if (acts > 1 || fault === 'none') return (await store.act?.(ask, conclude)) ?? { kind: 'busy' };
        const isDone = fault === 'after' || fault === 'lost';
        await store.act?.(ask, (report) => {
          const commit = conclude(report);
          return isDone ? commit : null;
        });
        if (fault === 'lost' || fault === 'lost and not done') throw lostAnswer('act');
        first.kill();
        return new Promise(() => undefined);
      };
      const broken = new Proxy(store, {
        get: (target, name) => (name === 'act' ? act : (Reflect.get(target, name) as unknown)),
      });
      const numbers = { leaseMs: 1_500 };
      const first = await house.process({ store: broken, numbers });
      const run = await begin(first, ADD, { sku: fault, n: 5 });
      await first.app.runWorker();
      const second = fault.startsWith('lost') ? first : await house.process({ store, numbers });
      if (second !== first) await second.app.runWorker();
      const view = await untilRun(second, run, ({ endedAt }) => endedAt !== null);
      expect(view).toMatchObject({ status: 'COMPLETED' });
      expect(view.effects).toMatchObject([{ state: 'CONFIRMED' }]);
      expect(await stockOf(fault)).toEqual([5]);
      expect((await second.app.verify(run)).faults).toEqual([]);
    },
  );

  it('E13 a role that may touch what the engine remembers is refused, with the mend', async () => {
    // E13: "a role without rights in the engine's schema"
    const other = `r_${randomBytes(6).toString('hex')}`;
    await runSql(house.url, `CREATE ROLE ${other} NOLOGIN`);
    await runSql(house.url, `GRANT USAGE ON SCHEMA pawl TO ${other}`);
    await expect(opening(house.url, other)).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
      message: expect.stringContaining('REVOKE ALL ON SCHEMA pawl FROM'),
    });
    const [{ me } = { me: '' }] = await runSql(house.url, 'SELECT current_user AS me');
    await expect(opening(house.url, String(me))).rejects.toMatchObject({ code: 'PAWL_CONFIG_INVALID' });
    await runSql(house.url, `DROP OWNED BY ${other}`);
    await runSql(house.url, `DROP ROLE ${other}`);
  });
});
