import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Json } from '../../model/json.ts';

/** Something that really happened outside: one line of the provider's own book. */
export interface BookEntry {
  /** 1 for the first happening; the order of the book. */
  readonly no: number;
  readonly operation: string;
  /** `<operation>-<n>`: what the provider calls it. */
  readonly id: string;
  /** The idempotency key it came with, whether keys are honoured or not. */
  readonly key: string | null;
  /** `Pawl-Effect`, `Pawl-Attempt`, `Pawl-Fence` of the call, for comparing with a ledger. */
  readonly effect: string | null;
  readonly attempt: number | null;
  readonly fence: number | null;
  readonly path: string;
  readonly request: Json;
}

/** A call that came in, whether it did something or not. */
export interface ProviderCall {
  readonly operation: string;
  /** The script's word for it. */
  readonly word: string;
  readonly key: string | null;
  readonly attempt: number | null;
  /** What was answered; null = nothing. */
  readonly status: number | null;
}

/** A first answer to a key, given again when the key comes again. */
export interface RememberedAnswer {
  readonly key: string;
  readonly requestHash: string;
  readonly status: number;
  readonly body: Json;
}

/** A happening that was accepted and is still to come. */
export interface DuePromise {
  readonly id: string;
  readonly entry: Omit<BookEntry, 'no'>;
  readonly requestHash: string;
  /** A pending one is known to lookups before it happens; a late one is not. */
  readonly isPending: boolean;
}

/** A line of the book's file. */
export type BookLine =
  | ({ readonly kind: 'call' } & ProviderCall)
  | ({ readonly kind: 'effect' } & BookEntry)
  | ({ readonly kind: 'answer' } & RememberedAnswer)
  | ({ readonly kind: 'promise' } & DuePromise)
  /** The promise is settled: it happened, or its key had been used meanwhile. */
  | { readonly kind: 'kept'; readonly id: string }
  /** One key, or without its name all keys, were forgotten here. */
  | { readonly kind: 'forget'; readonly key?: string };

/** The book: lines in memory and, before anything is answered, on disk. */
export interface Book {
  /** Writes lines in one go and, where one of them is more than a call, down to the disk. */
  append(lines: readonly BookLine[]): void;
  readonly entries: readonly BookEntry[];
  readonly calls: readonly ProviderCall[];
  readonly promises: ReadonlyMap<string, DuePromise>;
  /** How many happenings and promises an operation has, for the next id. */
  countOf(operation: string): number;
  /** The first answer to a key that is remembered, or null. */
  recall(key: string): RememberedAnswer | null;
  close(): void;
}

/** What the lines add up to. */
class BookState {
  readonly entries: BookEntry[] = [];
  readonly calls: ProviderCall[] = [];
  readonly promises = new Map<string, DuePromise>();
  readonly answers = new Map<string, RememberedAnswer>();
  readonly ids = new Map<string, Set<string>>();

  apply(line: BookLine): void {
    const { kind, ...facts } = line;
    if (kind === 'call') this.calls.push(facts as ProviderCall);
    if (kind === 'effect') this.#addEntry(facts as BookEntry);
    if (kind === 'answer') this.#remember(facts as RememberedAnswer);
    if (kind === 'promise') this.#promise(facts as DuePromise);
    if (kind === 'kept') this.promises.delete((facts as { id: string }).id);
    if (kind === 'forget') this.#forget((facts as { key?: string }).key);
  }

  #addEntry(entry: BookEntry): void {
    this.entries.push(entry);
    this.#addId(entry);
  }

  #forget(key: string | undefined): void {
    if (key === undefined) this.answers.clear();
    else this.answers.delete(key);
  }

  #remember(answer: RememberedAnswer): void {
    if (!this.answers.has(answer.key)) this.answers.set(answer.key, answer);
  }

  #promise(promise: DuePromise): void {
    this.promises.set(promise.id, promise);
    this.#addId(promise.entry);
  }

  #addId(entry: Pick<BookEntry, 'operation' | 'id'>): void {
    const ids = this.ids.get(entry.operation) ?? new Set<string>();
    this.ids.set(entry.operation, ids.add(entry.id));
  }
}

/** Reads the file; a torn last line (killed while writing) was never answered and is cut off. */
function readLines(file: string, descriptor: number): readonly BookLine[] {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) ftruncateSync(descriptor, whole);
  const lines = bytes.toString('utf8', 0, whole).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as BookLine);
}

/** The book over its lines; `write` gets them before they count. */
function bookOf(state: BookState, write: (lines: readonly BookLine[]) => void, close: () => void): Book {
  return {
    append: (lines) => {
      if (lines.length === 0) return;
      write(lines);
      for (const line of lines) state.apply(line);
    },
    entries: state.entries,
    calls: state.calls,
    promises: state.promises,
    countOf: (operation) => state.ids.get(operation)?.size ?? 0,
    recall: (key) => state.answers.get(key) ?? null,
    close,
  };
}

/**
 * Opens the book of a provider, created when it is not there. It survives the process: what was written is there
 * after a kill, and what was not written was not answered either.
 * @param file path of the book; one process at a time.
 */
export function openBook(file: string): Book {
  const descriptor = openSync(file, 'a');
  const state = new BookState();
  for (const line of readLines(file, descriptor)) state.apply(line);
  const write = (lines: readonly BookLine[]): void => {
    writeSync(descriptor, lines.map((line) => `${canonicalJson(line as unknown as Json)}\n`).join(''));
    // A call that did nothing may be lost with the machine; what happened may not.
    if (lines.some((line) => line.kind !== 'call')) fsyncSync(descriptor);
  };
  return bookOf(state, write, () => closeSync(descriptor));
}

/** A book in memory, for providers that live in a simulated world. */
export function createMemoryBook(): Book {
  return bookOf(
    new BookState(),
    () => undefined,
    () => undefined,
  );
}
