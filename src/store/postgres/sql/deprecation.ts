import { NOTE_ACT } from './audit.ts';
import { msOf, type Statement, TIME } from './statement.ts';

/** DEPRECATE a version (`$1` to `$3`) by `$4` for `$5`: a row when that is new. Recorded. Indexes: definition_pk, deprecation_pk. */
export const DEPRECATE: Statement = {
  name: 'deprecate',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
made AS (
  INSERT INTO pawl.deprecation AS p (tenant, workflow, version, actor, reason, at)
  SELECT d.tenant, d.workflow, d.version, $4, $5, t.now FROM t CROSS JOIN pawl.definition d
  WHERE d.tenant = $1 AND d.workflow = $2 AND d.version = $3::integer
  ON CONFLICT ON CONSTRAINT deprecation_pk DO NOTHING
  RETURNING p.*),
noted AS (
  ${NOTE_ACT}
  SELECT made.tenant, made.actor, 'version.deprecate', made.workflow, made.reason, json_build_object(
    'before', json_build_object('version', made.version, 'deprecated', false),
    'after', json_build_object('version', made.version, 'deprecated', true))::text, made.at
  FROM made)
SELECT made.version FROM made`,
};

/** RESTORE a version (`$1` to `$3`) by `$4` for `$5`: a row when it was deprecated. Recorded. Index: deprecation_pk. */
export const RESTORE: Statement = {
  name: 'restore',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
gone AS (
  DELETE FROM pawl.deprecation p WHERE p.tenant = $1 AND p.workflow = $2 AND p.version = $3::integer RETURNING p.*),
noted AS (
  ${NOTE_ACT}
  SELECT gone.tenant, $4, 'version.restore', gone.workflow, $5, json_build_object(
    'before', json_build_object('version', gone.version, 'deprecated', true),
    'after', json_build_object('version', gone.version, 'deprecated', false))::text, t.now
  FROM t CROSS JOIN gone)
SELECT gone.version FROM gone`,
};

/** DEPRECATIONS of a tenant, or of one workflow (`$2`). Index: deprecation_pk. */
export const LIST_DEPRECATIONS: Statement = {
  name: 'list_deprecations',
  hot: false,
  writes: false,
  text: `SELECT p.tenant, p.workflow, p.version, p.actor, p.reason, ${msOf('p.at')} AS at FROM pawl.deprecation p
WHERE p.tenant = $1 AND ($2::text IS NULL OR p.workflow = $2)
ORDER BY p.workflow, p.version`,
};
