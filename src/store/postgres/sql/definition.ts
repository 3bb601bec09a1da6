import { NOTE_ACT } from './audit.ts';
import { msOf, type Statement, TIME, timeOf } from './statement.ts';

const COLUMNS = `d.tenant, d.workflow, d.version, d.digest, d.digests, d.source, d.machine, d.published_by, ${msOf('d.published_at')} AS published_at`;

/** Whether the schedule that is there has an instant that came while its version counted, and that was not started. */
const IS_LATE = `(NOT s.paused AND s.due_at <= excluded.since_at
  AND s.version = (SELECT max(d.version) FROM pawl.definition d WHERE d.tenant = s.tenant AND d.workflow = s.workflow))`;

/**
 * PUBLISH: one row when it is new, none when (tenant, workflow, version) is there. Its schedule, where it has one (`$9` part,
 * `$10` first instant), takes the place of a lower version's; of one with the same times (`$11`) what is late stays due. Recorded. Indexes: definition_pk, schedule_pk.
 */
export const PUBLISH: Statement = {
  name: 'publish',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
made AS (
  INSERT INTO pawl.definition AS d (tenant, workflow, version, digest, digests, source, machine, published_by, published_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, t.now FROM t
  ON CONFLICT ON CONSTRAINT definition_pk DO NOTHING
  RETURNING ${COLUMNS}),
begun AS (
  INSERT INTO pawl.schedule AS s (part, tenant, workflow, version, due_at, since_at, free_at)
  SELECT $9::smallint, made.tenant, made.workflow, made.version, ${timeOf('$10::bigint')}, t.now, t.now
  FROM t CROSS JOIN made WHERE $9::smallint IS NOT NULL
  ON CONFLICT ON CONSTRAINT schedule_pk DO UPDATE SET
    version = excluded.version, last_error = NULL,
    since_at = CASE WHEN ${IS_LATE} AND s.version = $11::integer THEN s.since_at ELSE excluded.since_at END,
    due_at = CASE WHEN ${IS_LATE} THEN s.due_at ELSE excluded.due_at END,
    taken_at = CASE WHEN ${IS_LATE} THEN s.taken_at END,
    free_at = CASE WHEN ${IS_LATE} THEN s.free_at ELSE excluded.free_at END,
    attempt = CASE WHEN ${IS_LATE} THEN s.attempt ELSE s.attempt + 1 END
  WHERE s.version < excluded.version
  RETURNING s.workflow),
noted AS (
  ${NOTE_ACT}
  SELECT made.tenant, made.published_by, 'publish', made.workflow, NULL, json_build_object('before', NULL, 'after',
    json_build_object('version', made.version, 'digest', made.digest))::text, t.now
  FROM t CROSS JOIN made
  -- Never before the schedule's row is taken: the row of the chain is the last.
  WHERE (SELECT count(*) FROM begun) >= 0)
SELECT * FROM made`,
};

/** One version, or the highest (`$3` null). Index: definition_pk; one row or none. */
export const FIND_VERSION: Statement = {
  name: 'find_version',
  hot: false,
  writes: false,
  text: `SELECT ${COLUMNS} FROM pawl.definition d
WHERE d.tenant = $1 AND d.workflow = $2 AND ($3::integer IS NULL OR d.version = $3)
ORDER BY d.version DESC
LIMIT 1`,
};

/** A version by its content. Index: definition_digest_idx; one row or none. */
export const LOAD_VERSION: Statement = {
  name: 'load_version',
  hot: false,
  writes: false,
  text: `SELECT ${COLUMNS} FROM pawl.definition d
WHERE d.digest = $1
ORDER BY d.published_at
LIMIT 1`,
};

/** All versions of a tenant. Index: definition_pk. */
export const LIST_VERSIONS: Statement = {
  name: 'list_versions',
  hot: false,
  writes: false,
  text: `SELECT ${COLUMNS} FROM pawl.definition d
WHERE d.tenant = $1
ORDER BY d.workflow, d.version`,
};
