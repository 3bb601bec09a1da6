import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { Json } from './json.ts';

/** SHA-256 of a text as 64 lower-case hex digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** SHA-256 of bytes as 64 lower-case hex digits. */
export function sha256Bytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 of the canonical JSON of a value. */
export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}
