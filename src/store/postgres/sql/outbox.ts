import { AUDIT, namesOf, OUTBOX, OUTBOX_RECORD, readingOf } from './columns.ts';
import { type Statement, TIME } from './statement.ts';

/**
 * CLAIM OUTBOX (V09): messages that are due, for `$4` ms; `$2` directions, `$3` how many. The first of a run, key and
 * direction that is open goes before all others. Indexes: outbox_due_idx, outbox_order_idx, outbox_pk.
 */
export const CLAIM_OUTBOX: Statement = {
  name: 'claim_outbox',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
due AS MATERIALIZED (
  SELECT o.run_id, o.revision, o.ordinal
  FROM unnest($2::boolean[]) AS d (outward)
  CROSS JOIN LATERAL (
    SELECT o.* FROM pawl.outbox o
    WHERE o.part = $1 AND o.outward = d.outward AND o.state = 'waiting' AND o.due_at <= (SELECT now FROM t)
      AND (SELECT count(*) FROM (
        SELECT FROM pawl.outbox b
        WHERE b.part = $1 AND b.run_id = o.run_id AND b.outward = o.outward AND b.key = o.key AND b.state IN ('waiting', 'dead')
          AND (b.revision, b.ordinal) < (o.revision, o.ordinal)
        LIMIT 1) AS first) = 0
    ORDER BY o.due_at
    LIMIT $3
    FOR NO KEY UPDATE SKIP LOCKED) AS o)
UPDATE pawl.outbox o SET due_at = t.now + $4 * interval '1 millisecond', attempts = o.attempts + 1
FROM t
WHERE o.part = $1 AND o.run_id = ANY (ARRAY(SELECT due.run_id FROM due))
  AND ((o.run_id, o.revision, o.ordinal) IN (SELECT due.run_id, due.revision, due.ordinal FROM due)) IS TRUE
RETURNING o.run_id, o.attempts, ${readingOf(OUTBOX, 'o')}`,
};

/**
 * SETTLE OUTBOX: how sending `$5` of a message (`$2` run, `$3` revision, `$4` ordinal) went: `$6` its state, `$7` ms until
 * the next, `$8` what went wrong. That it arrived counts from whoever says it. Index: outbox_pk.
 */
export const SETTLE_OUTBOX: Statement = {
  name: 'settle_outbox',
  hot: true,
  writes: true,
  text: `WITH ${TIME}
UPDATE pawl.outbox o
SET state = $6, last_error = $8, settled_at = CASE WHEN $6 = 'delivered' THEN t.now END,
    due_at = CASE WHEN $6 = 'waiting' THEN t.now + $7 * interval '1 millisecond' ELSE o.due_at END
FROM t
WHERE o.part = $1 AND o.run_id = $2 AND o.revision = $3 AND o.ordinal = $4
  AND (($6 = 'delivered' AND o.state IN ('waiting', 'dead')) OR (o.state = 'waiting' AND o.attempts = $5))`,
};

/**
 * ACT ON OUTBOX: a person (`$5`, because of `$6`) has an open message (`$2` run, `$3` id) sent again or lets it go (`$4`);
 * the head is taken first, because the chain of acts is its. Indexes: run_head_pk, outbox_message_uq; what it was before.
 */
export const ACT_ON_OUTBOX: Statement = {
  name: 'act_on_outbox',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
h AS MATERIALIZED (SELECT h.tenant FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = $2 FOR NO KEY UPDATE),
o AS MATERIALIZED (
  SELECT o.* FROM pawl.outbox o
  WHERE o.part = $1 AND o.run_id = $2 AND o.message_id = $3 AND (SELECT count(*) FROM h) > 0
  FOR NO KEY UPDATE),
u AS (
  UPDATE pawl.outbox x
  SET state = CASE WHEN $4 = 'drop' THEN 'dropped' ELSE 'waiting' END, attempts = CASE WHEN $4 = 'drop' THEN x.attempts ELSE 0 END,
      due_at = t.now, settled_at = CASE WHEN $4 = 'drop' THEN t.now END
  FROM t CROSS JOIN o
  WHERE x.part = $1 AND x.run_id = $2 AND x.revision = o.revision AND x.ordinal = o.ordinal AND o.state IN ('waiting', 'dead')
  RETURNING o.state AS was),
a AS (
  INSERT INTO pawl.audit (part, run_id, tenant, ${namesOf(AUDIT)})
  SELECT $1, $2, h.tenant, $5, 'outbox.' || $4, $3, $6, json_build_object('was', u.was)::text, t.now
  FROM t CROSS JOIN h CROSS JOIN u)
SELECT o.state FROM o`,
};

/** OUTBOX of a run. Index: outbox_pk. */
export const OUTBOX_ROWS: Statement = {
  name: 'outbox_rows',
  hot: true,
  writes: false,
  text: `SELECT ${readingOf(OUTBOX_RECORD, 'o')} FROM pawl.outbox o WHERE o.part = $1 AND o.run_id = $2 ORDER BY o.revision, o.ordinal`,
};

/** LIST OUTBOX: open messages of a tenant (`$1`) in states `$2` (null = all open ones), `$3` at most, the oldest first. Index: outbox_open_idx. */
export const LIST_OUTBOX: Statement = {
  name: 'list_outbox',
  hot: false,
  writes: false,
  text: `SELECT o.part, o.run_id, ${readingOf(OUTBOX_RECORD, 'o')} FROM pawl.outbox o
WHERE o.tenant = $1 AND o.state IN ('waiting', 'dead') AND ($2::text[] IS NULL OR o.state = ANY ($2::text[]))
ORDER BY o.at, o.run_id, o.revision, o.ordinal
LIMIT $3`,
};
