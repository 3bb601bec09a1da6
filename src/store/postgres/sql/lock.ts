import { readingOf } from './columns.ts';
import { msOf, type Statement, timeOf, TIME } from './statement.ts';

/** A place as it travels. */
export const PLACE = {
  run_id: 'text',
  run_part: 'integer',
  run_limit: 'integer',
  started_at: 'time',
  slot: 'integer',
  granted_at: 'time',
} as const;

const ACT = { actor: 'text', reason: 'text', set_limit: 'integer', at: 'time' } as const;

/**
 * JOIN LOCK: a function, because what it counts must be read after the lock's row is taken; it names its part like a hot
 * statement, and no plan of its own can be read. `$2` tenant, `$3` name, `$4`
 * run, `$5` its part, `$6` its limit, `$7` its start. Indexes: lock_pk, lock_place_pk, lock_place_queue_idx,
 * lock_place_slot_uq; a row per run to be told.
 */
export const JOIN_LOCK: Statement = {
  name: 'join_lock',
  hot: false,
  writes: true,
  text: `SELECT g.run_id, g.run_part FROM pawl.join_lock($1, $2, $3, $4, $5, $6, ${timeOf('$7::bigint')}) AS g`,
};

/** LEAVE LOCK: `$2` tenant, `$3` name, `$4` run. Indexes as JOIN LOCK; a row per run to be told. */
export const LEAVE_LOCK: Statement = {
  name: 'leave_lock',
  hot: false,
  writes: true,
  text: 'SELECT g.run_id, g.run_part FROM pawl.leave_lock($1, $2, $3, $4) AS g',
};

/** LIMIT LOCK: `$2` tenant, `$3` name, `$4` limit or null, `$5` who, `$6` why. A row per run to be told. */
export const LIMIT_LOCK: Statement = {
  name: 'limit_lock',
  hot: false,
  writes: true,
  text: 'SELECT g.run_id, g.run_part FROM pawl.limit_lock($1, $2, $3, $4, $5, $6) AS g',
};

/** SWEEP LOCKS: holders not looked at for `$2` ms, `$3` at most. Indexes: lock_place_seen_idx, lock_place_pk. */
export const SWEEP_LOCKS: Statement = {
  name: 'sweep_locks',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
page AS MATERIALIZED (
  SELECT p.run_id FROM pawl.lock_place p
  WHERE p.part = $1 AND p.slot IS NOT NULL AND p.seen_at <= (SELECT now - $2 * interval '1 millisecond' FROM t)
  ORDER BY p.seen_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED)
UPDATE pawl.lock_place p SET seen_at = t.now
FROM t
WHERE p.part = $1 AND p.run_id = ANY (ARRAY(SELECT page.run_id FROM page))
RETURNING p.tenant, p.name, p.run_id, p.run_part`,
};

/** LOCKS of a tenant (`$1`) with their queues: `$2` one name or null, `$3` how many, `$4` places and acts of each. Index: lock_pk. */
export const LOCK_ROWS: Statement = {
  name: 'lock_rows',
  hot: false,
  writes: false,
  text: `SELECT l.part, l.tenant, l.name, l.set_limit, c.held, c.waiting,
  (SELECT coalesce(json_agg(row_to_json(x)), '[]'::json) FROM (
    SELECT ${readingOf(PLACE, 'p')} FROM pawl.lock_place p
    WHERE p.part = l.part AND p.tenant = l.tenant AND p.name = l.name
    ORDER BY p.slot, p.started_at, p.run_id LIMIT $4) AS x) AS places,
  (SELECT coalesce(json_agg(row_to_json(x)), '[]'::json) FROM (
    SELECT ${readingOf(ACT, 'a')} FROM pawl.lock_act a
    WHERE a.part = l.part AND a.tenant = l.tenant AND a.name = l.name
    ORDER BY a.act_no DESC LIMIT $4) AS x) AS acts
FROM pawl.lock l
CROSS JOIN LATERAL (
  SELECT count(p.slot)::integer AS held, (count(*) - count(p.slot))::integer AS waiting FROM pawl.lock_place p
  WHERE p.part = l.part AND p.tenant = l.tenant AND p.name = l.name) AS c
WHERE l.tenant = $1 AND ($2::text IS NULL OR l.name = $2)
ORDER BY l.name
LIMIT $3`,
};

/**
 * HEADS: where runs of a part stand. Index: run_head_pk; a row per run that is there. Looked up one by one (LIMIT 1): of `= ANY`
 * and of a join PostgreSQL 15 makes a filter over the whole part while the table is small, and keeps that plan.
 */
export const HEADS: Statement = {
  name: 'heads',
  hot: true,
  writes: false,
  text: `SELECT h.run_id, h.status, ${msOf('h.ended_at')} AS ended_at, ${msOf('h.pruned_at')} AS pruned_at
FROM unnest($2::uuid[]) AS asked (run_id)
CROSS JOIN LATERAL (
  SELECT h.* FROM pawl.run_head h
  WHERE h.part = $1 AND h.run_id = asked.run_id
  LIMIT 1) AS h`,
};
