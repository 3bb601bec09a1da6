import { timingSafeEqual } from 'node:crypto';
import { type KeyRights, readKey } from '../model/api-key.ts';
import { sha256 } from '../model/hash.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Config } from './config.ts';
import { rolesOf } from './principal.ts';

/** Who asks something over the API, and what they may. */
export interface Caller extends KeyRights {
  /** The principal: several keys of one person are one voter. */
  readonly name: string;
  /** The key by which they are known; null = there are none here. */
  readonly keyId: string | null;
  /** The roles that votes and reviews ask for: those of the key, and those that the configuration gives the name. */
  readonly held: readonly string[];
}

/** Where callers are known from. */
export interface CallerSources {
  readonly store: Pick<KeyStore, 'findKey'>;
  readonly config: Pick<Config, 'principals'>;
  /** The only tenant that is served here. */
  readonly tenant: string;
}

/**
 * Who holds a key. It is looked up at each call, so that one that was taken back or has expired counts no more from then on,
 * in every process.
 * @returns null for whatever is no key, one that is unknown, over or taken back, or one of another tenant; nobody is told which.
 * @throws PAWL_STORE_*.
 */
export async function authenticate(sources: CallerSources, text: string): Promise<Caller | null> {
  const { store, config, tenant } = sources;
  const given = readKey(text);
  const found = given === null ? null : await store.findKey(given.keyId);
  if (given === null || found === null) return null;
  const { key, nowMs } = found;
  const isKey = timingSafeEqual(Buffer.from(sha256(given.secret)), Buffer.from(key.secretHash));
  const isOver = key.revoked !== null || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs);
  if (!isKey || isOver || key.tenant !== tenant) return null;
  const { principal: name, roles, scopes } = key;
  return { name, keyId: key.keyId, roles, scopes, held: [...new Set([...roles, ...rolesOf(config, name)])].sort() };
}
