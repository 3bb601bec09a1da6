import { shareOf } from '../decision/retry.ts';
import { caught } from '../model/caught.ts';
import { PawlError } from '../model/errors.ts';
import type { AttemptReport } from '../model/outcome.ts';
import { type Pause, pauseOf, pauseWords, resumeCommand } from '../model/pause.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { PauseStore } from '../ports/pause-store.ts';
import type { Leaving, Outlet } from './outlet.ts';

/** How old what a process knows of pauses may be when something leaves, milliseconds; a look costs as much as any other read. */
export const PAUSES_KNOWN_MS = 500;
/** A look that was begun longer ago says nothing about now: with what it knows nothing leaves. Milliseconds. */
export const PAUSES_SURE_MS = 2_000;
/** When what a pause keeps is looked at without anybody having woken it, milliseconds; a share of it is added from a hash. */
export const PAUSE_LOOK_MS = 300_000;
/** By then what was refused a leave is stored as such, so that whoever wakes it finds it, milliseconds. */
const STORED_WITHIN_MS = 5_000;

type Unsent = Extract<AttemptReport, { kind: 'unsent' }>;

/** What one process knows of pauses. */
export interface Pauses {
  /** The same outlet, which also keeps back what is paused. */
  over(outlet: Outlet): Outlet;
  /**
   * Wakes what this process has kept back for a pause that has ended: what was being written down as kept while somebody ended it
   * was not there to be woken. Transaction: the store's own.
   */
  tend(): Promise<void>;
}

/** What was seen, and the monotonic time before the asking. */
interface Seen {
  readonly pauses: readonly Pause[];
  readonly askedAtMs: number;
}

const UNSURE: Unsent = { kind: 'unsent', reason: 'whether it is paused could not be found out in time' };

/**
 * Knows pauses as they were at most half a second ago, and asks anew before it says that something is paused, so that whoever is
 * woken at the end of a pause is not told of it. Where the store does not answer nothing leaves.
 */
export function createPauses(
  store: Pick<PauseStore, 'pauses' | 'wakePaused'>,
  clock: Pick<Clock, 'monotonicMs'>,
  logger: Logger,
): Pauses {
  let seen: Seen | null = null;
  let looking: Promise<Seen | null> | null = null;
  let looks = 0;
  /** Pauses for which something was kept back, and when last (monotonic). */
  const kept = new Map<string, { readonly tenant: string; readonly lastMs: number }>();

  const look = async (): Promise<Seen | null> => {
    const askedAtMs = clock.monotonicMs();
    looks += 1;
    try {
      seen = { pauses: await store.pauses(null), askedAtMs };
      return seen;
    } catch (error) {
      logger.warn({ code: caught(error, PawlError).code }, 'pauses.unknown');
      return null;
    }
  };
  /** One that began before now may have seen less: those who ask meanwhile share the next one. */
  const lookAnew = async (): Promise<Seen | null> => {
    for (const before = looks; ; ) {
      looking ??= look();
      const running = looking;
      const number = looks;
      const found = await running;
      if (looking === running) looking = null;
      if (number > before) return found;
    }
  };
  const isSure = ({ askedAtMs }: Seen, withinMs: number): boolean => clock.monotonicMs() - askedAtMs <= withinMs;

  const hold = async ({ act, seed, turn }: Leaving): Promise<Unsent | null> => {
    const known = seen !== null && isSure(seen, PAUSES_KNOWN_MS) ? seen : await lookAnew();
    const asked = known === null || pauseOf(known.pauses, act) === null ? known : await lookAnew();
    // A process that was stopped meanwhile asks once more.
    const now = asked === null || isSure(asked, PAUSES_SURE_MS) ? asked : await lookAnew();
    if (now === null || !isSure(now, PAUSES_SURE_MS)) return UNSURE;
    const pause = pauseOf(now.pauses, act);
    if (pause === null) return null;
    kept.set(pause.pauseId, { tenant: pause.tenant, lastMs: clock.monotonicMs() });
    const reason = `${pauseWords(pause)}; ${resumeCommand(pause)} lets it go on`;
    const afterMs = Math.ceil(PAUSE_LOOK_MS * (1 + shareOf(seed, turn)));
    return { kind: 'unsent', reason, lacks: 'pause', afterMs };
  };

  return {
    over: (outlet) => ({ ask: (departure, nowMs) => outlet.ask(departure, nowMs), hold }),
    tend: async () => {
      const found = kept.size === 0 ? null : await lookAnew();
      if (found === null) return;
      const lasting = new Set(found.pauses.map(({ pauseId }) => pauseId));
      for (const [pauseId, { tenant, lastMs }] of kept) {
        if (lasting.has(pauseId) || found.askedAtMs - lastMs < STORED_WITHIN_MS) continue;
        await store.wakePaused(tenant);
        kept.delete(pauseId);
      }
    },
  };
}
