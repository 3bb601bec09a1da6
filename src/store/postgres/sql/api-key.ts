import { NOTE_ACT } from './audit.ts';
import { readingOf } from './columns.ts';
import { type Statement, TIME, timeOf, msOf } from './statement.ts';

const API_KEY = {
  key_id: 'text',
  tenant: 'text',
  principal: 'text',
  roles: 'text',
  scopes: 'text',
  secret_hash: 'text',
  created_by: 'text',
  created_at: 'time',
  expires_at: 'time',
  revoked_by: 'text',
  revoke_reason: 'text',
  revoked_at: 'time',
} as const;

/** CREATE KEY: `$8` is when it expires (null = never); no row comes back where the id is taken. Index: api_key_pk. */
export const CREATE_KEY: Statement = {
  name: 'create_key',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
made AS (
  INSERT INTO pawl.api_key AS k
    (key_id, tenant, principal, roles, scopes, secret_hash, created_by, created_at, expires_at)
  SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, t.now, ${timeOf('$8::bigint')} FROM t
  ON CONFLICT ON CONSTRAINT api_key_pk DO NOTHING
  RETURNING k.*),
noted AS (
  ${NOTE_ACT}
  SELECT made.tenant, made.created_by, 'key.create', made.key_id, NULL, json_build_object('before', NULL, 'after',
    json_build_object('principal', made.principal, 'roles', made.roles::json, 'scopes', made.scopes::json,
      'expiresAtMs', ${msOf('made.expires_at')}))::text, made.created_at
  FROM made)
SELECT made.key_id FROM made`,
};

/** FIND KEY by its id, with the time. Index: api_key_pk; one row or none. */
export const FIND_KEY: Statement = {
  name: 'find_key',
  hot: false,
  writes: false,
  text: `WITH ${TIME}
SELECT ${readingOf(API_KEY, 'k')}, ${msOf('t.now')} AS now_ms FROM pawl.api_key k CROSS JOIN t WHERE k.key_id = $1`,
};

/** KEYS of a tenant, the newest first, `$2` at most. Index: api_key_tenant_idx. */
export const LIST_KEYS: Statement = {
  name: 'list_keys',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(API_KEY, 'k')} FROM pawl.api_key k
WHERE k.tenant = $1
ORDER BY k.created_at DESC, k.key_id
LIMIT $2`,
};

/** REVOKE KEY of a tenant (`$1`): who was first (`$3`), why (`$4`) and when stay. Index: api_key_pk; a row if there is such a key. */
export const REVOKE_KEY: Statement = {
  name: 'revoke_key',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
before AS MATERIALIZED (
  SELECT k.key_id, k.principal, k.revoked_at FROM pawl.api_key k WHERE k.tenant = $1 AND k.key_id = $2 FOR UPDATE),
gone AS (
  UPDATE pawl.api_key k SET revoked_by = $3, revoke_reason = $4, revoked_at = t.now
  FROM t CROSS JOIN before
  WHERE k.key_id = before.key_id AND before.revoked_at IS NULL
  RETURNING k.key_id, k.principal),
noted AS (
  ${NOTE_ACT}
  SELECT $1, $3, 'key.revoke', gone.key_id, $4,
    json_build_object('before', json_build_object('principal', gone.principal), 'after', NULL)::text, t.now
  FROM t CROSS JOIN gone)
SELECT before.key_id FROM before`,
};
