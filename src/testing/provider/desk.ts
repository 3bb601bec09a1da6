import { hashJson } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Book, BookEntry, BookLine, DuePromise } from './book.ts';
import { wordText } from './script.ts';
import type { ScriptWord } from './script.ts';

/** A call as it came in. */
export interface IncomingCall {
  readonly operation: string;
  readonly path: string;
  readonly key: string | null;
  readonly effect: string | null;
  readonly attempt: number | null;
  readonly fence: number | null;
  readonly request: Json;
}

/** What goes back: an answer, a connection that is torn, or silence. */
export type Reaction =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Json; readonly retryAfterSeconds?: number }
  | { readonly kind: 'page' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'silence' };

/** How the provider keeps keys, and what happens later. */
export interface DeskOptions {
  readonly keys: 'honoured' | 'ignored';
  readonly retryAfterSeconds: number;
  /** Told of each promise, so that it happens later. */
  readonly onPromise: (promise: DuePromise) => void;
}

/** The provider's acts: it decides, writes its book, and says what goes back. */
export interface Desk {
  serve(call: IncomingCall, word: ScriptWord): Reaction;
  /** Does what was promised, unless its key has been used meanwhile. */
  keep(promise: DuePromise): void;
}

/** What a caller gets for something that happened; the same by answer and by lookup. */
export function answerFor(entry: Omit<BookEntry, 'no'>, status: 'done' | 'pending'): JsonObject {
  const { id, operation, key, request } = entry;
  return { id, operation, status, key, request };
}

/** Lines and reaction of one call, before they are written. */
interface Act {
  readonly lines: readonly BookLine[];
  readonly reaction: Reaction;
}

/** The provider's acts over its book. */
export function createDesk(book: Book, options: DeskOptions): Desk {
  const isHonoured = options.keys === 'honoured';

  const entryFor = (call: IncomingCall): Omit<BookEntry, 'no'> => {
    const { operation, path, key, effect, attempt, fence, request } = call;
    const id = `${operation.replaceAll('/', '-')}-${book.countOf(operation) + 1}`;
    return { operation, id, key, effect, attempt, fence, path, request };
  };

  const rememberAs = (call: IncomingCall, requestHash: string, answer: { status: number; body: Json }): readonly BookLine[] =>
    isHonoured && call.key !== null ? [{ kind: 'answer', key: call.key, requestHash, ...answer }] : [];

  const happen = (call: IncomingCall, requestHash: string): { lines: readonly BookLine[]; body: Json } => {
    const entry = entryFor(call);
    const body = answerFor(entry, 'done');
    const effect: BookLine = { kind: 'effect', no: book.entries.length + 1, ...entry };
    return { lines: [effect, ...rememberAs(call, requestHash, { status: 201, body })], body };
  };

  const promise = (call: IncomingCall, requestHash: string, isPending: boolean): Act => {
    const entry = entryFor(call);
    const body = answerFor(entry, 'pending');
    const kept = isPending ? rememberAs(call, requestHash, { status: 202, body }) : [];
    const lines: BookLine[] = [{ kind: 'promise', id: entry.id, entry, requestHash, isPending }, ...kept];
    return { lines, reaction: isPending ? { kind: 'answer', status: 202, body } : { kind: 'lost' } };
  };

  /** A key that was seen: its first answer again, or the refusal of another request under it. */
  const repeat = (call: IncomingCall, requestHash: string, word: ScriptWord): Act | null => {
    const known = isHonoured && call.key !== null ? book.recall(call.key) : null;
    if (known === null) return null;
    if (known.requestHash !== requestHash) {
      return { lines: [], reaction: { kind: 'answer', status: 422, body: { error: 'key-reused' } } };
    }
    if (word.kind === 'lost-done' || word.kind === 'late-done') return { lines: [], reaction: { kind: 'lost' } };
    if (word.kind === 'unreadable-done') return { lines: [], reaction: { kind: 'page' } };
    return { lines: [], reaction: { kind: 'answer', status: known.status, body: known.body } };
  };

  /** Words that may do something, or that a remembered key answers. */
  const actOn = (call: IncomingCall, word: ScriptWord): Act => {
    const requestHash = hashJson([call.operation, call.path, call.request]);
    const repeated = repeat(call, requestHash, word);
    if (repeated !== null) return repeated;
    if (word.kind === 'late-done' || word.kind === 'pending') return promise(call, requestHash, word.kind === 'pending');
    if (word.kind === 'declined') {
      const answer = { status: 402, body: { error: 'declined' } };
      return { lines: rememberAs(call, requestHash, answer), reaction: { kind: 'answer', ...answer } };
    }
    const { lines, body } = happen(call, requestHash);
    if (word.kind === 'lost-done') return { lines, reaction: { kind: 'lost' } };
    if (word.kind === 'unreadable-done') return { lines, reaction: { kind: 'page' } };
    return { lines, reaction: { kind: 'answer', status: 201, body } };
  };

  /** Words that do nothing, whatever the key. */
  const decide = (call: IncomingCall, word: ScriptWord): Act => {
    if (word.kind === 'lost-not-done') return { lines: [], reaction: { kind: 'lost' } };
    if (word.kind === 'hang' || word.kind === 'refused') return { lines: [], reaction: { kind: 'silence' } };
    if (word.kind !== 'status') return actOn(call, word);
    const { status } = word;
    const later = status === 429 ? { retryAfterSeconds: options.retryAfterSeconds } : {};
    return { lines: [], reaction: { kind: 'answer', status, body: { error: `status-${status}` }, ...later } };
  };

  return {
    serve: (call, word) => {
      const { lines, reaction } = decide(call, word);
      const status = reaction.kind === 'answer' ? reaction.status : reaction.kind === 'page' ? 200 : null;
      const { operation, key, attempt } = call;
      book.append([{ kind: 'call', operation, word: wordText(word), key, attempt, status }, ...lines]);
      for (const line of lines) if (line.kind === 'promise') options.onPromise(line);
      return reaction;
    },
    keep: ({ id, entry, requestHash, isPending }) => {
      if (!book.promises.has(id)) return;
      const used = isHonoured && !isPending && entry.key !== null && book.recall(entry.key) !== null;
      const body = answerFor(entry, 'done');
      const answer: BookLine[] =
        isHonoured && entry.key !== null ? [{ kind: 'answer', key: entry.key, requestHash, status: 201, body }] : [];
      const effect: BookLine = { kind: 'effect', no: book.entries.length + 1, ...entry };
      book.append([{ kind: 'kept', id }, ...(used ? [] : [effect, ...answer])]);
    },
  };
}
