import { cronTimes } from '../definition/cron-times.ts';
import type { ScheduleDefinition } from '../model/definition.ts';
import type { DueSchedule } from '../model/schedule.ts';

/** What is to be done about an instant that is due. */
export interface FiringPlan {
  /** The instant that is started; null = none. */
  readonly fireAtMs: number | null;
  /** The instant that is due then. */
  readonly nextAtMs: number;
}

type Taken = Pick<DueSchedule, 'dueAtMs' | 'sinceMs' | 'takenAtMs'>;

/**
 * Which instant is started, and which comes next: pure, and as of when the instant was taken for the first time, so that
 * whoever takes it again after a crash does the same.
 * @param missedAfterMs an instant that nobody took for so long was missed.
 */
export function planFiring(schedule: ScheduleDefinition, taken: Taken, missedAfterMs: number): FiringPlan {
  const { dueAtMs, sinceMs, takenAtMs } = taken;
  const times = cronTimes(schedule);
  // Instants of this version count since it was published; what a lower one has left due may be older.
  const fromMs = Math.max(dueAtMs, sinceMs);
  if (schedule.catchUp === 'all') return { fireAtMs: dueAtMs, nextAtMs: times.next(fromMs) };
  const newestMs = times.newest(fromMs, takenAtMs) ?? dueAtMs;
  const isMissed = schedule.catchUp === 'none' && takenAtMs - newestMs > missedAfterMs;
  return { fireAtMs: isMissed ? null : newestMs, nextAtMs: times.next(Math.max(newestMs, fromMs)) };
}
