import type { Clock } from '../ports/clock.ts';
import { ApiError } from './api-error.ts';
import type { Route } from './route.ts';

/** How many calls a second one principal may make, under all its keys, in one process. */
export interface RateLimits {
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
}

/** Unless a server is told otherwise: far above what a program does that waits for its answers. */
export const RATES_DEFAULT: RateLimits = { readsPerSecond: 1_000, writesPerSecond: 500 };
/** Calls of one address a second whose credentials do not count. */
export const GUESSES_PER_SECOND = 10;
/** What may come at once after a time of rest, seconds' worth of calls. */
const BURST_SECONDS = 2;
/** Names that are remembered at a time: whoever has rested is as a new one. */
const NAMES_MAX = 10_000;

/** Whether a call was let through; if not, when the next one is, milliseconds from now. */
export type Allowance = { readonly isAllowed: true } | { readonly isAllowed: false; readonly waitMs: number };

/**
 * A bucket of tokens for each name. Of a bucket there is one number: when it will be full again. Each call puts that off by
 * the time in which one token comes; a call that would put it further off than a whole bucket takes is refused and costs nothing.
 */
export class Buckets {
  readonly perSecond: number;
  readonly #fullAtMs = new Map<string, number>();

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  /** Takes a token of a name. @param nowMs of a clock that never goes back. */
  take(name: string, nowMs: number): Allowance {
    const tokenMs = 1_000 / this.perSecond;
    const fullAtMs = Math.max(this.#fullAtMs.get(name) ?? nowMs, nowMs) + tokenMs;
    const waitMs = fullAtMs - nowMs - BURST_SECONDS * 1_000;
    if (waitMs > 0) return { isAllowed: false, waitMs };
    // Behind all others: those that have rested longest stand in front.
    this.#fullAtMs.delete(name);
    this.#fullAtMs.set(name, fullAtMs);
    this.#forget();
    return { isAllowed: true };
  }

  #forget(): void {
    const [oldest] = this.#fullAtMs.keys();
    if (this.#fullAtMs.size > NAMES_MAX && oldest !== undefined) this.#fullAtMs.delete(oldest);
  }
}

function assertAllowed(buckets: Buckets, name: string, nowMs: number, words: string): void {
  const allowance = buckets.take(name, nowMs);
  if (allowance.isAllowed) return;
  const seconds = String(Math.ceil(allowance.waitMs / 1_000));
  throw new ApiError('PAWL_API_RATE', words, {
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(buckets.perSecond),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });
}

/** How often callers of one server may come (S57), and strangers try (S09). */
export class Limits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #reads: Buckets;
  readonly #writes: Buckets;
  readonly #guesses = new Buckets(GUESSES_PER_SECOND);

  constructor({ readsPerSecond, writesPerSecond }: RateLimits, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#reads = new Buckets(readsPerSecond);
    this.#writes = new Buckets(writesPerSecond);
  }

  /** Counts a call of a principal. @throws PAWL_API_RATE. */
  take(name: string, method: Route['method']): void {
    const [buckets, what] = method === 'GET' ? [this.#reads, 'read'] : [this.#writes, 'write'];
    const words = `${name} may ${what} ${buckets.perSecond} times a second`;
    assertAllowed(buckets, name, this.#clock.monotonicMs(), words);
  }

  /**
   * Tells an address that has shown too much of what does not count so, instead of that it does not. Whoever shows a key that counts is
   * let in, also from there: many may share the address of a proxy.
   * @throws PAWL_API_RATE.
   */
  refused(address: string): void {
    const words = `this address has shown more than ${GUESSES_PER_SECOND} credentials a second that do not count`;
    assertAllowed(this.#guesses, address, this.#clock.monotonicMs(), words);
  }
}
