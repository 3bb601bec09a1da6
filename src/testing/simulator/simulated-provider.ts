import type { Json } from '../../model/json.ts';
import { type Book, type BookEntry, createMemoryBook } from '../provider/book.ts';
import { createDesk, type Desk, type IncomingCall, type Reaction } from '../provider/desk.ts';
import { listItems } from '../provider/lookup.ts';
import type { ScriptWord } from '../provider/script.ts';
import type { World } from './world.ts';

/** What a provider promises about one of its operations. */
export interface ProviderClass {
  /** Whether a key that was seen gets its first answer again. */
  readonly keys: 'honoured' | 'ignored';
  /** After this time a key is forgotten, milliseconds; ignored keys are never remembered. */
  readonly remembersMs: number;
  /** An accepted call is carried out within this time, milliseconds. */
  readonly settlesWithinMs: number;
}

/** What the provider does with a call. */
export type WordChooser = (call: IncomingCall) => ScriptWord;

/** Everything outside that can be acted on, with one book: the truth that ledgers are held against. */
export interface SimulatedProvider {
  readonly book: Book;
  /** A call has come in. */
  receive(call: IncomingCall): Reaction;
  /** A question has come in: what happened at this path with these values. */
  look(path: string, query: URLSearchParams): Json;
  /** What happened under a key, in order. */
  entriesOf(key: string): readonly BookEntry[];
}

/** How the provider is set up. */
export interface ProviderSetup {
  readonly world: World;
  classOf(operation: string): ProviderClass;
  readonly choose: WordChooser;
}

/** Opens the provider of a world. What it does later (`late-done`, `pending`) it does within its own promise. */
export function createSimulatedProvider(setup: ProviderSetup): SimulatedProvider {
  const { world, classOf } = setup;
  const book = createMemoryBook();
  const seenAtMs = new Map<string, number>();

  const deskFor = (keys: ProviderClass['keys']): Desk => {
    const desk: Desk = createDesk(book, {
      keys,
      retryAfterSeconds: 1,
      onPromise: (promise) => {
        const { settlesWithinMs } = classOf(promise.entry.operation);
        world.after(world.random.next() * settlesWithinMs * LATEST_SHARE, null, () => desk.keep(promise));
      },
    });
    return desk;
  };
  const desks = { honoured: deskFor('honoured'), ignored: deskFor('ignored') };

  const forgetIfOld = (key: string | null, remembersMs: number): void => {
    if (key === null) return;
    const seen = seenAtMs.get(key);
    if (seen !== undefined && world.nowMs() - seen <= remembersMs) return;
    if (seen !== undefined) book.append([{ kind: 'forget', key }]);
    seenAtMs.set(key, world.nowMs());
  };

  return {
    book,
    receive: (call) => {
      const { keys, remembersMs } = classOf(call.operation);
      forgetIfOld(call.key, remembersMs);
      return desks[keys].serve(call, setup.choose(call));
    },
    look: (path, query) => listItems(book, path, query),
    entriesOf: (key) => book.entries.filter((entry) => entry.key === key || entry.effect === key),
  };
}

/** Half of `settlesWithin` is for the way to the provider, the rest for what it does later. */
const LATEST_SHARE = 0.45;
