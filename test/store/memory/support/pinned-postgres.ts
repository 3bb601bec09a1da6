import pg from 'pg';
import { numbersFor } from '../../../../src/model/numbers.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.ts';
import { createTestDatabase } from '../../../support/postgres.ts';

/** Each sequence gets a part of its own, so that nothing has to be emptied between two of them. */
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

/** Rows of one part that no verb of the port shows. */
const HIDDEN_ROWS = `SELECT json_build_object(
  'ready', (SELECT json_agg(x ORDER BY x.run_id) FROM (SELECT run_id, ${MS('due_at')} AS due, wake FROM pawl.ready WHERE part = $1) AS x),
  'lease', (SELECT json_agg(x ORDER BY x.run_id) FROM (SELECT run_id, worker_id AS worker, fence, suspect, ${MS('claimed_at')} AS claimed FROM pawl.lease WHERE part = $1) AS x),
  'head', (SELECT json_agg(x ORDER BY x.run_id) FROM (SELECT run_id, revision, fence, owner, phase, needs, crashes, suspect FROM pawl.run_head WHERE part = $1) AS x),
  'seat', (SELECT json_agg(x ORDER BY x.worker) FROM (SELECT worker_id AS worker, ${MS('lease_until')} AS until FROM pawl.seat WHERE part = $1) AS x),
  'start_key', (SELECT json_agg(x ORDER BY x.workflow, x.key) FROM (SELECT workflow, run_key AS key, request_hash AS hash, run_id, start_number AS number FROM pawl.start_key WHERE part = $1) AS x),
  'consumed', (SELECT json_agg(x ORDER BY x.run_id, x.source, x.event) FROM (SELECT run_id, source, event_id AS event, consumed_revision AS revision FROM pawl.inbox WHERE part = $1 AND consumed) AS x)
) AS rows`;

/** What `HIDDEN_ROWS` tells, by table. */
export type HiddenRows = Readonly<Record<'ready' | 'lease' | 'head' | 'seat' | 'start_key' | 'consumed', unknown>>;

/** A PostgreSQL store whose database clock stands where it was put. */
export interface PinnedPostgres {
  readonly store: Store;
  setTime(nowMs: number): Promise<void>;
  hiddenRows(part: number): Promise<HiddenRows>;
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
    hiddenRows: async (part) => {
      const { rows } = await client.query<{ readonly rows: HiddenRows }>({
        name: 'hidden',
        text: HIDDEN_ROWS,
        values: [part],
      });
      if (rows[0] === undefined) throw new Error('no rows');
      return rows[0].rows;
    },
    close: async () => {
      await store.close();
      await client.end();
    },
  };
}
