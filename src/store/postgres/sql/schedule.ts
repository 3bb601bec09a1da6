import { NOTE_ACT } from './audit.ts';
import { readingOf } from './columns.ts';
import { msOf, type Statement, timeOf, TIME } from './statement.ts';

/** A schedule as it is told. */
const SCHEDULE = {
  part: 'integer',
  tenant: 'text',
  workflow: 'text',
  version: 'integer',
  due_at: 'time',
  paused: 'boolean',
  last_fired_at: 'time',
  last_run_id: 'text',
  last_skipped_at: 'time',
  last_error: 'text',
} as const;

/** One that was taken. */
const TAKEN = {
  workflow: 'text',
  version: 'integer',
  due_at: 'time',
  since_at: 'time',
  taken_at: 'time',
  attempt: 'integer',
  last_run_id: 'text',
} as const;

const ACT = { act: 'text', actor: 'text', reason: 'text', at: 'time' } as const;

/** No higher version of its workflow is published: what a lower one has left counts no more. Index: definition_pk. */
const IS_LIVE = `NOT EXISTS (SELECT FROM pawl.definition d
    WHERE d.tenant = s.tenant AND d.workflow = s.workflow AND d.version > s.version)`;

/**
 * CLAIM SCHEDULES of a tenant (`$2`) whose instant has come, `$3` at most, for `$4` ms; and when the next one comes. Indexes:
 * schedule_due_idx, schedule_pk, definition_pk; a row per schedule that was taken, one without any where none was.
 */
export const CLAIM_SCHEDULES: Statement = {
  name: 'claim_schedules',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
page AS MATERIALIZED (
  SELECT s.tenant, s.workflow FROM pawl.schedule s
  WHERE s.part = $1 AND s.tenant = $2 AND NOT s.paused AND s.due_at <= (SELECT now FROM t) AND s.free_at <= (SELECT now FROM t)
    AND ${IS_LIVE}
  ORDER BY s.due_at, s.workflow
  LIMIT $3
  FOR UPDATE OF s SKIP LOCKED),
u AS (
  UPDATE pawl.schedule s
  SET taken_at = coalesce(s.taken_at, t.now), free_at = t.now + $4 * interval '1 millisecond', attempt = s.attempt + 1
  FROM t CROSS JOIN page
  WHERE s.part = $1 AND s.tenant = page.tenant AND s.workflow = page.workflow
  RETURNING ${readingOf(TAKEN, 's')}),
later AS (
  SELECT min(greatest(s.due_at, s.free_at)) AS at FROM pawl.schedule s
  WHERE s.part = $1 AND s.tenant = $2 AND NOT s.paused AND greatest(s.due_at, s.free_at) > (SELECT now FROM t)
    AND ${IS_LIVE})
SELECT ${msOf('t.now')} AS now_ms, ${msOf('later.at')} AS next_at, u.* FROM t CROSS JOIN later LEFT JOIN u ON true`,
};

/**
 * SETTLE SCHEDULE: `$2` tenant, `$3` workflow, `$4` version, `$5` claim; `$6` the instant that comes next (null = what is due
 * stays due), `$7` the instant and `$8` the run that was started, `$9` the instant that was left out, `$10` why not. Index: schedule_pk.
 */
export const SETTLE_SCHEDULE: Statement = {
  name: 'settle_schedule',
  hot: false,
  writes: true,
  text: `WITH ${TIME}
UPDATE pawl.schedule s SET
  due_at = coalesce(${timeOf('$6::bigint')}, s.due_at),
  taken_at = CASE WHEN $6::bigint IS NULL THEN s.taken_at END,
  free_at = CASE WHEN $6::bigint IS NULL THEN s.free_at ELSE t.now END,
  last_fired_at = coalesce(${timeOf('$7::bigint')}, s.last_fired_at),
  last_run_id = coalesce($8::uuid, s.last_run_id),
  last_skipped_at = coalesce(${timeOf('$9::bigint')}, s.last_skipped_at),
  last_error = $10
FROM t
WHERE s.part = $1 AND s.tenant = $2 AND s.workflow = $3 AND s.version = $4 AND s.attempt = $5 AND s.taken_at IS NOT NULL`,
};

/**
 * ORDER SCHEDULE: `$4` version, `$5` pause or resume, `$6` who, `$7` why, `$8` the instant that comes next for one that goes on.
 * The act is numbered under the schedule's own row. Indexes: schedule_pk, schedule_act_pk; a row if there is such a schedule.
 */
export const ORDER_SCHEDULE: Statement = {
  name: 'order_schedule',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
before AS MATERIALIZED (
  SELECT s.part, s.tenant, s.workflow, s.paused, s.paused AND $5 = 'resume' AS goes_on FROM pawl.schedule s
  WHERE s.part = $1 AND s.tenant = $2 AND s.workflow = $3 AND s.version = $4
  FOR UPDATE OF s),
u AS (
  UPDATE pawl.schedule s SET
    paused = ($5 = 'pause'),
    due_at = CASE WHEN before.goes_on THEN ${timeOf('$8::bigint')} ELSE s.due_at END,
    taken_at = CASE WHEN before.goes_on THEN NULL ELSE s.taken_at END,
    free_at = CASE WHEN before.goes_on THEN t.now ELSE s.free_at END,
    attempt = CASE WHEN before.goes_on THEN s.attempt + 1 ELSE s.attempt END
  FROM t CROSS JOIN before
  WHERE s.part = before.part AND s.tenant = before.tenant AND s.workflow = before.workflow
  RETURNING s.workflow),
a AS (
  INSERT INTO pawl.schedule_act (part, tenant, workflow, act_no, act, actor, reason, at)
  SELECT before.part, before.tenant, before.workflow,
    (SELECT count(*) + 1 FROM pawl.schedule_act a WHERE a.part = $1 AND a.tenant = $2 AND a.workflow = $3), $5, $6, $7, t.now
  FROM t CROSS JOIN before),
noted AS (
  ${NOTE_ACT}
  SELECT $2, $6, 'schedule.' || $5, before.workflow, $7, json_build_object('before', json_build_object('version', $4::integer, 'paused', before.paused),
    'after', json_build_object('version', $4::integer, 'paused', $5 = 'pause'))::text, t.now
  FROM t CROSS JOIN before)
SELECT u.workflow FROM u`,
};

/** SCHEDULES of a tenant (`$1`), or that of one workflow (`$4`), `$2` at most, with `$3` acts each. Indexes: schedule_pk, schedule_act_pk, definition_pk. */
export const LIST_SCHEDULES: Statement = {
  name: 'list_schedules',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(SCHEDULE, 's')},
  (SELECT coalesce(json_agg(row_to_json(x)), '[]'::json) FROM (
    SELECT ${readingOf(ACT, 'a')} FROM pawl.schedule_act a
    WHERE a.part = s.part AND a.tenant = s.tenant AND a.workflow = s.workflow
    ORDER BY a.act_no DESC LIMIT $3) AS x) AS acts
FROM pawl.schedule s
WHERE s.tenant = $1 AND ($4::text IS NULL OR s.workflow = $4) AND ${IS_LIVE}
ORDER BY s.workflow
LIMIT $2`,
};
