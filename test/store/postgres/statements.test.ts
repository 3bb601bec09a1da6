import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATEMENTS } from '../../../src/store/postgres/sql/statement-list.ts';
import type { Statement } from '../../../src/store/postgres/sql/statement.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const ROWS = 100_000;
const HOT = STATEMENTS.filter((statement) => statement.hot);
/** As the writers' connections are set. */
const PINNED = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off`;
/** Statements that read a whole part of a queue table, and which: short tables, in the order of their index. */
const WHOLE_PART = new Map([
  ['sweep', ['lease', 'seat']],
  ['claim', ['ready']],
  ['fire', ['timer']],
  ['overdue', ['lease', 'ready', 'timer']],
  ['next_due', ['ready', 'timer']],
  ['sweep_locks', ['lock_place']],
  ['claim_outbox', ['outbox']],
  ['take_offers', ['offer']],
  ['claim_schedules', ['schedule', 'definition']],
  ['changes', ['change', 'change_kept']],
  ['forget_changes', ['change', 'change_kept']],
]);

/** Indexes by which what is open is counted in tables that `fill` makes large: each but that of the ledger, which is read run by run, has open rows alone. */
const OPEN_ROWS = [
  'run_head_open_idx',
  'effect_pk',
  'effect_doubt_idx',
  'timer_due_idx',
  'inbox_open_idx',
  'outbox_open_idx',
];

/** What every part has the same of: published once, never changed. */
const REFERENCE = new Set(['definition']);

/** Tables that `fill` makes large. */
const FILLED = new Set(['run', 'run_head', 'ready', 'timer', 'lease', 'inbox', 'journal', 'effect', 'start_key']);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Schema?: string;
  readonly 'Index Cond'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: await createTestDatabase() });
  await client.connect();
  await client.query(PINNED);
  for (const statement of STATEMENTS) await client.query(`PREPARE ${statement.name} AS ${statement.text}`);
}, 60_000);
afterAll(() => client.end());

function named(name: string): Statement {
  const found = STATEMENTS.find((statement) => statement.name === name);
  if (found === undefined) throw new Error(`there is no statement ${name}`);
  return found;
}

function parametersOf(statement: Statement): number {
  return Math.max(0, ...[...statement.text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
}

async function nodesOf(statement: Statement): Promise<PlanNode[]> {
  const nulls = Array.from({ length: parametersOf(statement) }, () => 'NULL').join(', ');
  const { rows } = await client.query(
    `EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE ${statement.name}${nulls === '' ? '' : `(${nulls})`}`,
  );
  const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

/** Tables read from end to end, and tables of which a whole part is read where one run would do. */
async function wideReads(statement: Statement): Promise<string[]> {
  const nodes = (await nodesOf(statement)).filter(
    (node) =>
      node.Schema === 'pawl' && node['Node Type'].endsWith('Scan') && !node['Node Type'].startsWith('Bitmap Heap'),
  );
  return nodes.flatMap((node) => {
    const relation = node['Relation Name'] ?? '';
    if (node['Node Type'] === 'Seq Scan') return [`${statement.name}: sequential scan of ${relation}`];
    const narrow = /run_id|worker_id|run_key/.test(node['Index Cond'] ?? '');
    return narrow || WHOLE_PART.get(statement.name)?.includes(relation)
      ? []
      : [`${statement.name}: a whole part of ${relation} (${node['Index Cond'] ?? 'no condition'})`];
  });
}

async function allWideReads(): Promise<string[]> {
  const found: string[] = [];
  for (const statement of HOT) found.push(...(await wideReads(statement)));
  return found;
}

/** Every table filled as after a busy day in one part; all but a hundred runs have ended. */
async function fill(): Promise<void> {
  const id = "('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
  const many = `generate_series(1, ${ROWS}) AS n`;
  await client.query(`
    INSERT INTO pawl.run SELECT 0, ${id}, 'default', 'shop', 1, 'd', 'key-' || n, 1, '{}', now() - n * interval '1 second', 'a' FROM ${many};
    INSERT INTO pawl.run_head SELECT 0, ${id}, 'default', 1, 1, NULL, 'RUNNING', 'forward', '[]', 0, false, 0, 'x', CASE WHEN n > 100 THEN now() END FROM ${many};
    INSERT INTO pawl.ready SELECT 0, ${id}, now() + n * interval '1 second', 1 FROM ${many};
    INSERT INTO pawl.timer SELECT 0, ${id}, 't', 'default', now() + n * interval '1 second', 1, '{}', 'h' FROM ${many};
    INSERT INTO pawl.lease SELECT 0, ${id}, 'worker-' || n % 100, 1, false, now() FROM ${many};
    INSERT INTO pawl.seat SELECT 0, 'worker-' || n, now() + interval '1 hour' FROM generate_series(0, 99) AS n;
    INSERT INTO pawl.inbox SELECT 0, ${id}, 's', 'e', 'default', '{}', 'h', now(), NULL, NULL, 'null', false, NULL FROM ${many};
    INSERT INTO pawl.journal (part, run_id, revision, tenant, event_type, event_id, detail, delta, commands, state_hash, fence, worker_id, at)
      SELECT 0, ${id}, 1, 'default', 't', 'i', '{}', '{}', '[]', 'h', 1, 'w', now() FROM ${many};
    INSERT INTO pawl.effect (part, run_id, effect_key, tenant, step, frames, ingredients, action, contract, pivot, request, request_hash, state, attempt, counted_attempts, ever_unknown, fence, resends, queries)
      SELECT 0, ${id}, 'k', 'default', 's', '[]', '{}', 'a', 1, false, '{}', 'h', 'CONFIRMED', 1, 1, false, 1, 0, 0 FROM ${many};
    INSERT INTO pawl.outbox (part, run_id, revision, ordinal, tenant, message_id, topic, outward, frames, body, at, state, attempts, due_at)
      SELECT 0, ${id}, 1, 0, 'default', 'm', 'event', true, '[]', '{}', now(), 'waiting', 0, now() FROM ${many};
    INSERT INTO pawl.start_key SELECT 0, 'default', 'shop', 'key-' || n, 'h', ${id}, 1 FROM ${many}`);
  await client.query('ANALYZE');
}

describe('The statements of the store', () => {
  it('Every statement can be prepared, under a name of its own', async () => {
    const { rows } = await client.query('SELECT name FROM pg_prepared_statements ORDER BY name');
    expect(rows.map((row) => row.name)).toEqual(STATEMENTS.map(({ name }) => name).sort());
  });

  it.each(HOT.map((statement) => [statement.name, statement] as const))(
    'Each table in %s is bound to the one part that the statement names',
    (_, { text }) => {
      const aliases = [
        ...text.matchAll(
          /(?:FROM|JOIN|UPDATE|USING|DELETE FROM)\s+pawl\.(\w+)(?:\s+(?:AS\s+)?(?!WHERE|SET|USING|CROSS|JOIN|ON)(\w+))?/g,
        ),
      ];
      const unbound = aliases.filter(
        ([, table = '', alias]) =>
          !REFERENCE.has(table) &&
          !text.includes(`${alias ?? table}.part = $1`) &&
          !(alias === undefined && /WHERE part = \$1/.test(text)),
      );
      const inserts = [...text.matchAll(/INSERT INTO pawl\.(\w+)(?: AS \w+)? \(part,[^)]*\)\s+SELECT (\S+),/g)];
      expect(unbound.map((match) => match[0])).toEqual([]);
      expect(inserts.filter((match) => match[2] !== '$1').map((match) => match[0])).toEqual([]);
      expect(text.match(/INSERT INTO pawl\./g) ?? []).toHaveLength(inserts.length);
      expect(/\$1::|ANY \(\$1|part IN/.test(text)).toBe(false);
    },
  );

  it('Lists of pairs are hashed once, not joined again for every row', async () => {
    for (const name of ['commit', 'commit_full', 'fire']) {
      const nulls = Array.from({ length: parametersOf(named(name)) }, () => 'NULL').join(', ');
      const { rows } = await client.query(`EXPLAIN (COSTS OFF) EXECUTE ${name}(${nulls})`);
      const text = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
      expect(text).toMatch(/hashed SubPlan/);
      expect(text).not.toContain('Semi Join');
    }
  });

  it('No hot statement reads a table from end to end, nor a whole part where a run would do: on an empty database', async () => {
    expect(await allWideReads()).toEqual([]);
  });

  it('No hot statement reads a table from end to end, nor a whole part where a run would do: on 100,000 rows', async () => {
    await fill();
    expect(await allWideReads()).toEqual([]);
    await client.query('SET enable_seqscan = on; SET enable_hashjoin = on; SET enable_mergejoin = on; DISCARD PLANS');
    const runs = STATEMENTS.filter(
      (statement) => !statement.hot && !['workers', 'list_versions', 'strays'].includes(statement.name),
    );
    const scans: string[] = [];
    for (const statement of runs) {
      for (const node of await nodesOf(statement)) {
        if (node['Node Type'] === 'Seq Scan' && node.Schema === 'pawl' && FILLED.has(node['Relation Name'] ?? ''))
          scans.push(`${statement.name}: ${node['Relation Name']}`);
      }
    }
    expect(scans).toEqual([]);
    const used = (await nodesOf(named('gauges_of'))).flatMap((node) => node['Index Name'] ?? []);
    expect(new Set(used)).toEqual(new Set(OPEN_ROWS));
  }, 120_000);
});
