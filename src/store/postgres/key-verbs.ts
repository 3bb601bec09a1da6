import type { ApiKey, KeyRevocation } from '../../model/api-key.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Connections, Row } from './connections.ts';
import { parse } from './rows.ts';
import { CREATE_KEY, FIND_KEY, LIST_KEYS, REVOKE_KEY } from './sql/api-key.ts';

function revocationFromRow(row: Row): KeyRevocation | null {
  const atMs = row['revoked_at'] as number | null;
  return atMs === null ? null : { by: row['revoked_by'] as string, reason: row['revoke_reason'] as string, atMs };
}

function keyFromRow(row: Row): ApiKey {
  return {
    keyId: row['key_id'] as string,
    tenant: row['tenant'] as string,
    principal: row['principal'] as string,
    roles: parse<ApiKey['roles']>(row['roles']),
    scopes: parse<ApiKey['scopes']>(row['scopes']),
    secretHash: row['secret_hash'] as string,
    createdBy: row['created_by'] as string,
    createdAtMs: row['created_at'] as number,
    expiresAtMs: row['expires_at'] as number | null,
    revoked: revocationFromRow(row),
  };
}

/** The verbs of API keys. */
export function keyVerbs({ run }: Connections): KeyStore {
  return {
    createKey: async ({ keyId, tenant, principal, roles, scopes, secretHash, createdBy, expiresAtMs }) => {
      const rights = [JSON.stringify(roles), JSON.stringify(scopes)];
      const made = await run(CREATE_KEY, [keyId, tenant, principal, ...rights, secretHash, createdBy, expiresAtMs]);
      return made.length > 0;
    },
    findKey: async (keyId) => {
      const [row] = await run(FIND_KEY, [keyId]);
      return row === undefined ? null : { key: keyFromRow(row), nowMs: row['now_ms'] as number };
    },
    listKeys: async (tenant, limit) => (await run(LIST_KEYS, [tenant, limit])).map(keyFromRow),
    revokeKey: async (tenant, keyId, { by, reason }) => (await run(REVOKE_KEY, [tenant, keyId, by, reason])).length > 0,
  };
}
