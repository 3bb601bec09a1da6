import { APPROVAL, AUDIT, EFFECT, namesOf, RECEIPT, recordOf, TIMER, TRANSITION, valuesOf } from './columns.ts';
import { changeRows } from './change.ts';
import { offerRows, outboxRows } from './commit.ts';
import { type Statement, TIME, timeOf } from './statement.ts';

const MEMBER = {
  keyed: 'boolean',
  run_id: 'uuid',
  tenant: 'text',
  workflow: 'text',
  version: 'integer',
  digest: 'text',
  run_key: 'text',
  start_number: 'integer',
  input: 'text',
  started_at: 'bigint',
  started_by: 'text',
  lock_name: 'text',
  lock_limit: 'integer',
  traceparent: 'text',
  request_hash: 'text',
  revision: 'bigint',
  status: 'text',
  phase: 'text',
  needs: 'text',
  codec: 'smallint',
  snapshot: 'bytea',
  ended_at: 'bigint',
  output: 'text',
  failure: 'text',
  transitions: 'text',
  effects: 'text',
  timers: 'text',
  approvals: 'text',
  receipts: 'text',
  audit: 'text',
  outbox: 'text',
  offers: 'text',
  told: 'text',
  worker_id: 'text',
  ready_at: 'bigint',
} as const;

/** The columns of a start, in the order of the parameters from `$3` on. */
export const START_COLUMNS = Object.keys(MEMBER) as readonly (keyof typeof MEMBER)[];

const ARRAYS = Object.values(MEMBER).map((type, index) => `$${index + 3}::${type}[]`);

/**
 * START. `$2`: the starters' worker ids. A key that is there answers with its run, written again unchanged so that the
 * second starter sees it (DO NOTHING showed it nothing in 739 of 1,000 races); it is freed only for the next start
 * number, once its run ended in failure. The lease needs a living seat: else the run is born free and ready.
 * Indexes: start_key_pk, run_head_pk, seat_pk; one row per key and per new run.
 */
export const START: Statement = {
  name: 'start',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
i AS MATERIALIZED (SELECT * FROM unnest(${ARRAYS.join(', ')}) AS i (${START_COLUMNS.join(', ')})),
me AS MATERIALIZED (
  SELECT s.worker_id FROM pawl.seat s
  WHERE s.part = $1 AND s.worker_id = ANY ($2::text[]) AND s.lease_until > (SELECT now FROM t)
  FOR SHARE),
k AS (
  INSERT INTO pawl.start_key AS s (part, tenant, workflow, run_key, request_hash, run_id, start_number)
  SELECT $1, z.tenant, z.workflow, z.run_key, z.request_hash, z.run_id, z.start_number
  FROM (SELECT * FROM i CROSS JOIN (SELECT count(*) AS seats FROM me) AS m WHERE i.keyed AND m.seats >= 0 ORDER BY i.tenant, i.workflow, i.run_key) AS z
  ON CONFLICT ON CONSTRAINT start_key_pk DO UPDATE
  SET (request_hash, run_id, start_number) = (
    SELECT CASE WHEN free THEN excluded.request_hash ELSE s.request_hash END,
           CASE WHEN free THEN excluded.run_id ELSE s.run_id END,
           CASE WHEN free THEN excluded.start_number ELSE s.start_number END
    FROM (SELECT excluded.start_number = s.start_number + 1 AND EXISTS (
            SELECT FROM pawl.run_head h
            WHERE h.part = $1 AND h.run_id = s.run_id AND h.status IN ('FAILED', 'COMPENSATED', 'CANCELLED')) AS free) AS f)
  RETURNING s.tenant, s.workflow, s.run_key, s.request_hash, s.run_id),
new AS MATERIALIZED (
  SELECT i.*, me.worker_id AS owner, (i.worker_id IS NOT NULL)::integer AS fence
  FROM i
  LEFT JOIN me ON me.worker_id = i.worker_id
  WHERE (NOT i.keyed OR EXISTS (SELECT FROM k WHERE k.run_id = i.run_id))
    AND (SELECT count(*) FROM pawl.run_head h WHERE h.part = $1 AND h.run_id = i.run_id) = 0),
h AS (
  INSERT INTO pawl.run_head (part, run_id, tenant, revision, fence, owner, status, phase, needs, crashes, suspect, codec, snapshot, ended_at, output, failure)
  SELECT $1, new.run_id, new.tenant, new.revision, new.fence, new.owner, new.status, new.phase, new.needs, 0, false, new.codec, new.snapshot,
         ${timeOf('new.ended_at')}, new.output, new.failure
  FROM new),
r AS (
  INSERT INTO pawl.run (part, run_id, tenant, workflow, version, digest, run_key, start_number, input, started_at, started_by, lock_name, lock_limit, traceparent)
  SELECT $1, new.run_id, new.tenant, new.workflow, new.version, new.digest, new.run_key, new.start_number, new.input, ${timeOf('new.started_at')}, new.started_by, new.lock_name, new.lock_limit, new.traceparent
  FROM new),
l AS (
  INSERT INTO pawl.lease (part, run_id, worker_id, fence, suspect, claimed_at)
  SELECT $1, new.run_id, new.owner, 1, false, t.now FROM new CROSS JOIN t WHERE new.owner IS NOT NULL),
j AS (
  INSERT INTO pawl.journal (part, run_id, tenant, fence, worker_id, ${namesOf(TRANSITION)})
  SELECT $1, new.run_id, new.tenant, new.fence, coalesce(new.worker_id, 'start'), ${valuesOf(TRANSITION, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.transitions::json) AS x (${recordOf(TRANSITION)})),
e AS (
  INSERT INTO pawl.effect (part, run_id, tenant, ${namesOf(EFFECT)})
  SELECT $1, new.run_id, new.tenant, ${valuesOf(EFFECT, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.effects::json) AS x (${recordOf(EFFECT)})),
ti AS (
  INSERT INTO pawl.timer (part, run_id, tenant, ${namesOf(TIMER)})
  SELECT $1, new.run_id, new.tenant, ${valuesOf(TIMER, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.timers::json) AS x (${recordOf(TIMER)})),
ap AS (
  INSERT INTO pawl.approval (part, run_id, tenant, ${namesOf(APPROVAL)})
  SELECT $1, new.run_id, new.tenant, ${valuesOf(APPROVAL, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.approvals::json) AS x (${recordOf(APPROVAL)})),
re AS (
  INSERT INTO pawl.receipt (part, run_id, tenant, ${namesOf(RECEIPT)})
  SELECT $1, new.run_id, new.tenant, ${valuesOf(RECEIPT, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.receipts::json) AS x (${recordOf(RECEIPT)})),
au AS (
  INSERT INTO pawl.audit (part, run_id, tenant, ${namesOf(AUDIT)})
  SELECT $1, new.run_id, new.tenant, ${valuesOf(AUDIT, 'x')}
  FROM new CROSS JOIN LATERAL json_to_recordset(new.audit::json) AS x (${recordOf(AUDIT)})),
ch AS (${changeRows('new', { revision: 'new.revision', status: 'new.status' })}),
ox AS (${outboxRows('new')}),
oi AS (${offerRows('new')}),
y AS (
  INSERT INTO pawl.ready (part, run_id, due_at, wake)
  SELECT $1, z.run_id, z.due_at, 1
  FROM (
    SELECT new.run_id, CASE WHEN new.worker_id IS NULL THEN ${timeOf('new.ready_at')} ELSE t.now END AS due_at
    FROM new CROSS JOIN t
    WHERE new.owner IS NULL AND (new.worker_id IS NOT NULL OR new.ready_at IS NOT NULL)
    ORDER BY new.run_id) AS z)
SELECT k.tenant, k.workflow, k.run_key, k.request_hash, k.run_id, (extract(epoch FROM t.now) * 1000)::bigint AS now_ms FROM k CROSS JOIN t
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, (extract(epoch FROM t.now) * 1000)::bigint FROM t`,
};
