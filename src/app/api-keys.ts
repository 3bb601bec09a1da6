import { randomBytes } from 'node:crypto';
import { type ApiKey, type ApiRole, type KeyScope, writeKey } from '../model/api-key.ts';
import { invariant, NotFoundError, RefusedError } from '../model/errors.ts';
import { sha256 } from '../model/hash.ts';
import type { App } from './create-app.ts';
import { NAME } from './principal.ts';

/** Bytes of a key's id and of its secret (256 bits). */
const ID_BYTES = 4;
const SECRET_BYTES = 32;
/** Draws of an id that nobody has: with 2^32 of them two are a bug. */
const DRAWS_MAX = 3;
/** Keys that are listed at most. */
const LISTED_MAX = 1_000;

/** What a new key is to be. */
export interface KeyAsk {
  readonly principal: string;
  readonly roles: readonly ApiRole[];
  readonly scopes: readonly KeyScope[];
  /** How long it counts, milliseconds by the database's clock; null = until it is taken back. */
  readonly forMs: number | null;
  readonly by: string;
}

/** A key as it is listed; times RFC 3339 UTC, and nothing of the secret. */
export interface KeyView {
  readonly id: string;
  readonly principal: string;
  readonly roles: readonly ApiRole[];
  /** `RIGHT@WORKFLOWS` each. */
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: { readonly by: string; readonly at: string; readonly reason: string } | null;
}

function viewOf({ keyId, principal, roles, scopes, createdBy, createdAtMs, expiresAtMs, revoked }: ApiKey): KeyView {
  const time = (atMs: number): string => new Date(atMs).toISOString();
  return {
    id: keyId,
    principal,
    roles,
    scopes: scopes.map(({ right, workflows }) => `${right}@${workflows}`),
    createdBy,
    createdAt: time(createdAtMs),
    expiresAt: expiresAtMs === null ? null : time(expiresAtMs),
    revoked: revoked === null ? null : { by: revoked.by, at: time(revoked.atMs), reason: revoked.reason },
  };
}

/**
 * Makes a key. Its text is told here and never again: only a hash of its secret is stored.
 * @throws PAWL_CONFIG_INVALID for a principal that is no name; PAWL_STORE_*.
 */
export async function createKey(
  { engine: { store, tenant } }: Pick<App, 'engine'>,
  ask: KeyAsk,
): Promise<{ readonly key: string; readonly view: KeyView }> {
  if (!NAME.test(ask.principal))
    throw new RefusedError('PAWL_CONFIG_INVALID', `${JSON.stringify(ask.principal)} is not a name of a principal`);
  const { principal, roles, scopes, by: createdBy } = ask;
  const expiresAtMs = ask.forMs === null ? null : (await store.nowMs()) + ask.forMs;
  for (let draw = 1; draw <= DRAWS_MAX; draw += 1) {
    const keyId = randomBytes(ID_BYTES).toString('hex');
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    const key = { keyId, tenant, principal, roles, scopes, secretHash: sha256(secret), createdBy, expiresAtMs };
    if (!(await store.createKey(key))) continue;
    const found = await store.findKey(keyId);
    invariant(found !== null, 'a key that was made is not there', { keyId });
    return { key: writeKey({ keyId, secret }), view: viewOf(found.key) };
  }
  invariant(false, 'every id of a key is taken');
}

/** Keys, the newest first; also those that are over. */
export async function listKeys({ engine: { store, tenant } }: Pick<App, 'engine'>): Promise<readonly KeyView[]> {
  return (await store.listKeys(tenant, LISTED_MAX)).map(viewOf);
}

/** Takes a key back, for ever; asked again, the first word stays. @throws PAWL_KEY_NOT_FOUND. */
export async function revokeKey(
  { engine: { store, tenant } }: Pick<App, 'engine'>,
  keyId: string,
  act: { readonly by: string; readonly reason: string },
): Promise<void> {
  if (await store.revokeKey(tenant, keyId, act)) return;
  throw new NotFoundError('PAWL_KEY_NOT_FOUND', `there is no key ${keyId}`, { key: keyId });
}
