import { shareOf } from '../decision/retry.ts';
import type { SendOrder } from '../model/order.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { Outlet } from './outlet.ts';

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

function isRemembered({ contract }: SendOrder): boolean {
  const { idempotency } = contract;
  return idempotency !== null && idempotency.kind !== 'none' && idempotency.kind !== 'natural';
}

/** Begins outside of recovery mode; `look` comes before anything is sent. */
export function createRecovery(store: Pick<Store, 'witness'>, logger: Logger): Recovery {
  let isOpen = false;
  return {
    look: async () => {
      const { identity, recovery } = await store.witness();
      if (recovery !== null && !isOpen) logger.error({ ...identity, sinceMs: recovery.sinceMs }, 'recovery.opened');
      if (recovery === null && isOpen) logger.info({ ...identity }, 'recovery.ended');
      isOpen = recovery !== null;
    },
    over: (outlet) => ({
      ask: (order, nowMs) => {
        if (!isOpen || isRemembered(order)) return outlet.ask(order, nowMs);
        const reason =
          'the database is in recovery mode: it may have forgotten commits, and this provider remembers no key; "pawl db recovered" ends it';
        const waitMs = Math.ceil(RECOVERY_LOOK_MS * (1 + shareOf(order.effect.key, order.attempt)));
        return { kind: 'refusal', lacks: 'recovery', reason, waitMs };
      },
    }),
  };
}
