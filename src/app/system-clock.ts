import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

/** Node keeps timers in 32 bits: longer ones fire at once, so they are waited in parts (24 days each). */
const SLEEP_MS_MAX = 24 * 24 * 60 * 60 * 1_000;

/** One uninterrupted wait; an abort ends it early and is no error. */
async function waitOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  try {
    await (ms === 0 ? nextTurn(undefined, options) : wait(ms, undefined, options));
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/**
 * The process clock: monotonic milliseconds and sleeping. `sleep(0)` gives the turn to what is ready.
 */
export function createSystemClock(): Clock {
  return {
    monotonicMs: () => performance.now(),
    sleep: async (ms, signal) => {
      let left = Math.max(0, ms);
      do {
        if (signal?.aborted === true) return;
        const part = Math.min(left, SLEEP_MS_MAX);
        await waitOnce(part, signal);
        left -= part;
      } while (left > 0);
    },
  };
}
