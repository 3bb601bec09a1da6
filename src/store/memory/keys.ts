import type { ApiKey, KeyRevocation } from '../../model/api-key.ts';
import type { NewApiKey } from '../../ports/key-store.ts';
import { inOrder, rowOf } from './row.ts';
import type { Statement } from './tables.ts';

/** Writes a new key. @returns false when its id is taken. */
export function createKey({ keys, nowMs }: Statement, key: NewApiKey): boolean {
  if (keys.has(key.keyId)) return false;
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
  { keys, nowMs }: Statement,
  of: Pick<ApiKey, 'tenant' | 'keyId'>,
  act: Omit<KeyRevocation, 'atMs'>,
): boolean {
  const key = keys.get(of.keyId);
  if (key === undefined || key.tenant !== of.tenant) return false;
  if (key.revoked === null) keys.set(key.keyId, rowOf({ ...key, revoked: { ...act, atMs: nowMs } }));
  return true;
}
