import type { Clock } from '../../ports/clock.ts';
import type { Owner, World } from './world.ts';

/** The process clock of a simulated process: monotonic, by the world's time; a sleep is an event of its owner. */
export function createSimulatedClock(world: World, owner: Owner): Clock {
  const bornAtMs = world.nowMs();
  return {
    monotonicMs: () => world.nowMs() - bornAtMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const wake = (): void => {
          signal?.removeEventListener('abort', early);
          resolve();
        };
        const cancel = world.after(ms, owner, wake);
        const early = (): void => {
          cancel();
          resolve();
        };
        signal?.addEventListener('abort', early, { once: true });
      }),
  };
}
