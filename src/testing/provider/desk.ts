import { hashJson } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Book, BookEntry, BookLine, DuePromise, RememberedAnswer } from './book.ts';
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

/** The next entry of an operation. */
function entryFor(book: Book, call: IncomingCall): Omit<BookEntry, 'no'> {
  const { operation, path, key, effect, attempt, fence, request } = call;
  const id = `${operation.replaceAll('/', '-')}-${book.countOf(operation) + 1}`;
  return { operation, id, key, effect, attempt, fence, path, request };
}

/** Something happens: its line. */
function effectLine(book: Book, entry: Omit<BookEntry, 'no'>): BookLine {
  return { kind: 'effect', no: book.entries.length + 1, ...entry };
}

/** What one call does, and what goes back. */
class Clerk {
  readonly #book: Book;
  readonly #isHonoured: boolean;
  readonly #retryAfterSeconds: number;

  constructor(book: Book, options: Pick<DeskOptions, 'keys' | 'retryAfterSeconds'>) {
    this.#book = book;
    this.#isHonoured = options.keys === 'honoured';
    this.#retryAfterSeconds = options.retryAfterSeconds;
  }

  decide(call: IncomingCall, word: ScriptWord): Act {
    if (word.kind === 'lost-not-done') return { lines: [], reaction: { kind: 'lost' } };
    if (word.kind === 'hang' || word.kind === 'refused') return { lines: [], reaction: { kind: 'silence' } };
    if (word.kind === 'answer') return { lines: [], reaction: word };
    if (word.kind !== 'status') return this.#act(call, word);
    const { status } = word;
    const later = status === 429 ? { retryAfterSeconds: this.#retryAfterSeconds } : {};
    return { lines: [], reaction: { kind: 'answer', status, body: { error: `status-${status}` }, ...later } };
  }

  /** The line that remembers an answer under its key; none where keys are ignored. */
  remember(key: string | null, answer: Omit<RememberedAnswer, 'key'>): readonly BookLine[] {
    return this.#isHonoured && key !== null ? [{ kind: 'answer', key, ...answer }] : [];
  }

  /** Whether the key has an answer. */
  knows(key: string | null): boolean {
    return this.#isHonoured && key !== null && this.#book.recall(key) !== null;
  }

  /** Words that may do something, or that a remembered key answers. */
  #act(call: IncomingCall, word: ScriptWord): Act {
    const requestHash = hashJson([call.operation, call.path, call.request]);
    const repeated = this.#repeat(call, requestHash, word);
    if (repeated !== null) return repeated;
    if (word.kind === 'late-done' || word.kind === 'pending')
      return this.#promise(call, requestHash, word.kind === 'pending');
    if (word.kind === 'declined') {
      const answer = { status: 402, body: { error: 'declined' } };
      return { lines: this.remember(call.key, { requestHash, ...answer }), reaction: { kind: 'answer', ...answer } };
    }
    const entry = entryFor(this.#book, call);
    const answer = { status: 201, body: answerFor(entry, 'done') };
    const lines = [effectLine(this.#book, entry), ...this.remember(call.key, { requestHash, ...answer })];
    if (word.kind === 'lost-done') return { lines, reaction: { kind: 'lost' } };
    if (word.kind === 'unreadable-done') return { lines, reaction: { kind: 'page' } };
    return { lines, reaction: { kind: 'answer', ...answer } };
  }

  /** A key that was seen: its first answer again, or the refusal of another request under it. */
  #repeat(call: IncomingCall, requestHash: string, word: ScriptWord): Act | null {
    const known = this.#isHonoured && call.key !== null ? this.#book.recall(call.key) : null;
    if (known === null) return null;
    if (known.requestHash !== requestHash) {
      return { lines: [], reaction: { kind: 'answer', status: 422, body: { error: 'key-reused' } } };
    }
    if (word.kind === 'lost-done' || word.kind === 'late-done') return { lines: [], reaction: { kind: 'lost' } };
    // Only what was done is hidden behind a page of success: a refusal stays one.
    if (word.kind === 'unreadable-done' && known.status === 201) return { lines: [], reaction: { kind: 'page' } };
    return { lines: [], reaction: { kind: 'answer', status: known.status, body: known.body } };
  }

  /** Accepted and to be done later; only a pending one is told and remembered. */
  #promise(call: IncomingCall, requestHash: string, isPending: boolean): Act {
    const entry = entryFor(this.#book, call);
    const answer = { status: 202, body: answerFor(entry, 'pending') };
    const kept = isPending ? this.remember(call.key, { requestHash, ...answer }) : [];
    const lines: BookLine[] = [{ kind: 'promise', id: entry.id, entry, requestHash, isPending }, ...kept];
    return { lines, reaction: isPending ? { kind: 'answer', ...answer } : { kind: 'lost' } };
  }
}

/** The status that a reaction shows; null = nothing is answered. */
function statusOf(reaction: Reaction): number | null {
  if (reaction.kind === 'answer') return reaction.status;
  return reaction.kind === 'page' ? 200 : null;
}

/** The provider's acts over its book. */
export function createDesk(book: Book, options: DeskOptions): Desk {
  const clerk = new Clerk(book, options);
  return {
    serve: (call, word) => {
      const { lines, reaction } = clerk.decide(call, word);
      const { operation, key, attempt } = call;
      book.append([
        { kind: 'call', operation, word: wordText(word), key, attempt, status: statusOf(reaction) },
        ...lines,
      ]);
      for (const line of lines) if (line.kind === 'promise') options.onPromise(line);
      return reaction;
    },
    keep: ({ id, entry, requestHash, isPending }) => {
      if (!book.promises.has(id)) return;
      const isUsed = !isPending && clerk.knows(entry.key);
      const answer = clerk.remember(entry.key, { requestHash, status: 201, body: answerFor(entry, 'done') });
      book.append([{ kind: 'kept', id }, ...(isUsed ? [] : [effectLine(book, entry), ...answer])]);
    },
  };
}
