import canonicalize from 'canonicalize';
import { InvariantError } from './errors.ts';
import type { Json } from './json.ts';

/**
 * Canonical JSON text (RFC 8785): the only form that is hashed or stored under a hash.
 * @throws PAWL_INVARIANT for values that JSON cannot carry; edges refuse those first (`model/storable.ts`).
 */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new InvariantError('a value without JSON form reached the core');
  return text;
}
