import { GAUGE_COUNT_MAX } from '../../../model/gauges.ts';
import { msOf, type Statement, TIME } from './statement.ts';

/** How long a count may take, milliseconds: whoever scrapes asks again soon. */
const GAUGES_TIMEOUT_MS = 2_000;

/** Age of the oldest in milliseconds; a clock that was set back makes nobody younger than now. */
function ageOf(oldest: string): string {
  return `greatest(0, (SELECT ${msOf('t.now')} FROM t) - ${msOf(`min(${oldest})`)})`;
}

/** A kind of rows, counted; nothing where there are none. */
function counted(measure: string, from: string, label: string, age: string): string {
  return `SELECT '${measure}' AS measure, ${label} AS label, count(*)::integer AS count, ${age} AS age_ms FROM ${from} GROUP BY 2`;
}

/**
 * GAUGES of a tenant (`$1`), `$2` parts. Each kind is read in the order of an index of open rows alone, and ends at its limit. Indexes:
 * run_head_open_idx, effect_pk, effect_doubt_idx, timer_due_idx, inbox_open_idx, outbox_open_idx, batch_due_idx; a row per measure and label.
 */
export const GAUGES_OF: Statement = {
  name: 'gauges_of',
  hot: false,
  writes: false,
  timeoutMs: GAUGES_TIMEOUT_MS,
  text: `WITH ${TIME},
open AS MATERIALIZED (
  SELECT h.part, h.run_id, h.status, h.needs FROM pawl.run_head h
  WHERE h.tenant = $1 AND h.ended_at IS NULL
  ORDER BY h.part, h.run_id
  LIMIT ${GAUGE_COUNT_MAX}),
needs AS (
  SELECT DISTINCT open.run_id, n.kind
  FROM open CROSS JOIN LATERAL json_array_elements_text(open.needs::json) AS n (kind) WHERE open.needs <> '[]'),
moving AS (
  SELECT e.state FROM open CROSS JOIN LATERAL (
    SELECT e.state FROM pawl.effect e WHERE e.part = open.part AND e.run_id = open.run_id OFFSET 0) AS e
  WHERE e.state IN ('PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN')
  LIMIT ${GAUGE_COUNT_MAX}),
doubt AS (
  SELECT e.unknown_since FROM pawl.effect e
  WHERE e.tenant = $1 AND e.unknown_since IS NOT NULL
  ORDER BY e.unknown_since
  LIMIT ${GAUGE_COUNT_MAX}),
due AS (
  SELECT m.due_at FROM generate_series(0, $2::integer - 1) AS p (part) CROSS JOIN LATERAL (
    SELECT m.due_at FROM pawl.timer m
    WHERE m.part = p.part AND m.tenant = $1 AND m.due_at <= (SELECT now FROM t)
    ORDER BY m.due_at
    LIMIT ${GAUGE_COUNT_MAX}) AS m
  ORDER BY m.due_at
  LIMIT ${GAUGE_COUNT_MAX}),
undecided AS (
  SELECT b.received_at FROM generate_series(0, $2::integer - 1) AS p (part) CROSS JOIN LATERAL (
    SELECT b.received_at FROM pawl.inbox b
    WHERE b.part = p.part AND b.tenant = $1 AND NOT b.consumed AND b.outcome IS NULL
    ORDER BY b.run_id
    LIMIT ${GAUGE_COUNT_MAX}) AS b
  LIMIT ${GAUGE_COUNT_MAX}),
sending AS (
  SELECT o.state, o.at FROM pawl.outbox o
  WHERE o.tenant = $1 AND o.state IN ('waiting', 'dead')
  ORDER BY o.at
  LIMIT ${GAUGE_COUNT_MAX}),
working AS (
  SELECT b.due_at FROM pawl.batch b
  WHERE b.tenant = $1 AND b.state = 'running'
  ORDER BY b.due_at
  LIMIT ${GAUGE_COUNT_MAX})
SELECT x.* FROM (
  ${[
    counted('runs', 'open', 'status', 'NULL::bigint'),
    counted('needs', 'needs', 'kind', 'NULL'),
    counted('effects', 'moving', 'state', 'NULL'),
    counted('doubt', 'doubt', 'NULL', ageOf('unknown_since')),
    counted('timers', 'due', 'NULL', ageOf('due_at')),
    counted('inbox', 'undecided', 'NULL', ageOf('received_at')),
    counted('outbox', 'sending', 'state', ageOf('at')),
    counted('batches', 'working', 'NULL', 'NULL'),
  ].join('\n  UNION ALL ')}) AS x
ORDER BY x.measure COLLATE "C", x.label COLLATE "C" NULLS FIRST`,
};
