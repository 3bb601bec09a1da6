import { ENDED } from '../../machine/kernel-names.ts';
import type { RunRecords, UnreadableRun } from '../../model/run-records.ts';
import type { Violation } from './oracle.ts';

/**
 * Whether a run is in the time in which its file promises the lock to it: from its beginning to its first end. An order to
 * undo what has ended (R24) is not queued behind machines, nor is the `finally` that follows it.
 */
function isInside({ head, journal }: RunRecords): boolean {
  const hasBegun = journal.some(({ event }) => event.type === 'lock.granted');
  const hasEnded = journal.some(({ delta }) => (delta as { readonly left?: readonly string[] }).left?.includes(ENDED));
  return hasBegun && !hasEnded && head.endedAtMs === null && head.phase !== 'compensating';
}

/** Never are more runs inside than a lock lets. @returns what breaks that, of the first lock that is broken. */
export function judgeLocks(runs: readonly (RunRecords | UnreadableRun)[]): readonly Violation[] {
  const inside = runs.flatMap((one) =>
    'run' in one && one.run.lock !== undefined && isInside(one) ? [one.run.lock] : [],
  );
  const found = inside.find(({ name, limit }) => inside.filter((other) => other.name === name).length > limit);
  if (found === undefined) return [];
  const message = `${inside.length} runs are inside, and its limit is ${found.limit}`;
  return [{ rule: 'lock', runId: null, subject: found.name, message }];
}
