import type { Clock } from '../../src/ports/clock.ts';

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Lets so many milliseconds pass. */
  advance(ms: number): void;
  /** How many sleep. */
  sleepers(): number;
}

/** A clock at 0. */
export function createManualClock(): ManualClock {
  let now = 0;
  const waiting = new Map<() => void, number>();
  return {
    monotonicMs: () => now,
    sleepers: () => waiting.size,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          resolve();
        };
        if (signal?.aborted === true) return wake();
        waiting.set(wake, now + ms);
        signal?.addEventListener('abort', wake, { once: true });
      }),
    advance: (ms) => {
      now += ms;
      for (const [wake, dueMs] of waiting) if (dueMs <= now) wake();
    },
  };
}
