import { FOUND_RUNS_MAX } from '../../../model/run-id.ts';
import { AUDIT, INBOX, OBSERVATION, readingOf, RECEIPT, RUN, TRANSITION } from './columns.ts';
import { msOf, type Statement, timeOf, TIME } from './statement.ts';

/** A run by id. Index: run_pk; one row or none. */
export const FIND_RUN_BY_ID: Statement = {
  name: 'find_run_by_id',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(RUN, 'r')} FROM pawl.run r
WHERE r.part = $1 AND r.run_id = $2 AND r.tenant = $3`,
};

/** The newest run of each workflow under a business key; reads all parts. Index: run_tenant_key_idx. */
export const FIND_RUN_BY_KEY: Statement = {
  name: 'find_run_by_key',
  hot: false,
  writes: false,
  text: `SELECT DISTINCT ON (r.workflow) ${readingOf(RUN, 'r')} FROM pawl.run r
WHERE r.tenant = $1 AND r.run_key = $2
ORDER BY r.workflow, r.start_number DESC
LIMIT ${FOUND_RUNS_MAX}`,
};

/** Which runs are asked for: `$2` workflow, `$3` statuses, `$4` needs a person, `$5` run id or key, `$6` version, `$7` workflows, `$8` and `$9` from and before which start, `$10` states of which it has an effect, `$11` digests of versions. */
const ASKED = `FROM pawl.run r
JOIN pawl.run_head h ON h.part = r.part AND h.run_id = r.run_id
WHERE r.tenant = $1
  AND ($2::text IS NULL OR r.workflow = $2)
  AND ($3::text[] IS NULL OR h.status = ANY ($3))
  AND (NOT $4::boolean OR h.needs <> '[]')
  AND ($5::text IS NULL OR r.run_key = $5 OR r.run_id::text = $5)
  AND ($6::integer IS NULL OR r.version = $6)
  AND ($7::text[] IS NULL OR r.workflow = ANY ($7))
  AND ($8::bigint IS NULL OR r.started_at >= ${timeOf('$8::bigint')})
  AND ($9::bigint IS NULL OR r.started_at < ${timeOf('$9::bigint')})
  AND ($10::text[] IS NULL OR EXISTS (
    SELECT FROM pawl.effect e WHERE e.part = r.part AND e.run_id = r.run_id AND e.state = ANY ($10)))
  AND ($11::text[] IS NULL OR r.digest = ANY ($11))`;

/** A list, newest first; reads all parts. `$12` and `$13` time and id of the run behind which it begins, `$14` how many. Index: run_tenant_started_idx. */
export const LIST_RUNS: Statement = {
  name: 'list_runs',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(RUN, 'r')}, h.status, h.revision, h.needs, ${msOf('h.ended_at')} AS ended_at, h.failure
${ASKED}
  AND ($12::bigint IS NULL OR (r.started_at, r.run_id) < (${timeOf('$12::bigint')}, $13::uuid))
ORDER BY r.started_at DESC, r.run_id DESC
LIMIT $14`,
};

/** How many there are, `$12` at most; reads all parts. Index: run_tenant_started_idx. */
export const COUNT_RUNS: Statement = {
  name: 'count_runs',
  hot: false,
  writes: false,
  text: `SELECT count(*)::integer AS runs FROM (
  SELECT r.run_id
  ${ASKED}
  ORDER BY r.started_at DESC, r.run_id DESC
  LIMIT $12) AS x`,
};

/** A run's journal. Index: journal_pk. */
export const JOURNAL: Statement = {
  name: 'journal',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(TRANSITION, 'j')}, j.fence, j.worker_id FROM pawl.journal j
WHERE j.part = $1 AND j.run_id = $2
ORDER BY j.revision`,
};

/** A run's receipts. Index: receipt_pk. */
export const RECEIPTS: Statement = {
  name: 'receipts',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(RECEIPT, 'c')} FROM pawl.receipt c
WHERE c.part = $1 AND c.run_id = $2
ORDER BY c.receipt_no`,
};

/** A run's observations. Index: observation_pk. */
export const OBSERVATIONS: Statement = {
  name: 'observations',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(OBSERVATION, 'o')} FROM pawl.observation o
WHERE o.part = $1 AND o.run_id = $2
ORDER BY o.observed_at, o.source, o.source_id`,
};

/** A run's whole inbox. Index: inbox_pk. */
export const INBOX_ROWS: Statement = {
  name: 'inbox_rows',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(INBOX, 'b')}, b.detail, b.consumed FROM pawl.inbox b
WHERE b.part = $1 AND b.run_id = $2
ORDER BY b.received_at, b.source, b.event_id`,
};

/** A run's acts of people. Index: audit_pk. */
export const AUDIT_ROWS: Statement = {
  name: 'audit_rows',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(AUDIT, 'a')} FROM pawl.audit a
WHERE a.part = $1 AND a.run_id = $2
ORDER BY a.audit_no`,
};

/** Who holds a run. Index: lease_pk, seat_pk; one row or none. */
export const HOLDER: Statement = {
  name: 'holder',
  hot: false,
  writes: false,
  text: `SELECT l.worker_id, ${msOf('s.lease_until')} AS lease_until FROM pawl.lease l
LEFT JOIN pawl.seat s ON s.part = l.part AND s.worker_id = l.worker_id
WHERE l.part = $1 AND l.run_id = $2`,
};

/** All seats with what they hold; reads all parts. */
export const WORKERS: Statement = {
  name: 'workers',
  hot: false,
  writes: false,
  text: `SELECT s.part, s.worker_id, ${msOf('s.lease_until')} AS lease_until,
       (SELECT count(*) FROM pawl.lease l WHERE l.part = s.part AND l.worker_id = s.worker_id) AS held
FROM pawl.seat s
ORDER BY s.part, s.worker_id`,
};

/** Knowledge from outside the guard (E08), append-only. `$2` run ids, `$3` effect keys, `$4` sources, `$5` their ids, `$6` details. Index: observation_pk. */
export const OBSERVE: Statement = {
  name: 'observe',
  hot: true,
  writes: true,
  text: `WITH ${TIME}
INSERT INTO pawl.observation (part, run_id, tenant, observed_at, effect_key, source, source_id, detail)
SELECT $1, z.run_id, z.tenant, t.now, z.effect_key, z.source, z.source_id, z.detail
FROM t CROSS JOIN (
  SELECT i.*, h.tenant
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) AS i (run_id, effect_key, source, source_id, detail)
  CROSS JOIN LATERAL (SELECT h.tenant FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id OFFSET 0) AS h
  ORDER BY i.run_id, i.effect_key, i.source, i.source_id) AS z
ON CONFLICT ON CONSTRAINT observation_pk DO NOTHING`,
};
