import type { Caller } from '../app/caller.ts';
import { reaches } from '../model/api-key.ts';
import type { RunId } from '../model/ids.ts';
import type { RunChange } from '../model/run-change.ts';
import { displayRunId } from '../model/run-id.ts';
import type { ChangePage, ChangeStore } from '../ports/change-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Pulse } from './pulse.ts';
import { placeIn, readPlace, type StreamPlace, writePlace } from './stream-place.ts';
import { Beat } from './streams.ts';

/** Changes that are read, and held, at a time. */
const PAGE_CHANGES = 100;
/** Whoever may no more read is cut off within a second: so long, and a read of the database, milliseconds. */
const ASK_AGAIN_MS = 500;
/** What a browser waits before it connects again, milliseconds. */
const RETRY_MS = 2_000;

/** What a stream is made of. */
export interface Telling {
  readonly store: Pick<ChangeStore, 'changes'> & { readonly parts: number };
  readonly tenant: string;
  readonly clock: Clock;
  readonly pulse: Pulse;
  /** `Last-Event-ID`; null = from now on. */
  readonly lastEventId: string | null;
  /** Only these; null = all that the caller may read. */
  readonly runs: ReadonlySet<RunId> | null;
  readonly workflow: string | null;
  /** Who asks, looked up anew. @throws PAWL_API_UNAUTHENTICATED once the key counts no more. */
  readonly admit: () => Promise<Caller>;
  /** Ends it. */
  readonly leaving: AbortSignal;
}

function frame(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A change as it is told; times RFC 3339 UTC. */
function changeView({ runId, key, workflow, version, revision, status, effects, atMs }: RunChange): object {
  return {
    id: displayRunId(runId),
    key,
    workflow,
    version,
    revision,
    status,
    effects,
    at: new Date(atMs).toISOString(),
  };
}

/** Where all parts stand now. */
export async function standing({ store, tenant }: Pick<Telling, 'store' | 'tenant'>): Promise<StreamPlace> {
  const pages: ChangePage[] = [];
  for (let part = 0; part < store.parts; part += 1) pages.push(await store.changes(tenant, part, null, 1));
  return { history: pages[0]?.history ?? '', parts: pages.map(({ horizon }) => horizon), within: null };
}

/** Whether a page says nothing of what was before it: dropped meanwhile, or of another history than the place. */
function isTorn(place: StreamPlace, part: number, { history, keptFrom, horizon }: ChangePage): boolean {
  const position = place.parts[part] ?? 0;
  return history !== place.history || position < keptFrom || position > horizon;
}

function withPart(place: StreamPlace, part: number, position: number, within: StreamPlace['within']): StreamPlace {
  return { ...place, parts: place.parts.map((known, at) => (at === part ? position : known)), within };
}

/** One stream: where it is, and how it goes on. */
class Stream {
  readonly #telling: Telling;
  readonly #beat: Beat;
  #place: StreamPlace;
  #caller: Caller;

  constructor(telling: Telling, place: StreamPlace, caller: Caller) {
    this.#telling = telling;
    this.#beat = new Beat(telling.clock);
    this.#place = place;
    this.#caller = caller;
  }

  get id(): string {
    return writePlace(this.#place);
  }

  /** Who asks, again: whoever may no more read ends here. */
  async askAgain(): Promise<void> {
    this.#caller = await this.#telling.admit();
  }

  /** What has changed since the place: first in the part in whose middle it was cut, for there is one middle in a place. */
  async *tellAll(): AsyncGenerator<string, void> {
    const { within } = this.#place;
    if (within !== null) yield* this.#tellPart(within.part);
    for (let part = 0; part < this.#telling.store.parts; part += 1) yield* this.#tellPart(part);
  }

  /** What has changed in a part, page by page. */
  async *#tellPart(part: number): AsyncGenerator<string, void> {
    const { store, tenant, leaving } = this.#telling;
    for (let isMore = true; isMore && !leaving.aborted; ) {
      const page = await store.changes(tenant, part, placeIn(this.#place, part), PAGE_CHANGES);
      if (isTorn(this.#place, part, page)) {
        yield await this.#lookAnew();
        return;
      }
      for (const change of page.changes) {
        this.#place = withPart(this.#place, part, change.position, { part, runId: change.runId });
        if (this.#isWanted(change)) yield this.#told(frame('run', this.id, changeView(change)));
      }
      this.#place = withPart(this.#place, part, page.next, null);
      isMore = page.changes.length >= PAGE_CHANGES;
    }
  }

  /** Shows that it lives, and how far it is: an id without data is kept by the reader and told to nobody. */
  beat(): string | null {
    return this.#beat.isDue() ? this.#told(`: beat\nid: ${this.id}\n\n`) : null;
  }

  async #lookAnew(): Promise<string> {
    this.#place = await standing(this.#telling);
    return this.#told(frame('resync', this.id, { position: this.id }));
  }

  #isWanted({ runId, workflow }: RunChange): boolean {
    const { runs, workflow: asked } = this.#telling;
    const isAsked = (runs === null || runs.has(runId)) && (asked === null || asked === workflow);
    return isAsked && reaches(this.#caller, 'run:read', workflow);
  }

  #told(text: string): string {
    this.#beat.told();
    return text;
  }
}

/**
 * What changes, as server-sent events: `hello`, then `run` for each commit that somebody could see, in the order of each part, and
 * `resync` where what was between is not known. It ends when the caller goes, the server stops, or the key counts no more.
 * @throws PAWL_API_UNAUTHENTICATED, PAWL_STORE_*.
 */
export async function* tellChanges(telling: Telling): AsyncGenerator<string, void> {
  const { pulse, leaving, lastEventId } = telling;
  const unwatch = pulse.watch();
  try {
    const now = await standing(telling);
    const place = lastEventId === null ? now : readPlace(now, lastEventId);
    const stream = new Stream(telling, place ?? now, await telling.admit());
    yield `retry: ${RETRY_MS}\n\n${frame('hello', stream.id, { position: stream.id })}`;
    if (place === null) yield frame('resync', stream.id, { position: stream.id });
    for (let read = -1; !leaving.aborted; ) {
      const { beats } = pulse;
      if (beats !== read) yield* stream.tellAll();
      read = beats;
      const beat = stream.beat();
      if (beat !== null) yield beat;
      await pulse.after(beats, ASK_AGAIN_MS, leaving);
      if (!leaving.aborted) await stream.askAgain();
    }
  } finally {
    unwatch();
  }
}
