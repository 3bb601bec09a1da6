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

  it('Head updates are HOT: no index mentions a column of the head that changes, but for the one that changes once', async () => {
    const rows = await runSql(
      opened.url,
      "SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = 'pawl.run_head'::regclass",
    );
    expect(rows.map((row) => row['text'])).toEqual([
      'CREATE UNIQUE INDEX run_head_pk ON pawl.run_head USING btree (part, run_id)',
      'CREATE INDEX run_head_retained_idx ON pawl.run_head USING btree (part, run_id) WHERE (pruned_at IS NULL)',
    ]);
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query("UPDATE pawl.run_head SET revision = revision + 1, owner = 'w', pruned_at = pruned_at");
    const { rows: counts } = await client.query(
      "SELECT n_tup_upd = n_tup_hot_upd AND n_tup_upd > 0 AS hot FROM pg_stat_xact_user_tables WHERE relname = 'run_head'",
    );
    await client.end();
    expect(counts).toEqual([{ hot: true }]);
  });
});
