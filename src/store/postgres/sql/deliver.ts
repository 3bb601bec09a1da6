import { INBOX, readingOf } from './columns.ts';
import { msOf, type Statement, TIME } from './statement.ts';

const ANSWER_COLUMNS = `b.payload_hash, b.outcome, b.code, b.detail, b.consumed`;

/**
 * DELIVER (W01): the inbox rows of runs that exist (of two members with one address the first), then their wake-ups. `$2`.. run ids, sources, event ids, payloads,
 * hashes. Indexes: run_head_pk, inbox_pk, ready_pk; a row per stored event (`stored`) and a row per member with what
 * was there before.
 */
export const DELIVER: Statement = {
  name: 'deliver',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
i AS MATERIALIZED (
  SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS i (run_id, source, event_id, payload, payload_hash, ord)),
ev AS (
  INSERT INTO pawl.inbox AS b (part, run_id, source, event_id, tenant, payload, payload_hash, received_at, detail, consumed)
  SELECT $1, z.run_id, z.source, z.event_id, z.tenant, z.payload, z.payload_hash, t.now, 'null', false
  FROM t CROSS JOIN (
    SELECT i.*, h.tenant FROM i
    CROSS JOIN LATERAL (SELECT h.tenant FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id OFFSET 0) AS h
    ORDER BY i.run_id, i.source, i.event_id, i.ord) AS z
  ON CONFLICT ON CONSTRAINT inbox_pk DO NOTHING
  RETURNING b.run_id, b.source, b.event_id),
y AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT $1, z.run_id, t.now, 1 FROM t CROSS JOIN (SELECT DISTINCT ev.run_id FROM ev ORDER BY ev.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1)
SELECT NULL AS ord, ev.run_id, ev.source, ev.event_id, true AS stored, true AS exists, NULL AS payload_hash, NULL AS outcome, NULL AS code, NULL AS detail, NULL AS consumed, NULL AS now_ms
FROM ev
UNION ALL
SELECT i.ord, i.run_id, i.source, i.event_id, false, h.run_id IS NOT NULL, ${ANSWER_COLUMNS}, (SELECT ${msOf('t.now')} FROM t)
FROM i
LEFT JOIN LATERAL (SELECT h.run_id FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id OFFSET 0) AS h ON true
LEFT JOIN LATERAL (
  SELECT ${ANSWER_COLUMNS} FROM pawl.inbox b
  WHERE b.part = $1 AND b.run_id = i.run_id AND b.source = i.source AND b.event_id = i.event_id OFFSET 0) AS b ON true`,
};

/**
 * DELIVER, AND CLAIM THE RUN IF IT IS FREE (P17): `$2` worker, `$3` run, `$4` source, `$5` event id, `$6` payload, `$7`
 * hash, `$8` lease ms. Every stage reads from the head that exists, so an unknown run leaves nothing; only a new event
 * claims; a process without a seat gets a visitor's. Indexes: seat_pk, run_head_pk, inbox_pk, ready_pk; one row.
 */
export const DELIVER_AND_CLAIM: Statement = {
  name: 'deliver_and_claim',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
seated AS MATERIALIZED (
  SELECT s.lease_until FROM pawl.seat s WHERE s.part = $1 AND s.worker_id = $2 AND s.lease_until > (SELECT now FROM t)
  FOR SHARE),
head AS MATERIALIZED (
  SELECT h.run_id, h.tenant FROM pawl.run_head h CROSS JOIN (SELECT count(*) AS seats FROM seated) AS s
  WHERE h.part = $1 AND h.run_id = $3 AND s.seats >= 0),
took AS (
  INSERT INTO pawl.seat AS s (part, worker_id, lease_until, visitor)
  SELECT $1, $2, t.now + $8 * interval '1 millisecond', true FROM t CROSS JOIN head WHERE NOT EXISTS (SELECT FROM seated)
  ON CONFLICT ON CONSTRAINT seat_pk DO NOTHING
  RETURNING 1),
me AS MATERIALIZED (SELECT count(*) > 0 AS lives FROM (SELECT FROM seated UNION ALL SELECT FROM took) AS s),
ev AS (
  INSERT INTO pawl.inbox AS b (part, run_id, source, event_id, tenant, payload, payload_hash, received_at, detail, consumed)
  SELECT $1, head.run_id, $4, $5, head.tenant, $6, $7, t.now, 'null', false FROM t CROSS JOIN head CROSS JOIN me
  ON CONFLICT ON CONSTRAINT inbox_pk DO NOTHING
  RETURNING b.run_id),
u AS (
  UPDATE pawl.run_head h SET owner = $2, fence = h.fence + 1
  WHERE h.part = $1 AND h.run_id = (SELECT ev.run_id FROM ev) AND (SELECT me.lives FROM me) AND h.owner IS NULL
  RETURNING h.run_id, h.fence, h.suspect),
l AS (
  INSERT INTO pawl.lease (part, run_id, worker_id, fence, suspect, claimed_at)
  SELECT $1, u.run_id, $2, u.fence, u.suspect, t.now FROM u CROSS JOIN t),
y AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT $1, ev.run_id, t.now, 1 FROM ev CROSS JOIN t WHERE NOT EXISTS (SELECT FROM u)
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1)
SELECT EXISTS (SELECT FROM head) AS exists, EXISTS (SELECT FROM ev) AS stored, EXISTS (SELECT FROM u) AS claimed,
       ${ANSWER_COLUMNS}, ${msOf('t.now')} AS now_ms
FROM t
LEFT JOIN pawl.inbox b ON b.part = $1 AND b.run_id = $3 AND b.source = $4 AND b.event_id = $5`,
};

/** The answer of one inbox row. Index: inbox_pk; one row or none. */
export const ANSWER_OF: Statement = {
  name: 'answer_of',
  hot: true,
  writes: false,
  text: `WITH ${TIME}
SELECT ${ANSWER_COLUMNS}, ${msOf('t.now')} AS now_ms
FROM t CROSS JOIN pawl.inbox b
WHERE b.part = $1 AND b.run_id = $2 AND b.source = $3 AND b.event_id = $4`,
};

/**
 * DRAIN (W02): wake-ups and undecided inbox rows of the runs that this worker holds. Indexes: lease_worker_idx,
 * ready_pk, inbox_open_idx; one row per woken run.
 */
export const DRAIN: Statement = {
  name: 'drain',
  hot: true,
  writes: false,
  text: `SELECT l.run_id, r.wake,
       (SELECT coalesce(json_agg(x), '[]') FROM (
          SELECT ${readingOf(INBOX, 'b')} FROM pawl.inbox b
          WHERE b.part = $1 AND b.run_id = l.run_id AND NOT b.consumed AND b.outcome IS NULL
          ORDER BY b.received_at, b.source, b.event_id) AS x) AS inbox
FROM pawl.lease l
CROSS JOIN LATERAL (SELECT r.wake FROM pawl.ready r WHERE r.part = $1 AND r.run_id = l.run_id OFFSET 0) AS r
WHERE l.part = $1 AND l.worker_id = $2`,
};
