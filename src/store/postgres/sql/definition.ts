import { msOf, type Statement, TIME } from './statement.ts';

const COLUMNS = `d.tenant, d.workflow, d.version, d.digest, d.digests, d.source, d.machine, d.published_by, ${msOf('d.published_at')} AS published_at`;

/** PUBLISH: one row when it is new, none when (tenant, workflow, version) is there. Index: definition_pk. */
export const PUBLISH: Statement = {
  name: 'publish',
  hot: false,
  writes: true,
  text: `WITH ${TIME}
INSERT INTO pawl.definition AS d (tenant, workflow, version, digest, digests, source, machine, published_by, published_at)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, t.now FROM t
ON CONFLICT ON CONSTRAINT definition_pk DO NOTHING
RETURNING ${COLUMNS}`,
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
