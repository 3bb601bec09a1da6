import { setTimeout as pass } from 'node:timers/promises';
import type { Random } from '../../../src/testing/random.ts';
import type { World } from '../../../src/testing/simulator/world.ts';

/** How often it is looked whether what is waited for has come, real milliseconds. */
const LOOK_MS = 3;

/**
 * A world over the machine's own clock, `speed` times as fast, for stores that take real time to answer.
 * Pauses are not kept: nobody stops a process in it.
 */
export function createRealWorld(random: Random, speed: number): World {
  const bornAtMs = performance.now();
  const nowMs = (): number => (performance.now() - bornAtMs) * speed;
  let happened = 0;
  return {
    random,
    nowMs,
    events: () => happened,
    after: (delayMs, owner, act) => {
      const timer = setTimeout(() => {
        if (owner?.isAlive() === false) return;
        happened += 1;
        act();
      }, Math.max(0, delayMs) / speed);
      return () => clearTimeout(timer);
    },
    run: async (condition, untilMs) => {
      while (!condition()) {
        if (nowMs() >= untilMs) return false;
        await pass(LOOK_MS);
      }
      return true;
    },
  };
}
