import { NOTE_ACT } from './audit.ts';
import { readingOf } from './columns.ts';
import { msOf, type Statement, TIME, timeOf } from './statement.ts';

/** A batch as it is told. */
const BATCH = {
  tenant: 'text',
  batch_id: 'text',
  action: 'text',
  params: 'text',
  request_hash: 'text',
  by: 'text',
  key_id: 'text',
  reason: 'text',
  max_failures: 'integer',
  rate: 'integer',
  total: 'integer',
  applied: 'integer',
  refused: 'integer',
  failed: 'integer',
  state: 'text',
  created_at: 'time',
} as const;

/** A run of one. */
const ITEM = {
  no: 'integer',
  run_id: 'text',
  run_part: 'integer',
  workflow: 'text',
  outcome: 'text',
  code: 'text',
  message: 'text',
  at: 'time',
} as const;

/**
 * CREATE BATCH: `$11` to `$13` ids, parts and workflows of its runs. A row if its id (`$2`) was free. Index: batch_pk.
 */
export const CREATE_BATCH: Statement = {
  name: 'create_batch',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
made AS (
  INSERT INTO pawl.batch AS b (tenant, batch_id, action, params, request_hash, by, key_id, reason, max_failures, rate,
    total, applied, refused, failed, state, created_at, due_at)
  SELECT $1::text, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::integer, $10::integer,
    cardinality($11::uuid[]), 0, 0, 0, CASE WHEN cardinality($11::uuid[]) = 0 THEN 'done' ELSE 'running' END, t.now, t.now FROM t
  ON CONFLICT ON CONSTRAINT batch_pk DO NOTHING
  RETURNING b.*),
items AS (
  INSERT INTO pawl.batch_item (tenant, batch_id, no, run_id, run_part, workflow, outcome, tries)
  SELECT made.tenant, made.batch_id, i.no, i.run_id, i.part, i.workflow, 'pending', 0
  FROM made CROSS JOIN unnest($11::uuid[], $12::smallint[], $13::text[]) WITH ORDINALITY AS i (run_id, part, workflow, no)),
noted AS (
  ${NOTE_ACT}
  SELECT made.tenant, made.by, 'batch.create', made.batch_id::text, made.reason,
    json_build_object('before', NULL, 'after', json_build_object('action', made.action, 'total', made.total))::text, made.created_at
  FROM made)
SELECT made.batch_id FROM made`,
};

/** BATCHES of a tenant (`$1`), the newest first, or one (`$2`); `$3`, `$4` time and id of that behind which it begins, `$5` how many. Indexes: batch_pk, batch_created_idx. */
export const LIST_BATCHES: Statement = {
  name: 'list_batches',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(BATCH, 'b')} FROM pawl.batch b
WHERE b.tenant = $1 AND ($2::uuid IS NULL OR b.batch_id = $2)
  AND ($3::bigint IS NULL OR (b.created_at, b.batch_id) < (${timeOf('$3::bigint')}, $4::uuid))
ORDER BY b.created_at DESC, b.batch_id DESC
LIMIT $5`,
};

/** Runs of a batch (`$2`) by number, `$3` outcome, `$4` behind which number, `$5` how many. Index: batch_item_pk. */
export const BATCH_ITEMS: Statement = {
  name: 'batch_items',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(ITEM, 'i')} FROM pawl.batch_item i
WHERE i.tenant = $1 AND i.batch_id = $2 AND ($3::text IS NULL OR i.outcome = $3) AND i.no > $4
ORDER BY i.no
LIMIT $5`,
};

/** TAKE BATCH of a tenant (`$1`) that is due, for `$2` ms, with `$3` pending runs at most. One row. Indexes: batch_due_idx, batch_item_pending_idx. */
export const TAKE_BATCH: Statement = {
  name: 'take_batch',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
due AS MATERIALIZED (
  SELECT b.tenant, b.batch_id FROM pawl.batch b
  WHERE b.tenant = $1 AND b.state = 'running' AND b.due_at <= (SELECT now FROM t)
  ORDER BY b.due_at, b.batch_id
  LIMIT 1
  FOR UPDATE OF b SKIP LOCKED),
u AS (
  UPDATE pawl.batch b SET due_at = t.now + $2 * interval '1 millisecond'
  FROM t CROSS JOIN due
  WHERE b.tenant = due.tenant AND b.batch_id = due.batch_id
  RETURNING ${readingOf(BATCH, 'b')}),
later AS (
  SELECT min(b.due_at) AS at FROM pawl.batch b WHERE b.tenant = $1 AND b.state = 'running' AND b.due_at > (SELECT now FROM t))
SELECT ${msOf('t.now')} AS now_ms, ${msOf('later.at')} AS next_at, u.*,
  (SELECT coalesce(json_agg(x), '[]') FROM (
    SELECT ${readingOf(ITEM, 'i')} FROM pawl.batch_item i
    WHERE i.tenant = $1 AND i.batch_id = u.batch_id::uuid AND i.outcome = 'pending'
    ORDER BY i.tries, i.no
    LIMIT CASE WHEN u.rate IS NULL THEN $3::integer ELSE 1 END) AS x) AS items
FROM t CROSS JOIN later LEFT JOIN u ON true`,
};

/** SETTLE a pending run (`$3`) of a batch (`$2`): `$4` outcome, `$5` code, `$6` words; the batch is due again in `$7` ms. Its state comes back. Indexes: batch_pk, batch_item_pk. */
export const SETTLE_BATCH_ITEM: Statement = {
  name: 'settle_batch_item',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
own AS MATERIALIZED (
  SELECT b.tenant, b.batch_id FROM pawl.batch b WHERE b.tenant = $1 AND b.batch_id = $2 FOR UPDATE),
i AS (
  UPDATE pawl.batch_item i SET outcome = $4, code = $5, message = $6, tries = i.tries + 1, at = CASE WHEN $4::text <> 'pending' THEN t.now END
  FROM t CROSS JOIN own
  WHERE i.tenant = own.tenant AND i.batch_id = own.batch_id AND i.no = $3 AND i.outcome = 'pending'
  RETURNING i.outcome),
n AS (
  SELECT count(*) FILTER (WHERE i.outcome = 'applied')::integer AS applied, count(*) FILTER (WHERE i.outcome = 'refused')::integer AS refused,
    count(*) FILTER (WHERE i.outcome = 'failed')::integer AS failed
  FROM i)
UPDATE pawl.batch b SET
  applied = b.applied + n.applied, refused = b.refused + n.refused, failed = b.failed + n.failed,
  due_at = t.now + $7 * interval '1 millisecond',
  state = CASE
    WHEN b.state IN ('stopped', 'done') THEN b.state
    WHEN b.applied + n.applied + b.refused + n.refused + b.failed + n.failed = b.total THEN 'done'
    WHEN b.refused + n.refused + b.failed + n.failed >= b.max_failures THEN 'stopped'
    ELSE b.state END
FROM t CROSS JOIN own CROSS JOIN n
WHERE b.tenant = own.tenant AND b.batch_id = own.batch_id
RETURNING b.state`,
};

/** ORDER BATCH (`$2`): `$3` the act, `$4` who, `$5` why, `$6` states in which it can be done, `$7` that behind it. A row if it was done. Index: batch_pk. */
export const ORDER_BATCH: Statement = {
  name: 'order_batch',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
own AS MATERIALIZED (
  SELECT b.tenant, b.batch_id, b.state FROM pawl.batch b
  WHERE b.tenant = $1 AND b.batch_id = $2 AND b.state = ANY ($6::text[]) FOR UPDATE),
u AS (
  UPDATE pawl.batch b SET state = $7, due_at = t.now FROM t CROSS JOIN own
  WHERE b.tenant = own.tenant AND b.batch_id = own.batch_id
  RETURNING b.batch_id),
noted AS (
  ${NOTE_ACT}
  SELECT own.tenant, $4, 'batch.' || $3::text, own.batch_id::text, $5, json_build_object('before', json_build_object('state', own.state),
    'after', json_build_object('state', $7::text))::text, t.now
  FROM t CROSS JOIN own)
SELECT u.batch_id FROM u`,
};
