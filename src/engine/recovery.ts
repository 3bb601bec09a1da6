import { shareOf } from '../decision/retry.ts';
import { REMEMBERED_SHARE } from '../model/remembered-share.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { Witness } from '../ports/witness-store.ts';
import type { Departure, Outlet, Pass, Refusal } from './outlet.ts';

/** How often what recovery mode holds back looks whether it is over, milliseconds; a share of it is added from a hash. */
export const RECOVERY_LOOK_MS = 10_000;

/** What a process knows of the database's recovery mode (P14). */
export interface Recovery {
  /** Asks the witness. Transaction: the store's own. */
  look(): Promise<void>;
  /**
   * While it lasts nothing leaves but what the provider remembers by its key: a database that has forgotten commits would
   * have anything else done twice.
   */
  over(outlet: Outlet): Outlet;
}

/**
 * Whether doing it again does nothing: it does not act at all, or the provider still remembers its key, also if that was
 * sent in the first moment that may be forgotten.
 */
function isHarmless({ acts, contract }: Departure, sinceLastSeenMs: number): boolean {
  const { idempotency } = contract;
  if (!acts) return true;
  if (idempotency === null || idempotency.kind === 'none' || idempotency.kind === 'natural') return false;
  return sinceLastSeenMs <= idempotency.remembersMs * REMEMBERED_SHARE;
}

/** Lets it leave with the warning that it may have left before. */
function warned(answer: Pass | Refusal, { acts }: Departure): Pass | Refusal {
  return acts && answer.kind === 'pass' ? { ...answer, mayRepeat: true } : answer;
}

/** Begins outside of recovery mode; `look` comes before anything is sent. */
export function createRecovery(store: Pick<Store, 'witness'>, logger: Logger): Recovery {
  let open: Witness['recovery'] = null;
  return {
    look: async () => {
      const { identity, recovery } = await store.witness('worker');
      if (recovery !== null && open === null)
        logger.error({ ...identity, sinceMs: recovery.sinceMs }, 'recovery.opened');
      if (recovery === null && open !== null) logger.info({ ...identity }, 'recovery.ended');
      open = recovery;
    },
    over: (outlet) => ({
      ask: (departure, nowMs) => {
        if (open === null) return outlet.ask(departure, nowMs);
        if (isHarmless(departure, nowMs - open.lastSeenMs)) return warned(outlet.ask(departure, nowMs), departure);
        const reason =
          'the database is in recovery mode: it may have forgotten commits, and this provider would not know it again; "pawl db recovered" lists what may have happened, and ends it';
        const waitMs = Math.ceil(RECOVERY_LOOK_MS * (1 + shareOf(departure.seed, departure.turn)));
        return { kind: 'refusal', lacks: 'recovery', reason, waitMs };
      },
    }),
  };
}
