import type { ApiKey, KeyRevocation } from '../model/api-key.ts';

/** A key that is made: the store says when, and it is not taken back yet. */
export type NewApiKey = Omit<ApiKey, 'createdAtMs' | 'revoked'>;

/** What a store does with API keys. */
export interface KeyStore {
  /** @returns false when there is a key of that id already, whoever's it is. */
  createKey(key: NewApiKey): Promise<boolean>;
  /** The key of an id in any tenant, and the database's time; null = there is none. */
  findKey(keyId: string): Promise<{ readonly key: ApiKey; readonly nowMs: number } | null>;
  /** Keys of a tenant, the newest first, `limit` at most. */
  listKeys(tenant: string, limit: number): Promise<readonly ApiKey[]>;
  /** Takes a key back, for ever; the first who did so is kept. @returns false when the tenant has no such key. */
  revokeKey(tenant: string, keyId: string, act: Omit<KeyRevocation, 'atMs'>): Promise<boolean>;
}
