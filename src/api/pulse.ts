import type { ChangeStore } from '../ports/change-store.ts';
import type { Clock } from '../ports/clock.ts';

/** Between two looks whether anything has changed, while somebody watches, milliseconds. */
const LOOK_MS = 100;
/** After a look that failed: those who watch find out by themselves, milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** Changes of one look; there may be more, and the next look comes at once. */
const LOOK_CHANGES_MAX = 200;

/** What a pulse looks at. */
export interface PulseSources {
  readonly store: Pick<ChangeStore, 'changes'> & { readonly parts: number };
  readonly tenant: string;
  readonly clock: Clock;
}

/** Tells all streams of a process when there may be something to read: one looks, however many watch. */
export class Pulse {
  readonly #sources: PulseSources;
  #beats = 0;
  #watchers = 0;
  #isLooking = false;
  readonly #waiting = new Set<() => void>();

  constructor(sources: PulseSources) {
    this.#sources = sources;
  }

  /** How often there was something; whoever reads after asking has read all up to that. */
  get beats(): number {
    return this.#beats;
  }

  /** Looks until the returned function is called, which is once; what was before the first look is told, too. */
  watch(): () => void {
    this.#watchers += 1;
    if (!this.#isLooking) void this.#look();
    return () => {
      this.#watchers -= 1;
    };
  }

  /** Waits until there was something since `beats`, for `ms` at most, or until the signal. */
  async after(beats: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#beats > beats || signal.aborted) return;
    const over = new AbortController();
    const end = (): void => over.abort();
    this.#waiting.add(end);
    signal.addEventListener('abort', end);
    await this.#sources.clock.sleep(ms, over.signal);
    this.#waiting.delete(end);
    signal.removeEventListener('abort', end);
  }

  #ring(): void {
    this.#beats += 1;
    for (const wake of this.#waiting) wake();
  }

  async #look(): Promise<void> {
    const { store, tenant, clock } = this.#sources;
    this.#isLooking = true;
    const places: (number | null)[] = Array.from({ length: store.parts }, () => null);
    while (this.#watchers > 0) {
      try {
        if (await lookOnce(store, tenant, places)) this.#ring();
        await clock.sleep(LOOK_MS);
      } catch {
        this.#ring();
        await clock.sleep(LOOK_AGAIN_MS);
      }
    }
    this.#isLooking = false;
  }
}

/** @param places behind what each part was looked at, null = not yet; moved on. @returns whether there may be anything to read. */
async function lookOnce(store: PulseSources['store'], tenant: string, places: (number | null)[]): Promise<boolean> {
  let isNews = false;
  for (const [part, position] of places.entries()) {
    const after = position === null ? null : { position, runId: null };
    const page = await store.changes(tenant, part, after, LOOK_CHANGES_MAX);
    isNews ||= position === null || page.changes.length > 0;
    places[part] = page.next;
  }
  return isNews;
}
