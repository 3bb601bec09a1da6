import type { Clock } from '../ports/clock.ts';

/** Wakes one sleeper early; a ring while nobody sleeps is remembered once. */
export interface Bell {
  ring(): void;
  /** Sleeps `ms`, or until the bell rings. */
  wait(ms: number): Promise<void>;
}

/** Why a sleep ends early; given, because without a reason an error with its stack is made for each ring. */
const RUNG = 'the bell rang';

/** A bell for one loop. */
export function createBell(clock: Clock): Bell {
  let rung = false;
  let sleeper: AbortController | null = null;
  return {
    ring: () => {
      rung = true;
      sleeper?.abort(RUNG);
    },
    wait: async (ms) => {
      if (!rung) {
        sleeper = new AbortController();
        await clock.sleep(ms, sleeper.signal);
        sleeper = null;
      }
      rung = false;
    },
  };
}
