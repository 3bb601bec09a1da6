import type { Clock } from '../ports/clock.ts';

/** The database's time between two answers of it: the last one heard plus what the monotonic clock has counted since. */
export interface DatabaseClock {
  /** Takes the time of an answer, epoch milliseconds; the newest word wins, also when that clock was set back. */
  hear(nowMs: number): void;
  /** Epoch milliseconds by the database, never ahead of it: what the answer spent on its way is missing. */
  nowMs(): number;
}

/**
 * @param heardMs the first answer's time, epoch milliseconds.
 */
export function createDatabaseClock(clock: Clock, heardMs: number): DatabaseClock {
  let last = { nowMs: heardMs, atMs: clock.monotonicMs() };
  return {
    hear: (nowMs) => {
      last = { nowMs, atMs: clock.monotonicMs() };
    },
    nowMs: () => Math.floor(last.nowMs + clock.monotonicMs() - last.atMs),
  };
}
