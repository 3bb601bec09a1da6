import type { ApiKey, KeyRevocation } from '../../model/api-key.ts';
import type { NewApiKey } from '../../ports/key-store.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import type { Statement } from './tables.ts';

/** Writes a new key. @returns false when its id is taken. */
export function createKey(statement: Statement, key: NewApiKey): boolean {
  const { keys, nowMs } = statement;
  if (keys.has(key.keyId)) return false;
  const { tenant, keyId, principal, roles, scopes, expiresAtMs, createdBy } = key;
  const after = { principal, roles, scopes: scopes.map(({ right, workflows }) => ({ right, workflows })), expiresAtMs };
  const detail = { before: null, after };
  noteAct(statement, { tenant, actor: createdBy, act: 'key.create', target: keyId, reason: null, detail });
  keys.set(key.keyId, rowOf({ ...key, createdAtMs: nowMs, revoked: null }));
  return true;
}

/** A key by its id, with the time. */
export function findKey({ keys, nowMs }: Statement, keyId: string): { key: ApiKey; nowMs: number } | null {
  const key = keys.get(keyId);
  return key === undefined ? null : { key, nowMs };
}

/** Keys of a tenant, the newest first. */
export function listKeys({ keys }: Statement, tenant: string, limit: number): readonly ApiKey[] {
  const mine = [...keys.values()].filter((key) => key.tenant === tenant);
  return inOrder(mine, (key) => [-key.createdAtMs, key.keyId]).slice(0, limit);
}

/** Takes a key back. @returns false when the tenant has no such key. */
export function revokeKey(
  statement: Statement,
  of: Pick<ApiKey, 'tenant' | 'keyId'>,
  act: Omit<KeyRevocation, 'atMs'>,
): boolean {
  const { keys, nowMs } = statement;
  const key = keys.get(of.keyId);
  if (key === undefined || key.tenant !== of.tenant) return false;
  if (key.revoked !== null) return true;
  keys.set(key.keyId, rowOf({ ...key, revoked: { ...act, atMs: nowMs } }));
  const detail = { before: { principal: key.principal }, after: null };
  const { by: actor, reason } = act;
  noteAct(statement, { tenant: of.tenant, actor, act: 'key.revoke', target: of.keyId, reason, detail });
  return true;
}
