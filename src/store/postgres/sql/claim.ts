import { LOCKED_HEAD, moveHeads } from './head.ts';
import { type Statement, TIME } from './statement.ts';

/** Rows of leased runs that a picker may pass before it pushes them back (W06). */
const PASSED_ROWS_MAX = 500;

const SEAT = `me AS MATERIALIZED (
  SELECT s.part FROM pawl.seat s
  WHERE s.part = $1 AND s.worker_id = $2 AND s.lease_until > (SELECT now FROM t)
  FOR SHARE)`;

/**
 * CLAIM: nothing without a living seat, which cannot be swept meanwhile. `$3` how many, `$4` how long a suspect may
 * wait (ms). A suspect is handed out alone, to a seat with empty hands, and nothing else until it is proven or given
 * back (P06); one that has waited too long keeps busy seats from claiming until their hands are empty.
 * Indexes: ready_due_idx, run_head_pk, lease_worker_idx; at most `$3` rows.
 */
export const CLAIM: Statement = {
  name: 'claim',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${SEAT},
hands AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM pawl.lease l WHERE l.part = $1 AND l.worker_id = $2) AS busy,
         EXISTS (SELECT FROM pawl.lease l WHERE l.part = $1 AND l.worker_id = $2 AND l.suspect) AS suspect
  FROM me),
oldest AS MATERIALIZED (
  SELECT h.suspect FROM pawl.ready r
  CROSS JOIN LATERAL (SELECT h.suspect FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = r.run_id AND h.owner IS NULL OFFSET 0) AS h
  WHERE r.part = $1 AND r.due_at <= (SELECT now - $4 * interval '1 millisecond' FROM t)
  ORDER BY r.due_at
  LIMIT 1),
pick AS MATERIALIZED (
  SELECT c.* FROM hands CROSS JOIN LATERAL (
    SELECT h.*, r.due_at FROM pawl.ready r
    CROSS JOIN LATERAL (
      SELECT ${LOCKED_HEAD} FROM pawl.run_head h
      WHERE h.part = $1 AND h.run_id = r.run_id AND h.owner IS NULL AND NOT (hands.busy AND h.suspect)
      FOR NO KEY UPDATE SKIP LOCKED) AS h
    WHERE r.part = $1 AND r.due_at <= (SELECT now FROM t)
      AND NOT hands.suspect AND NOT (hands.busy AND EXISTS (SELECT FROM oldest WHERE oldest.suspect))
    ORDER BY r.due_at
    LIMIT $3
    FOR UPDATE OF r SKIP LOCKED) AS c),
chosen AS MATERIALIZED (
  SELECT pick.* FROM pick
  WHERE pick.run_id = (SELECT first.run_id FROM pick AS first ORDER BY first.due_at, first.run_id LIMIT 1)
     OR NOT (pick.suspect OR (SELECT first.suspect FROM pick AS first ORDER BY first.due_at, first.run_id LIMIT 1))),
del AS (
  DELETE FROM pawl.ready r
  WHERE r.part = $1 AND r.run_id = ANY (ARRAY(SELECT chosen.run_id FROM chosen))),
u AS (
  ${moveHeads('chosen', { owner: '$2', suspect: 'x.suspect', crashes: 'x.crashes' })}),
l AS (
  INSERT INTO pawl.lease (part, run_id, worker_id, fence, suspect, claimed_at)
  SELECT $1, u.run_id, $2, u.fence, u.suspect, t.now FROM u CROSS JOIN t),
passed AS MATERIALIZED (
  SELECT r.run_id FROM pawl.ready r
  CROSS JOIN LATERAL (SELECT FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = r.run_id AND h.owner IS NOT NULL OFFSET 0) AS h
  WHERE r.part = $1
    AND r.due_at <= (SELECT CASE WHEN count(*) < $3 THEN (SELECT now FROM t) ELSE max(pick.due_at) END FROM pick)
    AND EXISTS (SELECT FROM me)
  ORDER BY r.due_at
  LIMIT ${PASSED_ROWS_MAX}),
back AS MATERIALIZED (
  SELECT r.run_id FROM pawl.ready r
  WHERE r.part = $1 AND (SELECT count(*) FROM passed) >= ${PASSED_ROWS_MAX} AND r.run_id = ANY (ARRAY(SELECT passed.run_id FROM passed))
  FOR UPDATE SKIP LOCKED),
push AS (
  UPDATE pawl.ready r SET due_at = (SELECT now + interval '1 second' FROM t)
  WHERE r.part = $1 AND r.run_id = ANY (ARRAY(SELECT back.run_id FROM back)))
SELECT u.run_id, u.suspect FROM u`,
};

/** CLAIM of one named run, if it is free and this seat lives. Indexes: run_head_pk, seat_pk, ready_pk; one row or none. */
export const CLAIM_RUN: Statement = {
  name: 'claim_run',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${SEAT},
u AS (
  UPDATE pawl.run_head h SET owner = $2, fence = h.fence + 1 FROM me
  WHERE h.part = $1 AND h.run_id = $3 AND h.owner IS NULL
  RETURNING h.run_id, h.fence, h.suspect),
l AS (
  INSERT INTO pawl.lease (part, run_id, worker_id, fence, suspect, claimed_at)
  SELECT $1, u.run_id, $2, u.fence, u.suspect, t.now FROM u CROSS JOIN t),
woken AS MATERIALIZED (
  SELECT r.run_id FROM pawl.ready r
  WHERE r.part = $1 AND r.run_id = (SELECT u.run_id FROM u)
  FOR UPDATE SKIP LOCKED),
del AS (
  DELETE FROM pawl.ready r WHERE r.part = $1 AND r.run_id = (SELECT woken.run_id FROM woken))
SELECT u.run_id, u.suspect FROM u`,
};
