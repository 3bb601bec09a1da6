import { END_STATUSES, OPEN_EFFECT_STATES } from '../../../model/statuses.ts';
import { AUDIT, namesOf } from './columns.ts';
import { msOf, type Statement, TIME } from './statement.ts';

const listOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** Whether a table has such a row of the run `h`: never more than one is looked at. */
function has(table: string, where: string): string {
  return `(SELECT count(*) FROM (SELECT FROM pawl.${table} x WHERE x.part = $1 AND x.run_id = h.run_id AND ${where} LIMIT 1) AS c) > 0`;
}

/** The first thing of the run `h` that is not over, NULL where there is none (P10, V19); the words are those of the model. */
const OPEN_END = `CASE
    WHEN h.owner IS NOT NULL THEN 'lease'
    WHEN ${has('ready', 'true')} THEN 'wake-up'
    WHEN ${has('timer', 'true')} THEN 'timer'
    WHEN ${has('effect', `x.state IN (${listOf(OPEN_EFFECT_STATES)})`)} THEN 'effect'
    WHEN ${has('inbox', 'NOT x.consumed')} THEN 'event'
    WHEN ${has('outbox', "x.state IN ('waiting', 'dead')")} THEN 'message'
    WHEN ${has('approval', "x.state = 'open'")} THEN 'approval' END`;

/**
 * RETAINED: the next runs of a part whose state is there. `$2` after which run (null = from the first), `$3` how many. Indexes:
 * run_head_retained_idx, run_pk and the key of each table; a row per run, one without any where there is none.
 */
export const RETAINED: Statement = {
  name: 'retained',
  hot: true,
  writes: false,
  text: `WITH ${TIME},
page AS MATERIALIZED (
  SELECT h.run_id, h.status, h.revision, h.fence, h.owner, h.ended_at FROM pawl.run_head h
  WHERE h.part = $1 AND h.pruned_at IS NULL AND h.run_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
  ORDER BY h.run_id
  LIMIT $3)
SELECT h.run_id, r.digest, h.status, h.revision, h.fence, ${msOf('h.ended_at')} AS ended_at,
  CASE WHEN h.ended_at IS NOT NULL THEN ${OPEN_END} END AS open_end, ${msOf('t.now')} AS now_ms
FROM t LEFT JOIN page AS h ON true
LEFT JOIN LATERAL (SELECT r.digest FROM pawl.run r WHERE r.part = $1 AND r.run_id = h.run_id OFFSET 0) AS r ON true
ORDER BY h.run_id`,
};

const OK = 'ANY (ARRAY(SELECT ok.run_id FROM ok))';

/**
 * PRUNE: the state of runs (`$2`) that stand as they were read (`$3` revisions, `$4` fences), that have ended and of which nothing is
 * on its way; what stands otherwise, or is locked, is left alone. `$5` who does it (NULL = nobody) and `$6` why go to the acts. Receipts, observations, start keys, effect keys, approvals, votes and
 * acts stay. Indexes: run_head_pk and the key of each table; a row per run that was pruned.
 */
export const PRUNE: Statement = {
  name: 'prune',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
i AS MATERIALIZED (SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS i (run_id, revision, fence)),
lk AS MATERIALIZED (
  SELECT h.run_id, h.owner, h.tenant
  FROM (SELECT * FROM i ORDER BY i.run_id) AS i
  CROSS JOIN LATERAL (
    SELECT h.run_id, h.owner, h.tenant FROM pawl.run_head h
    WHERE h.part = $1 AND h.run_id = i.run_id AND h.revision = i.revision AND h.fence = i.fence
      AND h.pruned_at IS NULL AND h.ended_at IS NOT NULL AND h.status IN (${listOf(END_STATUSES)})
    FOR NO KEY UPDATE SKIP LOCKED) AS h),
ok AS MATERIALIZED (SELECT h.run_id, h.tenant FROM lk AS h WHERE ${OPEN_END} IS NULL),
u AS (
  UPDATE pawl.run_head h SET pruned_at = t.now, codec = 0, snapshot = '', output = NULL
  FROM t
  WHERE h.part = $1 AND h.run_id = ${OK}
  RETURNING h.run_id),
ru AS (
  UPDATE pawl.run r SET input = 'null' WHERE r.part = $1 AND r.run_id = ${OK}),
ef AS (
  UPDATE pawl.effect e SET request = '', output = NULL, last_error = NULL WHERE e.part = $1 AND e.run_id = ${OK}),
ib AS (
  UPDATE pawl.inbox b SET payload = 'null', detail = 'null' WHERE b.part = $1 AND b.run_id = ${OK}),
jo AS (
  DELETE FROM pawl.journal j WHERE j.part = $1 AND j.run_id = ${OK}),
ox AS (
  DELETE FROM pawl.outbox o WHERE o.part = $1 AND o.run_id = ${OK} AND o.state = 'delivered'),
au AS (
  INSERT INTO pawl.audit (part, run_id, tenant, ${namesOf(AUDIT)})
  SELECT $1, ok.run_id, ok.tenant, $5::text, 'prune', ok.run_id::text, $6::text, 'null', t.now
  FROM ok CROSS JOIN t WHERE $5::text IS NOT NULL)
SELECT u.run_id FROM u ORDER BY u.run_id`,
};
