import { msOf, type Statement, TIME } from './statement.ts';

/**
 * TAKE OFFERS of a queue (`$2` tenant, `$3` queue), `$4` at most, for `$5` milliseconds: one that somebody else is taking is left
 * to that one. That the queue was asked is noted, once a second. Indexes: offer_due_idx, offer_pk, queue_pk.
 */
export const TAKE_OFFERS: Statement = {
  name: 'take_offers',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
q AS (
  INSERT INTO pawl.queue AS q (part, tenant, queue, asked_at)
  SELECT $1, $2::text, $3::text, t.now FROM t
  ON CONFLICT ON CONSTRAINT queue_pk DO UPDATE SET asked_at = excluded.asked_at
  WHERE q.asked_at < excluded.asked_at - interval '1 second'),
z AS MATERIALIZED (
  SELECT o.run_id, o.effect_key, o.tenant, o.queue, o.since, o.due_at
  FROM pawl.offer o
  WHERE o.part = $1 AND o.tenant = $2 AND o.queue = $3 AND o.due_at <= (SELECT now FROM t)
  ORDER BY o.due_at
  LIMIT $4
  FOR UPDATE SKIP LOCKED),
u AS (
  INSERT INTO pawl.offer AS o (part, run_id, effect_key, tenant, queue, since, due_at)
  SELECT $1, z.run_id, z.effect_key, z.tenant, z.queue, z.since, t.now + $5::integer * interval '1 millisecond' FROM z CROSS JOIN t
  ON CONFLICT ON CONSTRAINT offer_pk DO UPDATE SET due_at = excluded.due_at
  RETURNING o.run_id, o.effect_key)
SELECT z.run_id::text, z.effect_key FROM z JOIN u ON u.run_id = z.run_id AND u.effect_key = z.effect_key ORDER BY z.due_at, z.effect_key`,
};

/** QUEUES of a tenant (`$2`) in a part: with offers, or asked. Indexes: offer_due_idx, queue_pk. */
export const QUEUE_ROWS: Statement = {
  name: 'queue_rows',
  hot: false,
  writes: false,
  text: `SELECT coalesce(o.queue, q.queue) AS queue, coalesce(o.offered, 0)::integer AS offered, o.since_ms, ${msOf('q.asked_at')} AS asked_ms
FROM (
  SELECT o.queue, count(*) AS offered, ${msOf('min(o.since)')} AS since_ms FROM pawl.offer o
  WHERE o.part = $1 AND o.tenant = $2 AND o.since <= clock_timestamp()
  GROUP BY o.queue) AS o
FULL JOIN (SELECT q.queue, q.asked_at FROM pawl.queue q WHERE q.part = $1 AND q.tenant = $2) AS q ON q.queue = o.queue
ORDER BY coalesce(o.queue, q.queue) COLLATE "C"`,
};
