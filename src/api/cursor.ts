import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { malformed } from './api-error.ts';

/** Enough of a hash that no other filter has it by chance. */
const FILTER_DIGITS = 16;
/** A filter's hash, and a place. */
const CURSOR = /^([0-9a-f]{16})\.(.{1,600})$/s;
/** What a cursor is bound to. */
function hashOf(filter: Json): string {
  return hashJson(filter).slice(0, FILTER_DIGITS);
}

/** The cursor behind a place of a list: it goes on there, whatever has come meanwhile, and fits that filter alone. */
export function writePlace(filter: Json, place: string): string {
  return Buffer.from(`${hashOf(filter)}.${place}`).toString('base64url');
}

/**
 * The parts of a place, as its form names them.
 * @throws PAWL_API_MALFORMED for a cursor that is none, or one of another filter.
 */
export function readPlace(filter: Json, cursor: string, form: RegExp): readonly string[] {
  const [, hash, place = ''] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const [, ...parts] = form.exec(place) ?? [];
  const pointer = '/query/cursor';
  if (hash === undefined || parts.length === 0)
    throw malformed('the cursor is none of this server', [{ pointer, message: `${pointer} does not fit` }]);
  if (hash !== hashOf(filter))
    throw malformed('the cursor belongs to another filter: begin again without it', [
      { pointer, message: `${pointer} belongs to another filter` },
    ]);
  return parts;
}
