import { assertNever, invariant } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { BLANK } from './blank-outcome.ts';
import { acceptedChild } from './child-run.ts';
import { FORGOTTEN, SECRET_MISSING } from './judge-outcome.ts';
import { nextLookMs } from './missing-secret.ts';
import { nextAttemptAtMs } from './retry.ts';
import {
  allows,
  authorizeAgain,
  callsOf,
  confirm,
  enterDoubt,
  fail,
  type Observer,
  retryAsk,
  type Settlement,
  type Settling,
} from './settlement.ts';

/** A definitely unsent attempt goes again not before this (rule E05). */
export const UNSENT_WAIT_MS = 1_000;

const RESPONSE: Observer = { by: 'response', evidence: null };

/**
 * Settles the attempt in flight with what it meant.
 * @throws PAWL_INVARIANT when the row is not REQUESTED: a late answer is an observation (E08), never a settlement.
 */
export function settleAttempt(settling: Settling, outcome: Outcome): Settlement {
  const { effect } = settling;
  invariant(effect.state === 'REQUESTED', 'only a REQUESTED effect is settled by an attempt', {
    key: effect.key,
    state: effect.state,
  });
  switch (outcome.kind) {
    case 'confirmed':
      return confirm(settling, outcome, RESPONSE);
    case 'rejected':
      return settleRejected(settling, outcome);
    case 'unavailable':
    case 'throttled':
      return outcome.sent ? settleUnavailable(settling, outcome) : settleUnsent(settling, outcome);
    case 'pending':
      return enterDoubt(settling, outcome, 'pending');
    case 'unknown':
    case 'absent':
      // An attempt cannot prove absence; whatever said so does not know.
      return enterDoubt(settling, outcome, 'lost');
    default:
      return assertNever(outcome.kind);
  }
}

/**
 * What a new holder makes of a row that another fence REQUESTED: nobody here knows what became of it (rule E03).
 * @throws PAWL_INVARIANT when the row is not REQUESTED.
 */
export function takeOver(settling: Settling): Settlement {
  const { effect } = settling;
  invariant(effect.state === 'REQUESTED', 'only a REQUESTED effect is taken over', {
    key: effect.key,
    state: effect.state,
  });
  // What is said to a child was written in the very commit: nothing of it can be lost.
  if (settling.contract.transport.kind === 'child') return settleAttempt(settling, acceptedChild(effect));
  // A statement is committed with what is known of it, or not at all (E13).
  if (settling.contract.transport.kind === 'sql')
    return settleUnsent(settling, { ...LOST_SENDER, kind: 'unavailable', sent: false });
  return enterDoubt(settling, LOST_SENDER, 'lost');
}

const LOST_SENDER: Outcome = {
  ...BLANK,
  kind: 'unknown',
  code: 'sender-lost',
  message: 'the process that sent it is gone',
};

/** E15: once an attempt was UNKNOWN, a refusal settles only if the action's own `outcome` names that answer. */
function settleRejected(settling: Settling, outcome: Outcome): Settlement {
  const told = outcome.sent ? settling : uncounted(settling);
  if (told.effect.everUnknown && !outcome.named) return enterDoubt(told, outcome, 'refused');
  return retryOrFail(told, outcome);
}

/** "Not now" speaks of this sending alone: a doubt about an earlier one stays. */
function settleUnavailable(settling: Settling, outcome: Outcome): Settlement {
  if (settling.effect.unknownSinceMs !== null) return enterDoubt(settling, outcome, 'lost');
  return retryOrFail(settling, outcome);
}

/** E05: back to be sent, or in doubt as it was. */
function settleUnsent(settling: Settling, outcome: Outcome): Settlement {
  const waitMs = unsentWaitMs(settling, outcome);
  const unsent = uncounted(settling);
  // Lost commits may have sent it: nothing of it leaves before somebody has said what became of that (P14).
  if (outcome.code === FORGOTTEN) return enterDoubt(unsent, outcome, 'refused');
  if (unsent.effect.unknownSinceMs !== null) return enterDoubt(unsent, { ...outcome, retryAfterMs: waitMs }, 'lost');
  return settling.retrying ? authorizeAgain(unsent, outcome, settling.nowMs + waitMs) : fail(unsent, outcome, RESPONSE);
}

/** Nothing left, so the attempt does not count (E05), neither as one of the policy nor as a resend. */
function uncounted(settling: Settling): Settling {
  const { effect } = settling;
  if (effect.unknownSinceMs !== null) return { ...settling, effect: { ...effect, resends: effect.resends - 1 } };
  const counted = effect.countedAttempts - 1;
  const neverSent = counted === 0 && !effect.everUnknown;
  const firstRequestedAtMs = neverSent ? null : effect.firstRequestedAtMs;
  return { ...settling, effect: { ...effect, countedAttempts: counted, firstRequestedAtMs } };
}

/** A secret does not come by itself, so it is not looked for every second. */
function unsentWaitMs({ effect, policy }: Settling, outcome: Outcome): number {
  if (outcome.code !== SECRET_MISSING) return Math.max(UNSENT_WAIT_MS, outcome.retryAfterMs ?? 0);
  const unsentBefore = effect.attempt - callsOf(effect);
  return Math.max(UNSENT_WAIT_MS, nextLookMs(policy.retry, unsentBefore + 1, effect.key));
}

function retryOrFail(settling: Settling, outcome: Outcome): Settlement {
  const mayRetry = settling.retrying && outcome.sent && allows(settling, outcome);
  const atMs = mayRetry ? nextAttemptAtMs(retryAsk(settling, outcome)) : null;
  return atMs === null ? fail(settling, outcome, RESPONSE) : authorizeAgain(settling, outcome, atMs);
}
