import type { Json, JsonObject } from '../../model/json.ts';
import type { Book, BookEntry } from './book.ts';
import { answerFor } from './desk.ts';

/** Something the provider knows of, and whether it has happened. */
interface Known {
  readonly entry: Omit<BookEntry, 'no'>;
  readonly status: 'done' | 'pending';
}

/** Whether an entry has that value under that name: its key, id, or a field of its request. */
function has(entry: Known['entry'], name: string, value: string): boolean {
  if (name === 'id' && entry.id === value) return true;
  if ((name === 'key' || name === 'reference') && (entry.key === value || entry.effect === value)) return true;
  const { request } = entry;
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return false;
  const field = (request as JsonObject)[name];
  return field !== undefined && String(field) === value;
}

/** What came to a path: what happened, and what was accepted and has still to be done. */
function knownAt(book: Book, path: string): readonly Known[] {
  const done = book.entries.map((entry): Known => ({ entry, status: 'done' }));
  const accepted = [...book.promises.values()].filter((promise) => promise.isPending);
  const pending = accepted.map(({ entry }): Known => ({ entry, status: 'pending' }));
  return [...done, ...pending].filter(({ entry }) => entry.path === path);
}

/**
 * Answers `GET <path of the operation>?name=value…`: `{ items }`, oldest first, of those that have every value. `key`
 * and `reference` also match the idempotency key and `Pawl-Effect`; other names are fields of the request.
 */
export function listItems(book: Book, path: string, query: URLSearchParams): Json {
  const wanted = [...query.entries()];
  const items = knownAt(book, path).filter(({ entry }) => wanted.every(([name, value]) => has(entry, name, value)));
  return { items: items.map(({ entry, status }) => answerFor(entry, status)) };
}

/** Answers `GET <path of the operation>/<id or key>`: one item, or null when there is none. */
export function findItem(book: Book, path: string, idOrKey: string): Json | null {
  const found = knownAt(book, path).find(({ entry }) => has(entry, 'id', idOrKey) || has(entry, 'key', idOrKey));
  return found === undefined ? null : answerFor(found.entry, found.status);
}
