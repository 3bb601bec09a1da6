import { shareOf } from '../decision/retry.ts';
import { REMEMBERED_SHARE } from '../model/remembered-share.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { ForgottenWindow, Witness } from '../ports/witness-store.ts';
import type { Departure, Outlet, Pass, Refusal } from './outlet.ts';

/** How often what recovery mode holds back looks whether it is over, milliseconds; a share of it is added from a hash. */
export const RECOVERY_LOOK_MS = 10_000;

/** What a process knows of the database's recovery mode (P14). */
export interface Recovery {
  /**
   * Asks the witness. Transaction: the store's own.
   * @returns whether commits may have been forgotten since the last look: what is in hand was decided on what is not stored any more.
   */
  look(): Promise<boolean>;
  /**
   * While it lasts nothing leaves but what the provider remembers by its key: a database that has forgotten commits would
   * have anything else done twice. During it and after it, what a run from before it would do blindly is in doubt.
   */
  over(outlet: Outlet): Outlet;
}

/** All that a database may have forgotten, whether or not an operator has gone through it. */
type Forgotten = ForgottenWindow & { readonly isOpen: boolean };

/** @returns null for a database that has never been set back. */
function forgottenBy({ recovery, window }: Pick<Witness, 'recovery' | 'window'>): Forgotten | null {
  if (recovery === null) return window === null ? null : { ...window, isOpen: false };
  const lastSeenMs = Math.min(recovery.lastSeenMs, window?.lastSeenMs ?? recovery.lastSeenMs);
  return { lastSeenMs, sinceMs: recovery.sinceMs, isOpen: true };
}

/** Whether it is another history of the database, or one that was opened to doubt, than when it was looked at before. */
function isSetBack(before: Witness, { identity, recovery }: Witness): boolean {
  const was = before.identity;
  if (was.systemIdentifier !== identity.systemIdentifier || was.timeline !== identity.timeline) return true;
  return recovery !== null && recovery.sinceMs !== before.recovery?.sinceMs;
}

/** Whether its run was under way when the database was set back: any other has done nothing that could be forgotten. */
function isFromBefore({ begunAtMs }: Departure, { sinceMs }: ForgottenWindow): boolean {
  return begunAtMs <= sinceMs;
}

/** Whether the provider would know it again, also if its key was sent in the first moment that may be forgotten. */
function isRemembered(departure: Departure, window: ForgottenWindow, nowMs: number): boolean {
  const { idempotency } = departure.contract;
  if (idempotency === null || idempotency.kind === 'none' || idempotency.kind === 'natural') return false;
  // Before its run began nothing of it was sent.
  const fromMs = isFromBefore(departure, window) ? Math.max(window.lastSeenMs, departure.begunAtMs) : window.lastSeenMs;
  return nowMs - fromMs <= idempotency.remembersMs * REMEMBERED_SHARE;
}

/** Whether it would be a second act if it is in what is forgotten, and nobody has found out yet that it is not. */
function isDoubtful(departure: Departure, window: ForgottenWindow): boolean {
  const { contract, clearedAtMs } = departure;
  if (contract.idempotency?.kind === 'natural' || !isFromBefore(departure, window)) return false;
  return clearedAtMs === undefined || clearedAtMs < window.sinceMs;
}

/** Lets it leave with the warning that it may have left before. */
function warned(answer: Pass | Refusal): Pass | Refusal {
  return answer.kind === 'pass' ? { ...answer, mayRepeat: true } : answer;
}

const IN_DOUBT: Refusal = {
  kind: 'refusal',
  lacks: 'word',
  reason:
    'its run is older than the last commits that the database has lost, so they may have sent it, and this provider would not know it again',
  waitMs: 0,
};

function heldBack({ seed, turn }: Departure): Refusal {
  const reason =
    'the database is in recovery mode: it may have forgotten commits, and this provider would not know it again; "pawl db recovered" lists what may have happened, and ends it';
  return {
    kind: 'refusal',
    lacks: 'recovery',
    reason,
    waitMs: Math.ceil(RECOVERY_LOOK_MS * (1 + shareOf(seed, turn))),
  };
}

/** Begins outside of recovery mode; `look` comes before anything is sent. */
export function createRecovery(store: Pick<Store, 'witness'>, logger: Logger): Recovery {
  let forgotten: Forgotten | null = null;
  let before: Witness | null = null;
  return {
    look: async () => {
      const witness = await store.witness('worker');
      const { identity, recovery } = witness;
      const wasOpen = forgotten?.isOpen === true;
      if (recovery !== null && !wasOpen) logger.error({ ...identity, sinceMs: recovery.sinceMs }, 'recovery.opened');
      if (recovery === null && wasOpen) logger.info({ ...identity }, 'recovery.ended');
      forgotten = forgottenBy(witness);
      const isNew = before !== null && isSetBack(before, witness);
      before = witness;
      return isNew;
    },
    over: (outlet) => ({
      ask: (departure, nowMs) => {
        if (forgotten === null || !departure.acts) return outlet.ask(departure, nowMs);
        const { isOpen } = forgotten;
        if (isRemembered(departure, forgotten, nowMs)) {
          const answer = outlet.ask(departure, nowMs);
          return isOpen ? warned(answer) : answer;
        }
        if (isDoubtful(departure, forgotten)) return IN_DOUBT;
        return isOpen ? heldBack(departure) : outlet.ask(departure, nowMs);
      },
    }),
  };
}
