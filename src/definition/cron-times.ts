import { Cron } from 'croner';
import { caught } from '../model/caught.ts';
import { invariant } from '../model/errors.ts';

/** Cron times on the wall clock of a zone. */
interface WallTimes {
  readonly cron: string;
  readonly timezone: string;
}

/** The instants of a schedule, epoch milliseconds; which they are on days of a clock change says docs/reference/schedules.md. */
export interface CronTimes {
  /** The first one after an instant. */
  next(afterMs: number): number;
  /** The last one after an instant and not after another; null = there is none between. */
  newest(afterMs: number, untilMs: number): number | null;
}

const FIELDS = 5;
/** Two instants of a schedule are at least so far apart. */
const MINUTE_MS = 60_000;

/** Never starts anything by itself: it is given nothing to call. */
function read({ cron, timezone }: WallTimes): Cron {
  return new Cron(cron, { timezone, mode: '5-part' });
}

/** Why times cannot be read, or that none of them ever comes; null = they are well. */
export function faultOf(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== FIELDS) return 'it has not five fields';
  try {
    return read({ cron, timezone: 'UTC' }).nextRun(new Date(0)) === null ? 'no such day ever comes' : null;
  } catch (error) {
    return caught(error, Error).message.replace(/^Cron\w*: /, '');
  }
}

/** The instants of times that were checked when their version was published. */
export function cronTimes(times: WallTimes): CronTimes {
  const cron = read(times);
  const next = (afterMs: number): number => {
    const found = cron.nextRun(new Date(afterMs));
    invariant(found !== null, 'the times of a schedule come to an end', { ...times });
    return found.getTime();
  };
  return {
    next,
    newest: (afterMs, untilMs) => {
      let newestMs = next(afterMs);
      if (newestMs > untilMs) return null;
      // Halving: a year of minutes is not counted one by one.
      for (let endMs = untilMs; endMs - newestMs >= MINUTE_MS; ) {
        const middleMs = newestMs + Math.floor((endMs - newestMs) / 2);
        const foundMs = next(middleMs);
        if (foundMs <= untilMs) newestMs = foundMs;
        else endMs = middleMs;
      }
      return newestMs;
    },
  };
}
