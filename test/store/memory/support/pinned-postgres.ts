import pg from 'pg';
import { numbersFor } from '../../../../src/model/numbers.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.ts';
import { createTestDatabase, EMPTY } from '../../../support/postgres.ts';

/** Each sequence gets a part of its own: the database is emptied only when all have been used. */
export const PARTS = 4_096;

/**
 * The seam of the test schema that shadows clock_timestamp() (see test/support/global-setup.ts), with a time that
 * stands still until it is set: both stores then read the same instants.
 */
const PIN_CLOCK = `
CREATE TABLE stepped_clock.pinned (ms bigint NOT NULL);
INSERT INTO stepped_clock.pinned VALUES (0);
CREATE OR REPLACE FUNCTION stepped_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS $$ SELECT to_timestamp(ms / 1000.0::float8) FROM stepped_clock.pinned $$`;

const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

function rowsOf(table: string, columns: string, order: string): string {
  return `'${table}', (SELECT coalesce(json_agg(x ORDER BY ${order}), '[]') FROM (SELECT ${columns} FROM pawl.${table} WHERE part = $1) AS x)`;
}

/** Rows of one part as they are stored: JSON as its text, so that the order of keys counts, and what no verb shows. */
const RAW_ROWS = `SELECT json_build_object(${[
  rowsOf('ready', `run_id, ${MS('due_at')} AS due, wake`, 'x.run_id'),
  rowsOf('lease', `run_id, worker_id AS worker, fence, suspect, ${MS('claimed_at')} AS claimed`, 'x.run_id'),
  rowsOf('run_head', 'run_id, revision, fence, owner, phase, needs, crashes, suspect', 'x.run_id'),
  rowsOf('seat', `worker_id AS worker, ${MS('lease_until')} AS until, visitor, crashed`, 'x.worker'),
  rowsOf(
    'start_key',
    'workflow, run_key AS key, request_hash AS hash, run_id, start_number AS number',
    'x.workflow, x.key',
  ),
  rowsOf(
    'journal',
    'run_id, revision, event_id, detail, delta, commands, fence, worker_id AS worker',
    'x.run_id, x.revision',
  ),
  rowsOf('receipt', "run_id, receipt_no AS no, evidence, encode(result, 'base64') AS result", 'x.run_id, x.no'),
  rowsOf(
    'observation',
    `run_id, source_id, source, detail, ${MS('observed_at')} AS at`,
    'x.run_id, x.source_id, x.source',
  ),
  rowsOf('audit', 'run_id, audit_no AS no, act, detail', 'x.run_id, x.no'),
  rowsOf(
    'inbox',
    'run_id, source, event_id AS event, payload, detail, outcome, consumed_revision AS revision',
    'x.run_id, x.source, x.event',
  ),
].join(', ')}) AS rows`;

/** Rows by table. */
export type RawRows = Readonly<Record<string, readonly unknown[]>>;

/** A PostgreSQL store whose database clock stands where it was put. */
export interface PinnedPostgres {
  readonly store: Store;
  setTime(nowMs: number): Promise<void>;
  rawRows(part: number): Promise<RawRows>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Opens one over a database of its own. @param leaseMs the store's lease. */
export async function openPinnedPostgres(leaseMs: number): Promise<PinnedPostgres> {
  const url = await createTestDatabase({ parts: PARTS });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(PIN_CLOCK);
  const store = await openPostgresStore({ url, numbers: numbersFor(leaseMs), connections: 3, hintsUrl: null });
  return {
    store,
    setTime: async (nowMs) => {
      await client.query({ name: 'pin', text: 'UPDATE stepped_clock.pinned SET ms = $1', values: [nowMs] });
    },
    rawRows: async (part) => {
      const { rows } = await client.query<{ readonly rows: RawRows }>({
        name: 'raw',
        text: RAW_ROWS,
        values: [part],
      });
      if (rows[0] === undefined) throw new Error('no rows');
      return rows[0].rows;
    },
    empty: async () => {
      await client.query(EMPTY);
    },
    close: async () => {
      await store.close();
      await client.end();
    },
  };
}
