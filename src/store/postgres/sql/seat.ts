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

/** LEAVE SEAT. Index: seat_pk. */
export const LEAVE_SEAT: Statement = {
  name: 'leave_seat',
  hot: true,
  writes: true,
  text: `DELETE FROM pawl.seat WHERE part = $1 AND worker_id = $2`,
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
  SELECT h.run_id, l.fence FROM pawl.lease l
  JOIN pawl.run_head h ON h.part = $1 AND h.run_id = l.run_id
  WHERE l.part = $1 AND l.worker_id = $2 AND l.run_id <> ALL ($3::uuid[])
    AND l.claimed_at < (SELECT now - $4 * interval '1 millisecond' FROM t)
    AND h.owner = l.worker_id AND h.fence = l.fence
  ORDER BY h.run_id
  LIMIT 200
  FOR NO KEY UPDATE OF h),
u AS (
  UPDATE pawl.run_head h SET owner = NULL, fence = h.fence + 1 FROM x
  WHERE h.part = $1 AND h.run_id = x.run_id AND h.fence = x.fence AND h.owner = $2
  RETURNING h.run_id),
d AS (
  DELETE FROM pawl.lease l USING u WHERE l.part = $1 AND l.run_id = u.run_id
  RETURNING l.run_id),
${WAKE}
SELECT d.run_id FROM d`,
};

/**
 * SWEEP (P03, P06): from the leases whose seat is expired (locked, so that a late heartbeat cannot pass by) or missing.
 * Every run taken from a dead hand is suspect; a crash counts only where a suspect was the only run of its seat.
 * Seats expired for an hour that hold nothing go. Indexes: seat_pk, lease_worker_idx, lease_pk, run_head_pk; at most `$2` rows.
 */
export const SWEEP: Statement = {
  name: 'sweep',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
dead AS MATERIALIZED (
  SELECT s.worker_id, s.lease_until FROM pawl.seat s
  WHERE s.part = $1 AND s.lease_until < (SELECT now FROM t)
  FOR UPDATE SKIP LOCKED),
lost AS MATERIALIZED (
  SELECT l.run_id, l.worker_id, l.fence, l.suspect FROM dead
  JOIN pawl.lease l ON l.part = $1 AND l.worker_id = dead.worker_id
  UNION ALL
  SELECT l.run_id, l.worker_id, l.fence, l.suspect FROM pawl.lease l
  WHERE l.part = $1 AND NOT EXISTS (SELECT FROM pawl.seat s WHERE s.part = $1 AND s.worker_id = l.worker_id)),
x AS MATERIALIZED (
  SELECT h.run_id, lost.worker_id, lost.fence, lost.suspect
  FROM (SELECT * FROM lost ORDER BY run_id) AS lost
  JOIN pawl.run_head h ON h.part = $1 AND h.run_id = lost.run_id
  WHERE h.owner = lost.worker_id AND h.fence = lost.fence
  LIMIT $2
  FOR NO KEY UPDATE OF h SKIP LOCKED),
u AS (
  UPDATE pawl.run_head h
  SET owner = NULL, fence = h.fence + 1, suspect = true,
      crashes = h.crashes + CASE WHEN x.suspect
        THEN CASE WHEN (SELECT count(*) FROM pawl.lease o WHERE o.part = $1 AND o.worker_id = x.worker_id) = 1 THEN 1 ELSE 0 END
        ELSE 0 END
  FROM x
  WHERE h.part = $1 AND h.run_id = x.run_id AND h.fence = x.fence AND h.owner = x.worker_id
  RETURNING h.run_id),
d AS (
  DELETE FROM pawl.lease l USING u WHERE l.part = $1 AND l.run_id = u.run_id
  RETURNING l.run_id),
${WAKE},
old AS (
  DELETE FROM pawl.seat s USING dead
  WHERE s.part = $1 AND s.worker_id = dead.worker_id AND dead.lease_until < (SELECT now - interval '1 hour' FROM t)
    AND NOT EXISTS (SELECT FROM pawl.lease l WHERE l.part = $1 AND l.worker_id = dead.worker_id))
SELECT d.run_id FROM d`,
};
