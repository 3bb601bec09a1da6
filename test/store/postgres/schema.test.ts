import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, describe, it, beforeAll, afterAll } from 'vitest';
import { END_STATUSES, EFFECT_STATES, RUN_STATUSES } from '../../../src/model/statuses.ts';
import { SCHEMA_DUMP } from '../../../src/store/postgres/sql/schema-dump.ts';
import {
  effectOf,
  inserting,
  loadOne,
  receiptOf,
  seated,
  signalTo,
  startOneHeld,
  stepOf,
} from '../../../src/testing/store-conformance/rows.ts';
import type { RunId } from '../../../src/model/ids.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { prepareReaderRole } from '../../../src/store/postgres/reader-role.ts';
import type { TenantReads } from '../../../src/store/postgres/tenant-reads.ts';
import { openTestStore, runSql, type TestStore } from '../../support/postgres.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

async function refusal(statement: string): Promise<string> {
  return runSql(opened.url, statement).then(
    (rows) => `done: ${JSON.stringify(rows)}`,
    (error: { code: string }) => error.code,
  );
}

describe('The schema', () => {
  it('The dump in the repository is what the migrations make', async () => {
    const rows = await runSql(opened.url, SCHEMA_DUMP.text);
    await expect(`${rows.map((row) => row['line'] as string).join('\n')}\n`).toMatchFileSnapshot(
      '../../../src/store/postgres/schema-dump.txt',
    );
  });

  it('Statuses and effect states in the constraints are those of the model', async () => {
    const [row] = await runSql(
      opened.url,
      "SELECT string_agg(pg_get_constraintdef(oid), ' ' ORDER BY conname) AS text FROM pg_constraint WHERE conname IN ('run_head_status_ck', 'effect_state_ck')",
    );
    const words = [...String(row?.['text']).matchAll(/'([A-Z_]+)'/g)].map((match) => match[1]);
    expect(words).toEqual([...EFFECT_STATES, ...RUN_STATUSES]);
    const [trigger] = await runSql(
      opened.url,
      "SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgname = 'run_head_end'",
    );
    for (const status of END_STATUSES) expect(String(trigger?.['text'])).toContain(`'${status}'`);
  });

  it('What is written once cannot be changed, not even by hand', async () => {
    const { store } = opened;
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    await store.publish({
      tenant: 'default',
      workflow: 'shop',
      version: 1,
      digest: 'd' as never,
      digests: {},
      source: '',
      machine: '{}',
      publishedBy: 'a',
      publishedAtMs: 0,
    });
    const effect = effectOf('once');
    await store.commit(0, worker, [
      stepOf(runId, 1, 1, {
        effects: [inserting(effect)],
        receipts: [receiptOf(1, effect)],
        votes: [
          {
            approvalId: 'a',
            vote: { principal: 'user:bea', decision: 'approve', subjectHash: 'h', roles: [], comment: null, atMs: 0 },
          },
        ],
        observations: [{ part: 0, runId, effectKey: effect.key, source: 's', sourceId: 'i', detail: null }],
        audit: [{ actor: 'a', act: 'b', target: 'c', reason: null, detail: null, atMs: 0 }],
      }),
    ]);
    for (const table of ['run', 'journal', 'receipt', 'observation', 'vote', 'audit']) {
      expect(await refusal(`UPDATE pawl.${table} SET part = part`), table).toBe('PW001');
    }
    for (const table of ['receipt', 'observation', 'vote', 'audit', 'definition'])
      expect(await refusal(`DELETE FROM pawl.${table}`), table).toBe('PW001');
    expect(await refusal("UPDATE pawl.definition SET source = 'other'")).toBe('PW001');
    expect(await refusal("UPDATE pawl.effect SET request = 'other'")).toBe('PW001');
    expect(await refusal("UPDATE pawl.inbox SET payload = 'other'")).toBe('PW001');
    expect(await refusal("UPDATE pawl.effect SET state = 'LOST'")).toBe('23514');
    expect((await loadOne(store, runId)).effects.find(({ key }) => key === effect.key)).toEqual(effect);
  });

  it('Acts of people are chained per run', async () => {
    const { store } = opened;
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const act = (name: string) => ({
      actor: 'user:anna',
      act: name,
      target: 'pay',
      reason: null,
      detail: { name },
      atMs: 1_700_000_000_000,
    });
    await store.commit(0, worker, [stepOf(runId, 1, 1, { audit: [act('one'), act('two')] })]);
    await store.commit(0, worker, [stepOf(runId, 1, 2, { audit: [act('three')] })]);
    const rows = await runSql(
      opened.url,
      'SELECT audit_no, act, previous, integrity FROM pawl.audit WHERE run_id = $1 ORDER BY audit_no',
      [runId],
    );
    expect(rows.map((row) => [row['audit_no'], row['act']])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    expect(rows.map((row) => row['previous'])).toEqual([
      '0'.repeat(64),
      rows[0]?.['integrity'],
      rows[1]?.['integrity'],
    ]);
  });

  it('Head updates are HOT: no index mentions a column of the head that changes, but for those that change once', async () => {
    const rows = await runSql(
      opened.url,
      "SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = 'pawl.run_head'::regclass ORDER BY text",
    );
    expect(rows.map((row) => row['text'])).toEqual([
      'CREATE INDEX run_head_open_idx ON pawl.run_head USING btree (tenant, part, run_id) WHERE (ended_at IS NULL)',
      'CREATE INDEX run_head_retained_idx ON pawl.run_head USING btree (part, run_id) WHERE (pruned_at IS NULL)',
      'CREATE UNIQUE INDEX run_head_pk ON pawl.run_head USING btree (part, run_id)',
    ]);
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(
      "UPDATE pawl.run_head SET revision = revision + 1, owner = 'w', pruned_at = pruned_at, ended_at = ended_at",
    );
    const { rows: counts } = await client.query(
      "SELECT n_tup_upd = n_tup_hot_upd AND n_tup_upd > 0 AS hot FROM pg_stat_xact_user_tables WHERE relname = 'run_head'",
    );
    await client.end();
    expect(counts).toEqual([{ hot: true }]);
  });
});

/** Tables that carry a tenant. */
async function tablesOfTenants(): Promise<readonly string[]> {
  const rows = await runSql(
    opened.url,
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'pawl' AND column_name = 'tenant' ORDER BY table_name",
  );
  return rows.map((row) => row['table_name'] as string);
}

/** A run with a row in every table that a step writes. */
async function fullRun(): Promise<RunId> {
  const { store } = opened;
  const worker = await seated(store);
  const runId = await startOneHeld(store, worker);
  await store.deliver(0, [signalTo(runId, 'e-2')]);
  const effect = effectOf('once');
  await store.commit(0, worker, [
    stepOf(runId, 1, 1, {
      effects: [inserting(effect)],
      receipts: [receiptOf(1, effect)],
      observations: [{ part: 0, runId, effectKey: effect.key, source: 's', sourceId: 'i', detail: null }],
      audit: [{ actor: 'a', act: 'b', target: 'c', reason: null, detail: null, atMs: 0 }],
    }),
  ]);
  return runId;
}

/** Gives everything of a run to another tenant: what only a fault, or another server on the same database, would do. */
async function giveAway(runId: RunId): Promise<void> {
  await runSql(
    opened.url,
    `DO $$ DECLARE held text; BEGIN
      SET LOCAL session_replication_role = replica;
      FOR held IN SELECT c.table_name FROM information_schema.columns c JOIN information_schema.columns d USING (table_schema, table_name)
        WHERE c.table_schema = 'pawl' AND c.column_name = 'tenant' AND d.column_name = 'run_id'
      LOOP EXECUTE format('UPDATE pawl.%I SET tenant = ''other'' WHERE run_id = ''${runId}''', held); END LOOP;
    END $$`,
  );
}

/** What is found of a run by verbs whose statements name no tenant. */
async function foundOf(reads: TenantReads, runId: RunId): Promise<Readonly<Record<string, number>>> {
  return {
    load: (await reads.load(0, [runId])).runs.length,
    journal: (await reads.journal(0, runId)).length,
    receipts: (await reads.receipts(0, runId)).length,
    observations: (await reads.observations(0, runId)).length,
    inbox: (await reads.inbox(0, runId)).length,
    audit: (await reads.audit(0, runId)).length,
    heads: (await reads.heads(0, [runId])).length,
  };
}

const NOTHING = { load: 0, journal: 0, receipts: 0, observations: 0, inbox: 0, audit: 0, heads: 0 };
const ALL_OF_IT = { load: 1, journal: 2, receipts: 1, observations: 1, inbox: 1, audit: 1, heads: 1 };

describe('Reads for the callers of a tenant', () => {
  let mine: RunId;
  let theirs: RunId;
  beforeAll(async () => {
    mine = await fullRun();
    theirs = await fullRun();
    await giveAway(theirs);
  });

  it.each(['none', 'transaction'] as const)(
    'S18 a query that has forgotten the tenant gives no row of another, pooler: %s',
    async (pooler) => {
      // "row-level security on: a query forgotten in code [0 rows]"
      const unbound: string[] = [];
      const onUnbound = ({ message }: Error): number => unbound.push(message);
      const { bound } = await opened.again({ pooler, connections: 2, readsFor: { tenant: 'default', onUnbound } });
      if (bound === null) throw new Error(`the reads are not bound: ${unbound.join()}`);
      expect(await foundOf(opened.store, theirs)).toEqual(ALL_OF_IT);
      expect(await foundOf(bound, theirs)).toEqual(NOTHING);
      expect(await foundOf(bound, mine)).toEqual(ALL_OF_IT);
      expect(await opened.store.findRun('other', theirs)).toHaveLength(1);
      expect(await bound.findRun('other', theirs)).toEqual([]);
      const asked = { workflow: null, statuses: null, needsHuman: false, q: null };
      expect(await opened.store.countRuns({ tenant: 'other', ...asked }, 10)).toBe(1);
      expect(await bound.countRuns({ tenant: 'other', ...asked }, 10)).toBe(0);
      expect((await bound.effects({ tenant: 'default', limit: 10 })).map(({ runId }) => runId)).toContain(mine);
    },
  );

  it('S18 the role sees the rows of the tenant that is set, in every table, and none without one; it changes nothing', async () => {
    const tables = await tablesOfTenants();
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await prepareReaderRole(client);
    await client.query('SET ROLE pawl_reader');
    const seen = async (table: string): Promise<unknown[]> =>
      (await client.query(`SELECT DISTINCT tenant FROM pawl.${table}`)).rows.map((row) => row.tenant as unknown);
    for (const table of tables) expect([table, await seen(table)]).toEqual([table, []]);
    await client.query("SET pawl.tenant = 'other'");
    const ofOther = [];
    for (const table of tables) if ((await seen(table)).length > 0) ofOther.push([table, await seen(table)]);
    expect(ofOther.map(([table]) => table)).toEqual(expect.arrayContaining(['audit', 'effect', 'run', 'run_head']));
    expect(ofOther.flatMap(([, tenants]) => tenants)).toEqual(ofOther.map(() => 'other'));
    await expect(client.query('DELETE FROM pawl.lease')).rejects.toMatchObject({ code: '42501' });
    await client.end();
  });

  it('S18 every table that carries a tenant is under the policy', async () => {
    const rows = await runSql(
      opened.url,
      "SELECT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE p.polname = 'own_tenant' AND c.relrowsecurity ORDER BY c.relname",
    );
    expect(rows.map((row) => row['relname'])).toEqual(await tablesOfTenants());
  });

  it('S18 a user who may not make the role is told what to do, and one who would see nothing is refused', async () => {
    const role = `plain_${randomBytes(4).toString('hex')}`;
    await runSql(opened.url, `CREATE ROLE ${role} NOLOGIN`);
    await runSql(opened.url, `GRANT USAGE ON SCHEMA pawl TO ${role}`);
    await runSql(opened.url, `GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO ${role}`);
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await client.query(`SET ROLE ${role}`);
    await expect(prepareReaderRole(client)).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
      message: expect.stringMatching(/pawl_reader .*(?:CREATE ROLE|GRANT)/),
    });
    await client.end();
    const url = new URL(opened.url);
    url.searchParams.set('options', `-c role=${role}`);
    await expect(openPostgresStore({ url: url.toString(), migrate: 'check' })).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
      message: expect.stringContaining('connect as their owner'),
    });
    await runSql(opened.url, `DROP OWNED BY ${role}`);
    await runSql(opened.url, `DROP ROLE ${role}`);
  });

  it('S18 the owner of the tables works for every tenant, as the server itself has it, and the reader keeps the indexes', async () => {
    const role = `owner_${randomBytes(4).toString('hex')}`;
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await prepareReaderRole(client);
    await client.query(`BEGIN; CREATE ROLE ${role} NOLOGIN; GRANT ALL ON SCHEMA pawl TO ${role}`);
    await client.query(`ALTER TABLE pawl.run OWNER TO ${role}; SET LOCAL ROLE ${role}; SET LOCAL enable_seqscan = off`);
    const planOf = async (): Promise<string> =>
      (await client.query('EXPLAIN SELECT run_id FROM pawl.run ORDER BY started_at DESC LIMIT 1')).rows
        .map((row) => row['QUERY PLAN'] as string)
        .join('\n');
    expect(await planOf()).not.toContain('pawl.tenant');
    // What pg_dump does: it fails where rows would be hidden.
    await client.query('SET LOCAL row_security = off');
    expect((await client.query('SELECT DISTINCT tenant FROM pawl.run ORDER BY tenant')).rows).toEqual([
      { tenant: 'default' },
      { tenant: 'other' },
    ]);
    await client.query('SET LOCAL row_security = on; RESET ROLE; SET LOCAL ROLE pawl_reader');
    expect(await planOf()).toMatch(/Index .*Scan using run_tenant_started_idx[\s\S]*Index Cond: .*pawl\.tenant/);
    await client.query('ROLLBACK');
    await client.end();
  });
});
