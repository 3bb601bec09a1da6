import { APPROVAL, type Columns, EFFECT, INBOX, readingOf, RUN, TIMER, VOTE } from './columns.ts';
import { msOf, type Statement, TIME } from './statement.ts';

/** The rows of a table that belong to the run `h.run_id` of part `$1`, as one JSON array. */
export function rowsOf(table: string, columns: Columns, order: string, where = 'true'): string {
  return `(SELECT coalesce(json_agg(x), '[]') FROM (
    SELECT ${readingOf(columns, 'c')} FROM pawl.${table} c WHERE c.part = $1 AND c.run_id = h.run_id AND ${where} ORDER BY ${order}) AS x)`;
}

/**
 * LOAD: runs with all that a decision reads, one snapshot. `$2` run ids. Indexes: run_head_pk and the key of each table;
 * one row per run.
 */
export const LOAD: Statement = {
  name: 'load',
  hot: true,
  writes: false,
  text: `WITH ${TIME}
SELECT ${readingOf(RUN, 'r')}, h.revision, h.fence, h.owner, h.status, h.crashes, h.suspect, h.codec, h.snapshot, ${msOf('h.ended_at')} AS ended_at, ${msOf('h.pruned_at')} AS pruned_at, h.output, h.failure,
       ${rowsOf('effect', EFFECT, 'c.effect_key')} AS effects,
       ${rowsOf('timer', TIMER, 'c.name')} AS timers,
       ${rowsOf('approval', APPROVAL, 'c.asked_at, c.approval_id')} AS approvals,
       ${rowsOf('vote', VOTE, 'c.at, c.principal')} AS votes,
       ${rowsOf('inbox', INBOX, 'c.received_at, c.source, c.event_id', 'NOT c.consumed')} AS inbox,
       last.receipt_no, last.integrity, ${msOf('t.now')} AS now_ms
FROM t CROSS JOIN unnest($2::uuid[]) AS i (run_id)
CROSS JOIN LATERAL (SELECT * FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id OFFSET 0) AS h
CROSS JOIN LATERAL (SELECT * FROM pawl.run r WHERE r.part = $1 AND r.run_id = h.run_id OFFSET 0) AS r
LEFT JOIN LATERAL (
  SELECT c.receipt_no, c.integrity FROM pawl.receipt c WHERE c.part = $1 AND c.run_id = h.run_id ORDER BY c.receipt_no DESC LIMIT 1) AS last ON true`,
};

/** TRACE (P04): the head of each run and the journal row at a revision. Indexes: run_head_pk, journal_pk; a row per run that exists. */
export const TRACE: Statement = {
  name: 'trace',
  hot: true,
  writes: false,
  text: `SELECT i.ord, h.revision, h.fence, j.revision AS journal_revision, j.fence AS journal_fence, j.worker_id, j.state_hash
FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS i (run_id, revision, ord)
CROSS JOIN LATERAL (SELECT h.revision, h.fence FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id OFFSET 0) AS h
LEFT JOIN LATERAL (
  SELECT j.revision, j.fence, j.worker_id, j.state_hash FROM pawl.journal j
  WHERE j.part = $1 AND j.run_id = i.run_id AND j.revision = i.revision OFFSET 0) AS j ON true`,
};

/** The database's time. One row. */
export const NOW: Statement = {
  name: 'now',
  hot: false,
  writes: false,
  text: `WITH ${TIME} SELECT ${msOf('t.now')} AS now_ms FROM t`,
};
