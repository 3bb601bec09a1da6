import { NOTE_ACT } from './audit.ts';
import { msOf, type Statement, TIME } from './statement.ts';

/** This server's own word: its system identifier, and the timeline that it writes; a standby writes none. */
export const IDENTITY = `SELECT s.system_identifier::text AS system_identifier,
       CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer END AS timeline
FROM pg_control_system() AS s`;

/** What a new connection asks before anything else travels on it (P14). */
export const ADMISSION = `SELECT me.*, pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only
FROM (${IDENTITY}) AS me`;

/** WITNESS (P14): the row of the whole database; another identity than the one in it opens recovery mode. One row. */
export const WITNESS: Statement = {
  name: 'witness',
  hot: false,
  writes: true,
  text: `WITH ${TIME}
INSERT INTO pawl.witness AS w (system_identifier, timeline, seen_at)
SELECT me.system_identifier, me.timeline, t.now FROM t CROSS JOIN (${IDENTITY}) AS me
ON CONFLICT ON CONSTRAINT witness_pk DO UPDATE SET
  (recovery_since, was_system_identifier, was_timeline, last_seen_at) = (
    SELECT
      CASE WHEN x.opens THEN excluded.seen_at ELSE w.recovery_since END,
      CASE WHEN x.opens THEN w.system_identifier ELSE w.was_system_identifier END,
      CASE WHEN x.opens THEN w.timeline ELSE w.was_timeline END,
      CASE WHEN x.opens THEN w.seen_at ELSE w.last_seen_at END
    FROM (SELECT w.recovery_since IS NULL
      AND (w.system_identifier, w.timeline) IS DISTINCT FROM (excluded.system_identifier, excluded.timeline) AS opens) AS x),
  system_identifier = excluded.system_identifier, timeline = excluded.timeline, seen_at = excluded.seen_at
RETURNING w.system_identifier, w.timeline, ${msOf('w.recovery_since')} AS recovery_since,
  w.was_system_identifier, w.was_timeline, ${msOf('w.last_seen_at')} AS last_seen_at,
  ${msOf('w.window_from')} AS window_from, ${msOf('w.window_until')} AS window_until`,
};

/** WITNESS, as somebody asks who sends nothing (P14). One row. */
export const WITNESS_READ: Statement = { ...WITNESS, name: 'witness_read' };

/** BEGIN RECOVERY (P14): `$1` since when, epoch ms; null = a worker was last seen; `$2` tenant, `$3` who, `$4` why. One row, or none where it is open already. */
export const BEGIN_RECOVERY: Statement = {
  name: 'begin_recovery',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
asked AS (SELECT timestamptz 'epoch' + $1::bigint * interval '1 millisecond' AS since),
begun AS (
  INSERT INTO pawl.witness AS w (system_identifier, timeline, seen_at, recovery_since, was_system_identifier, was_timeline, last_seen_at)
  SELECT me.system_identifier, me.timeline, t.now, t.now, me.system_identifier, me.timeline, coalesce(asked.since, t.now)
  FROM t CROSS JOIN asked CROSS JOIN (${IDENTITY}) AS me
  ON CONFLICT ON CONSTRAINT witness_pk DO UPDATE SET
    recovery_since = excluded.recovery_since, was_system_identifier = w.system_identifier, was_timeline = w.timeline,
    last_seen_at = coalesce((SELECT since FROM asked), w.seen_at)
  WHERE w.recovery_since IS NULL
  RETURNING ${msOf('w.last_seen_at')} AS last_seen),
noted AS (
  ${NOTE_ACT}
  SELECT $2, $3, 'recovery.begin', 'database', $4,
    json_build_object('before', NULL, 'after', json_build_object('lastSeenMs', begun.last_seen))::text, t.now
  FROM t CROSS JOIN begun)
SELECT true AS begun FROM begun`,
};

/** END RECOVERY (P14): `$1` tenant, `$2` who, `$3` why. One row, or none where there was no recovery mode. */
export const END_RECOVERY: Statement = {
  name: 'end_recovery',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
before AS MATERIALIZED (
  SELECT ${msOf('w.recovery_since')} AS since, ${msOf('w.last_seen_at')} AS last_seen FROM pawl.witness w
  WHERE w.recovery_since IS NOT NULL FOR UPDATE),
ended AS (
  UPDATE pawl.witness w SET recovery_since = NULL, was_system_identifier = NULL, was_timeline = NULL, last_seen_at = NULL,
    window_from = least(w.window_from, w.last_seen_at), window_until = w.recovery_since,
    reconciled_at = t.now, reconciled_by = $2, reconciled_reason = $3
  FROM t CROSS JOIN before
  RETURNING before.since, before.last_seen),
noted AS (
  ${NOTE_ACT}
  SELECT $1, $2, 'recovery.end', 'database', $3,
    json_build_object('before', json_build_object('sinceMs', ended.since, 'lastSeenMs', ended.last_seen), 'after', NULL)::text, t.now
  FROM t CROSS JOIN ended)
SELECT true AS ended FROM ended`,
};

/**
 * OVERDUE (P05): runs whose wake-up, timer or dead seat is older than `$2` ms and that no living seat holds, `$3` at most.
 * Asked by every sweep, so it may not wait longer than that does. Indexes: ready_due_idx, timer_due_idx, seat_pk; reads
 * all leases of the part.
 */
export const OVERDUE: Statement = {
  name: 'overdue',
  hot: true,
  writes: false,
  text: `WITH ${TIME}
SELECT x.run_id, ${msOf('min(x.since)')} AS since
FROM (
  SELECT r.run_id, r.due_at AS since FROM pawl.ready r WHERE r.part = $1
  UNION ALL
  SELECT m.run_id, m.due_at FROM pawl.timer m WHERE m.part = $1
  UNION ALL
  SELECT l.run_id, coalesce(s.lease_until, l.claimed_at) FROM pawl.lease l
  LEFT JOIN pawl.seat s ON s.part = $1 AND s.worker_id = l.worker_id
  WHERE l.part = $1) AS x
WHERE x.since < (SELECT t.now - $2 * interval '1 millisecond' FROM t)
  AND NOT EXISTS (
    SELECT FROM pawl.lease l JOIN pawl.seat s ON s.part = $1 AND s.worker_id = l.worker_id
    WHERE l.part = $1 AND l.run_id = x.run_id AND s.lease_until > (SELECT t.now FROM t))
GROUP BY x.run_id
ORDER BY min(x.since), x.run_id
LIMIT $3`,
};
