import type { RunId } from '../model/ids.ts';
import type { ChangePlace } from '../model/run-change.ts';
import { sha256 } from '../model/hash.ts';

/** What a stream has told: of each part all before a position, and of one part some runs of that position. */
export interface StreamPlace {
  readonly history: string;
  readonly parts: readonly number[];
  /** The part that is between two runs of one position, and the last one that was told; null = none is. */
  readonly within: { readonly part: number; readonly runId: RunId } | null;
}

/** Enough of a hash that no other database has it by chance. */
const HISTORY_DIGITS = 12;
/** A history's hash, a position for each part, and the part and the run in the middle of one. */
const PLACE = /^([0-9a-f]{12})((?:\.\d{1,16}){1,4096})(?:~(\d{1,4})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/;

function hashOf(history: string): string {
  return sha256(history).slice(0, HISTORY_DIGITS);
}

/** The `id` of an event: opaque to whoever is sent it, and sent back as `Last-Event-ID`. */
export function writePlace({ history, parts, within }: StreamPlace): string {
  const middle = within === null ? '' : `~${within.part}.${within.runId}`;
  return Buffer.from(`${hashOf(history)}.${parts.join('.')}${middle}`).toString('base64url');
}

/**
 * Where a stream goes on.
 * @param now where the database stands: a place of another history, or of another number of parts, says nothing in it.
 * @returns null for whatever does not fit; the caller is told to look anew.
 */
export function readPlace(now: StreamPlace, text: string): StreamPlace | null {
  const [, hash, numbers = '', part, runId] = PLACE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (hash !== hashOf(now.history)) return null;
  const parts = numbers.slice(1).split('.').map(Number);
  const within = part === undefined ? null : { part: Number(part), runId: runId as RunId };
  const fits = parts.length === now.parts.length && (within === null || within.part < parts.length);
  return fits ? { history: now.history, parts, within } : null;
}

/** Behind what a part is read. */
export function placeIn({ parts, within }: StreamPlace, part: number): ChangePlace {
  return { position: parts[part] ?? 0, runId: within?.part === part ? within.runId : null };
}
