import { CHAINED } from './audit.ts';
import { APPROVAL, EFFECT, INBOX, OUTBOX_RECORD, readingOf, RECEIPT, RUN, TIMER, TRANSITION, VOTE } from './columns.ts';
import { rowsOf } from './load.ts';
import { PLACE } from './lock.ts';
import { msOf, type Statement, TIME } from './statement.ts';

const JOURNAL = { ...TRANSITION, fence: 'bigint', worker_id: 'text' } as const;
const NAMED_PLACE = { ...PLACE, name: 'text' } as const;
const ANSWERED = { ...INBOX, detail: 'text', consumed: 'boolean', consumed_revision: 'bigint' } as const;

/**
 * RECORDS: the next runs of a part with everything that is stored of them, one snapshot. `$2` after which run (null = from
 * the first), `$3` how many. Each look-up is lateral, so that no plan reads a whole table. Indexes: run_head_pk and the
 * key of each table; a row per head, `found_id` null where its run is missing.
 */
export const RECORDS: Statement = {
  name: 'records',
  hot: false,
  writes: false,
  text: `WITH ${TIME},
page AS MATERIALIZED (
  SELECT h.* FROM pawl.run_head h
  WHERE h.part = $1 AND ($2::uuid IS NULL OR h.run_id > $2::uuid)
  ORDER BY h.run_id
  LIMIT $3)
SELECT h.run_id AS head_id, r.run_id AS found_id, ${readingOf(RUN, 'r')},
       h.revision, h.fence, h.owner, h.status, h.phase, h.needs, h.codec, h.snapshot, ${msOf('h.ended_at')} AS ended_at, ${msOf('h.pruned_at')} AS pruned_at, h.output, h.failure,
       l.worker_id AS lease_worker, l.fence AS lease_fence, ${msOf('l.claimed_at')} AS claimed_at, ${msOf('s.lease_until')} AS seat_until,
       ${msOf('w.due_at')} AS wake_due, w.wake, k.run_id AS key_run_id, k.request_hash AS key_hash, k.start_number AS key_number,
       d.digest AS published_digest, p.place,
       ${rowsOf('journal', JOURNAL, 'c.revision')} AS journal,
       ${rowsOf('effect', EFFECT, 'c.effect_key')} AS effects,
       ${rowsOf('receipt', RECEIPT, 'c.receipt_no')} AS receipts,
       ${rowsOf('timer', TIMER, 'c.name')} AS timers,
       ${rowsOf('audit', CHAINED, 'c.audit_no')} AS audit,
       ${rowsOf('approval', APPROVAL, 'c.asked_at, c.approval_id')} AS approvals,
       ${rowsOf('vote', VOTE, 'c.at, c.principal')} AS votes,
       ${rowsOf('inbox', ANSWERED, 'c.received_at, c.source, c.event_id')} AS inbox,
       ${rowsOf('outbox', OUTBOX_RECORD, 'c.revision, c.ordinal')} AS outbox,
       ${msOf('t.now')} AS now_ms
FROM t CROSS JOIN page AS h
LEFT JOIN LATERAL (SELECT r.* FROM pawl.run r WHERE r.part = $1 AND r.run_id = h.run_id OFFSET 0) AS r ON true
LEFT JOIN LATERAL (SELECT l.* FROM pawl.lease l WHERE l.part = $1 AND l.run_id = h.run_id OFFSET 0) AS l ON true
LEFT JOIN LATERAL (SELECT s.* FROM pawl.seat s WHERE s.part = $1 AND s.worker_id = l.worker_id OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT w.* FROM pawl.ready w WHERE w.part = $1 AND w.run_id = h.run_id OFFSET 0) AS w ON true
LEFT JOIN LATERAL (
  SELECT k.* FROM pawl.start_key k
  WHERE k.part = $1 AND k.tenant = r.tenant AND k.workflow = r.workflow AND k.run_key = r.run_key OFFSET 0) AS k ON true
LEFT JOIN LATERAL (
  SELECT row_to_json(x) AS place FROM (SELECT ${readingOf(NAMED_PLACE, 'p')} FROM pawl.lock_place p WHERE p.run_id = h.run_id OFFSET 0) AS x) AS p ON true
LEFT JOIN LATERAL (
  SELECT d.digest FROM pawl.definition d
  WHERE d.tenant = r.tenant AND d.workflow = r.workflow AND d.version = r.version OFFSET 0) AS d ON true
ORDER BY h.run_id`,
};

/** Every table whose rows belong to a run, with the rest of its key in words. */
const OWNED = {
  run_head: "'head'",
  lease: 'c.worker_id',
  ready: "'wake-up'",
  journal: "'revision ' || c.revision",
  effect: 'c.effect_key',
  receipt: "'receipt ' || c.receipt_no",
  observation: "c.effect_key || ' ' || c.source || ' ' || c.source_id",
  timer: 'c.name',
  inbox: "c.source || ' ' || c.event_id",
  approval: 'c.approval_id',
  vote: "c.approval_id || ' ' || c.principal",
  start_key: "c.workflow || ' ' || c.run_key",
  audit: "'act ' || c.audit_no",
  outbox: 'c.message_id',
  offer: 'c.effect_key',
} as const;

function straysOf(table: string, owner: string, row: string): string {
  return `(SELECT '${table}' AS table_name, c.run_id, ${row} AS row_name FROM pawl.${table} c
WHERE c.part = $1 AND NOT EXISTS (SELECT FROM pawl.${owner} o WHERE o.part = $1 AND o.run_id = c.run_id)
ORDER BY c.run_id LIMIT $2)`;
}

/** STRAYS: rows of a part whose run is not there, and runs without a head; reads every table. `$2` how many of each. */
export const STRAYS: Statement = {
  name: 'strays',
  hot: false,
  writes: false,
  text: [
    straysOf('run', 'run_head', "'run'"),
    ...Object.entries(OWNED).map(([table, row]) => straysOf(table, 'run', row)),
    // A place lies where its lock is; of a run of this part.
    `(SELECT 'lock_place', c.run_id, c.name FROM pawl.lock_place c
WHERE c.run_part = $1 AND NOT EXISTS (SELECT FROM pawl.run o WHERE o.part = $1 AND o.run_id = c.run_id)
ORDER BY c.run_id LIMIT $2)`,
  ].join('\nUNION ALL\n'),
};
