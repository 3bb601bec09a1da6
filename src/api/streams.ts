import type { Clock } from '../ports/clock.ts';
import { ApiError } from './api-error.ts';

/** Open streams of one principal, under all its keys, in one process. */
export const STREAMS_OF_ONE_MAX = 50;
/** Open streams of a process: half of the calls that it takes. */
export const STREAMS_MAX = 128;
/** Between the beats of a stream in which nothing happens, milliseconds. */
const BEAT_MS = 15_000;

/** The open streams of one server. */
export class Streams {
  readonly #open = new Map<string, number>();

  /**
   * Takes a place until the signal.
   * @throws PAWL_API_STREAMS when this principal has too many; PAWL_API_OVERLOADED when all together have.
   */
  take(name: string, leaving: AbortSignal): void {
    const mine = this.#open.get(name) ?? 0;
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    if (mine >= STREAMS_OF_ONE_MAX)
      throw new ApiError('PAWL_API_STREAMS', `${name} has ${STREAMS_OF_ONE_MAX} streams open: close one`);
    if (all >= STREAMS_MAX) throw new ApiError('PAWL_API_OVERLOADED', `${STREAMS_MAX} streams are open`);
    this.#open.set(name, mine + 1);
    const end = (): void => {
      const left = (this.#open.get(name) ?? 1) - 1;
      if (left > 0) this.#open.set(name, left);
      else this.#open.delete(name);
    };
    leaving.addEventListener('abort', end, { once: true });
  }
}

/** Says when a stream that has told nothing for a while is to show that it lives. */
export class Beat {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #toldAtMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#toldAtMs = clock.monotonicMs();
  }

  /** Something was told just now. */
  told(): void {
    this.#toldAtMs = this.#clock.monotonicMs();
  }

  isDue(): boolean {
    return this.#clock.monotonicMs() - this.#toldAtMs >= BEAT_MS;
  }
}
