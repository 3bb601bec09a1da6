import { createServer } from 'node:http';
import type { BookEntry, ProviderCall } from './provider/book.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDoor } from './provider/door.ts';
import type { Door } from './provider/door.ts';
import type { ProviderOptions } from './provider/options.ts';
import type { ScriptTexts } from './provider/script.ts';
import { ProviderService } from './provider/service.ts';

/** A running provider. */
export interface Provider {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** What really happened, in order. Calls that did nothing are not in it. */
  book(): readonly BookEntry[];
  /** The names of what happened, in order: the effects column of a case. */
  effects(): readonly string[];
  /** How often something happened under each key; more than 1 is the mistake that all this is about. */
  happenedByKey(): ReadonlyMap<string, number>;
  /** Every call that reached it, also those that did nothing. */
  calls(): readonly ProviderCall[];
  /** Other scripts for these operations, from their next call on. @throws PAWL_CONFIG_INVALID as at the start. */
  setScript(script: ScriptTexts): void;
  /** Forgets all keys, as a provider does after the time it promises to remember them. */
  forgetKeys(): void;
  /** Refuses connections until `open`. */
  shut(): void;
  open(): Promise<void>;
  /** Stops; the book stays. */
  close(): Promise<void>;
}

/** Counts happenings under each key. */
function countByKey(entries: readonly BookEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key, effect } of entries) {
    const name = key ?? effect ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Shuts the door for as long as some operation's next word is `refused`. */
async function playRefusals(
  service: ProviderService,
  door: Door,
  refusedMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (service.isRefusing() && !signal.aborted) {
    door.shut();
    await sleep(refusedMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) service.noteRefused();
  }
  if (!signal.aborted) await door.open();
}

/**
 * Starts the provider that Pawl is tested against, and that you can test your own sagas against: an HTTP server on
 * loopback with **a book of its own** in a file. The book, never an engine's table, is the proof of what happened.
 *
 * - Any `POST /<operation>` is an act, undo operations too. It answers 201 `{ id, operation, status, key, request }`.
 * - `GET /<operation>?key=K` (or `reference`, `id`, a field of the request) answers `{ items }`; `GET /<operation>/<id or
 *   key>` answers the item or 404.
 * - Scripts say what each call meets (see `ScriptWord`): `{ charge: 'lost-done, ok', ship: '503 x2 then ok' }`. Each call
 *   takes the next word, the last one repeats. A repeated key under `honoured` takes its word as well, but never acts again.
 * - `refused` is a matter of the whole door: it is shut for `refusedMs`, beginning when the script is set or after the
 *   call before it, because a refused connection cannot be counted by the one who refuses. Use `shut` and `open` for more.
 *
 * @throws PAWL_CONFIG_INVALID for a script or route that cannot be read.
 * @example
 * const provider = await startProvider({ bookFile: 'book.jsonl', script: { charge: 'lost-done, ok' } });
 */
export async function startProvider(options: ProviderOptions): Promise<Provider> {
  const service = new ProviderService(options);
  const stopping = new AbortController();
  const refusedMs = options.refusedMs ?? 500;
  let refusals: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    service.answer(request, response).catch(() => response.destroy());
    response.once('close', () => playNext());
  });
  const door = await openDoor(server, options.port ?? 0);
  const playNext = (): void => {
    if (service.isRefusing()) refusals = refusals.then(() => playRefusals(service, door, refusedMs, stopping.signal));
  };
  if (service.isRefusing()) door.shut();
  playNext();
  return {
    url: `http://127.0.0.1:${door.port}`,
    book: () => [...service.book.entries],
    effects: () => service.book.entries.map((entry) => entry.operation),
    happenedByKey: () => countByKey(service.book.entries),
    calls: () => [...service.book.calls],
    setScript: (script) => {
      service.setScript(script);
      playNext();
    },
    forgetKeys: () => service.book.append([{ kind: 'forget' }]),
    shut: () => door.shut(),
    open: () => door.open(),
    close: async () => {
      stopping.abort();
      await refusals;
      await door.close();
      service.close();
    },
  };
}
