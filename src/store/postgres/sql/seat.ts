import { LOCKED_HEAD, moveHeads } from './head.ts';
import { msOf, type Statement, TIME } from './statement.ts';

/** TAKE SEAT: `$3` lease in ms; a seat that is there is left as it is. Index: seat_pk; one row. */
export const TAKE_SEAT: Statement = {
  name: 'take_seat',
  hot: true,
  writes: true,
  text: `WITH ${TIME}
INSERT INTO pawl.seat AS s (part, worker_id, lease_until)
SELECT $1, $2, t.now + $3 * interval '1 millisecond' FROM t
ON CONFLICT ON CONSTRAINT seat_pk DO UPDATE SET lease_until = s.lease_until
RETURNING ${msOf('s.lease_until')} AS lease_until`,
};

/** BEAT: zero rows = the seat is lost. Index: seat_pk; one row or none. */
export const BEAT: Statement = {
  name: 'beat',
  hot: true,
  writes: true,
  text: `WITH ${TIME}
UPDATE pawl.seat s SET lease_until = t.now + $3 * interval '1 millisecond' FROM t
WHERE s.part = $1 AND s.worker_id = $2 AND s.lease_until > t.now
RETURNING ${msOf('s.lease_until')} AS lease_until`,
};

/**
 * LEAVE SEAT: whoever leaves lives, so the crash that was counted when this seat expired is taken back, and the run is
 * woken, which may be parked for it (P06). Indexes: seat_pk, run_head_pk, ready_pk; no row.
 */
export const LEAVE_SEAT: Statement = {
  name: 'leave_seat',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
s AS (
  DELETE FROM pawl.seat s WHERE s.part = $1 AND s.worker_id = $2
  RETURNING s.crashed),
u AS (
  UPDATE pawl.run_head h SET crashes = h.crashes - 1
  WHERE h.part = $1 AND h.run_id = (SELECT s.crashed FROM s) AND h.crashes > 0
  RETURNING h.run_id)
INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
SELECT $1, u.run_id, t.now, 1 FROM u CROSS JOIN t
ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1`,
};

const WAKE = `y AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT $1, z.run_id, t.now, 1 FROM t CROSS JOIN (SELECT d.run_id FROM d ORDER BY d.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1)`;

/**
 * DISOWN (P16): leases in my name that I do not hold (`$3`), older than `$4` ms. Indexes: lease_worker_idx, run_head_pk;
 * usually no row.
 */
export const DISOWN: Statement = {
  name: 'disown',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
x AS MATERIALIZED (
  SELECT h.*
  FROM (
    SELECT l.run_id, l.fence FROM pawl.lease l
    WHERE l.part = $1 AND l.worker_id = $2 AND l.run_id <> ALL ($3::uuid[])
      AND l.claimed_at < (SELECT now - $4 * interval '1 millisecond' FROM t)
    ORDER BY l.run_id
    LIMIT 200) AS l
  CROSS JOIN LATERAL (
    SELECT ${LOCKED_HEAD} FROM pawl.run_head h
    WHERE h.part = $1 AND h.run_id = l.run_id AND h.owner = $2 AND h.fence = l.fence
    FOR NO KEY UPDATE) AS h),
u AS (
  ${moveHeads('x', { owner: 'NULL', suspect: 'x.suspect', crashes: 'x.crashes' })}),
d AS (
  DELETE FROM pawl.lease l
  WHERE l.part = $1 AND l.run_id = ANY (ARRAY(SELECT u.run_id FROM u))
  RETURNING l.run_id),
${WAKE}
SELECT d.run_id FROM d`,
};

/**
 * SWEEP (P03, P06): from the leases whose seat is expired (locked, so that a late heartbeat cannot pass by) or missing.
 * Every run taken from a dead hand is suspect; a crash counts only where a suspect was the only run of a worker's seat,
 * and the seat notes it until its process says that it lives. Who has left lives, and a visitor sends nothing. Seats expired for an hour that hold nothing go. Indexes: seat_pk, lease_worker_idx, lease_pk, run_head_pk; at most `$2` rows.
 */
export const SWEEP: Statement = {
  name: 'sweep',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
dead AS MATERIALIZED (
  SELECT s.worker_id, s.lease_until, s.visitor FROM pawl.seat s
  WHERE s.part = $1 AND s.lease_until < (SELECT now FROM t)
  FOR UPDATE SKIP LOCKED),
lost AS MATERIALIZED (
  SELECT l.*, l.suspect AND NOT dead.visitor AS on_trial FROM dead CROSS JOIN LATERAL (
    SELECT l.run_id, l.worker_id, l.fence, l.suspect FROM pawl.lease l WHERE l.part = $1 AND l.worker_id = dead.worker_id OFFSET 0) AS l
  UNION ALL
  SELECT l.run_id, l.worker_id, l.fence, l.suspect, false FROM pawl.lease l
  WHERE l.part = $1 AND NOT (l.worker_id IN (SELECT s.worker_id FROM pawl.seat s WHERE s.part = $1))),
x AS MATERIALIZED (
  SELECT h.*,
         lost.on_trial AND (SELECT count(*) FROM pawl.lease o WHERE o.part = $1 AND o.worker_id = lost.worker_id) = 1 AS alone
  FROM (SELECT * FROM lost ORDER BY run_id) AS lost
  CROSS JOIN LATERAL (
    SELECT ${LOCKED_HEAD} FROM pawl.run_head h
    WHERE h.part = $1 AND h.run_id = lost.run_id AND h.owner = lost.worker_id AND h.fence = lost.fence
    FOR NO KEY UPDATE SKIP LOCKED) AS h
  LIMIT $2),
u AS (
  ${moveHeads('x', { owner: 'NULL', suspect: 'true', crashes: 'x.crashes + x.alone::integer' })}),
noted AS (
  UPDATE pawl.seat s SET crashed = (SELECT x.run_id FROM x WHERE x.owner = s.worker_id)
  WHERE s.part = $1 AND s.worker_id = ANY (ARRAY(SELECT x.owner FROM x WHERE x.alone))),
d AS (
  DELETE FROM pawl.lease l
  WHERE l.part = $1 AND l.run_id = ANY (ARRAY(SELECT u.run_id FROM u))
  RETURNING l.run_id),
${WAKE},
old AS (
  DELETE FROM pawl.seat s
  WHERE s.part = $1 AND s.worker_id = ANY (ARRAY(SELECT dead.worker_id FROM dead WHERE dead.lease_until < (SELECT now - interval '1 hour' FROM t)))
    AND NOT EXISTS (SELECT FROM pawl.lease l WHERE l.part = $1 AND l.worker_id = s.worker_id))
SELECT d.run_id FROM d`,
};
