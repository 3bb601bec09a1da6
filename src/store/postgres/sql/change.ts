import { msOf, type Statement, TIME } from './statement.ts';
import { IDENTITY } from './witness.ts';

/** Everything before it is settled: transactions that are under way, and those to come, have it or a higher number. */
const HORIZON = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** What a commit or a start has changed of its runs; `told` is null where nobody would see it. @param columns revision and status of a member. */
export function changeRows(members: string, columns: { readonly revision: string; readonly status: string }): string {
  return `
  INSERT INTO pawl.change (part, run_id, tenant, revision, status, effects, at)
  SELECT $1, ${members}.run_id, ${members}.tenant, ${columns.revision}, ${columns.status}, ${members}.told, t.now
  FROM ${members} CROSS JOIN t
  WHERE ${members}.told IS NOT NULL`;
}

/**
 * CHANGES of a tenant (`$2`) behind a place: `$3` position (null = none), `$4` the last run of it that was read. `$5` how many, and all of the
 * last position. Indexes: change_pk, change_kept_pk, run_pk; a row per change, one without any where there is none.
 */
export const CHANGES: Statement = {
  name: 'changes',
  hot: true,
  writes: false,
  text: `WITH me AS MATERIALIZED (${IDENTITY}),
edge AS MATERIALIZED (SELECT ${HORIZON} AS horizon),
page AS MATERIALIZED (
  SELECT c.position, c.run_id, c.revision, c.status, c.effects, c.at
  FROM pawl.change c
  WHERE c.part = $1 AND (c.position, c.run_id) > ($3::bigint, $4::uuid) AND c.position < (SELECT horizon FROM edge) AND c.tenant = $2
  ORDER BY c.position
  FETCH FIRST ($5::integer) ROWS WITH TIES)
SELECT edge.horizon, coalesce(k.kept_from, 0) AS kept_from, me.system_identifier || '/' || me.timeline AS history,
       c.position, c.run_id, r.run_key, r.workflow, r.version, c.revision, c.status, c.effects, ${msOf('c.at')} AS at
FROM me CROSS JOIN edge
LEFT JOIN pawl.change_kept k ON k.part = $1
LEFT JOIN page AS c ON true
LEFT JOIN LATERAL (
  SELECT r.run_key, r.workflow, r.version FROM pawl.run r WHERE r.part = $1 AND r.run_id = c.run_id OFFSET 0) AS r ON true
ORDER BY c.position, c.run_id`,
};

/** FORGET CHANGES that are older than `$2` milliseconds, among the `$3` oldest of the part. Indexes: change_pk, change_kept_pk; one row. */
export const FORGET_CHANGES: Statement = {
  name: 'forget_changes',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
oldest AS MATERIALIZED (
  SELECT c.position, c.at FROM pawl.change c
  WHERE c.part = $1 AND c.position < (SELECT ${HORIZON})
  ORDER BY c.position
  LIMIT $3),
upto AS MATERIALIZED (
  SELECT max(o.position) + 1 AS kept_from FROM oldest o CROSS JOIN t WHERE o.at < t.now - $2::bigint * interval '1 millisecond'),
k AS (
  INSERT INTO pawl.change_kept AS k (part, kept_from)
  SELECT $1, upto.kept_from FROM upto WHERE upto.kept_from IS NOT NULL
  ON CONFLICT ON CONSTRAINT change_kept_pk DO UPDATE SET kept_from = greatest(k.kept_from, excluded.kept_from)),
d AS (
  DELETE FROM pawl.change c WHERE c.part = $1 AND c.position < (SELECT kept_from FROM upto)
  RETURNING 1)
SELECT count(*) AS forgotten FROM d`,
};
