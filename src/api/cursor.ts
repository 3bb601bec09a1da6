import { hashJson } from '../model/hash.ts';
import type { RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunPlace } from '../ports/store.ts';
import { malformed } from './api-error.ts';

/** Enough of a hash that no other filter has it by chance. */
const FILTER_DIGITS = 16;
/** A filter's hash, a time in milliseconds, a run's UUID. */
const CURSOR = /^([0-9a-f]{16})\.(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** What a cursor is bound to. */
function hashOf(filter: Json): string {
  return hashJson(filter).slice(0, FILTER_DIGITS);
}

/** The cursor behind a place of a list: it goes on there, whatever was started meanwhile, and fits that filter alone. */
export function writeCursor(filter: Json, { startedAtMs, runId }: RunPlace): string {
  return Buffer.from(`${hashOf(filter)}.${startedAtMs}.${runId}`).toString('base64url');
}

/** @throws PAWL_API_MALFORMED for a cursor that is none, or one of another filter. */
export function readCursor(filter: Json, cursor: string): RunPlace {
  const [, hash, startedAt, runId] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const pointer = '/query/cursor';
  if (hash === undefined || startedAt === undefined || runId === undefined)
    throw malformed('the cursor is none of this server', [{ pointer, message: `${pointer} does not fit` }]);
  if (hash !== hashOf(filter))
    throw malformed('the cursor belongs to another filter: begin again without it', [
      { pointer, message: `${pointer} belongs to another filter` },
    ]);
  return { startedAtMs: Number(startedAt), runId: runId as RunId };
}
