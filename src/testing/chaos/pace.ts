import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a machine with nothing else to do starts an empty process in, milliseconds, with room. */
const START_MS = 75;
const TRIES = 3;
const PACE_MAX = 8;

/** How many times slower than a quiet machine: 1 to 8, a whole number. @param startsMs how long empty processes took to come and go. */
export function paceOf(startsMs: readonly number[]): number {
  const median = [...startsMs].sort((a, b) => a - b)[Math.floor(startsMs.length / 2)] ?? 0;
  return Math.min(PACE_MAX, Math.max(1, Math.round(median / START_MS)));
}

/**
 * Looks how slow this machine is now. A lease that its holders cannot renew in time, because others take the processors,
 * is lost again and again: that tells nothing of the protocol, so every wait of a play is as many times longer.
 */
export async function measurePace(): Promise<number> {
  const startsMs: number[] = [];
  for (let no = 0; no < TRIES; no += 1) {
    const beganAtMs = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    startsMs.push(performance.now() - beganAtMs);
  }
  return paceOf(startsMs);
}
