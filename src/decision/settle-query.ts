import { assertNever, invariant } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { nextQuery, quarantineEndsAtMs, REVIEW } from './doubt.ts';
import { SECRET_MISSING, UNSENDABLE } from './judge-outcome.ts';
import {
  confirm,
  fail,
  type Observer,
  settleAbsent,
  type Settlement,
  type Settling,
  stayInDoubt,
  unreadableOf,
} from './settlement.ts';

const QUERY: Observer = { by: 'query', evidence: null };

/**
 * Settles an UNKNOWN row with what a query found. "Not found" counts only when the action says `absent: final` and the
 * quarantine is over (rule E06); a query that fails itself proves nothing and never makes a row FAILED.
 * @throws PAWL_INVARIANT when the row is not UNKNOWN: a late answer is an observation (E08).
 */
export function settleQuery(settling: Settling, outcome: Outcome): Settlement {
  const { effect, contract, numbers, nowMs } = settling;
  invariant(effect.state === 'UNKNOWN', 'only an UNKNOWN effect is settled by a query', {
    key: effect.key,
    state: effect.state,
  });
  switch (outcome.kind) {
    case 'confirmed':
      return confirm(settling, outcome, QUERY);
    case 'rejected':
      return fail(settling, outcome, QUERY);
    case 'absent':
      return provesAbsence(settling) ? settleAbsent(settling, outcome, QUERY) : askAgain(settling, outcome, true);
    case 'pending':
    case 'unknown':
    case 'unavailable':
    case 'throttled':
      return askAgain(settling, outcome, false);
    default:
      return assertNever(outcome.kind);
  }

  function provesAbsence(asked: Settling): boolean {
    return contract.reconcile?.absent === 'final' && nowMs > quarantineEndsAtMs(asked.effect, contract, numbers);
  }
}

function askAgain(settling: Settling, outcome: Outcome, notFound: boolean): Settlement {
  const { effect, contract, numbers, nowMs } = settling;
  // A question that cannot be put, or not without what only a person can give, is one for a person.
  const isAskable = outcome.code !== UNSENDABLE && outcome.code !== SECRET_MISSING;
  const next = isAskable ? nextQuery({ effect, contract, numbers, nowMs, notFound }) : REVIEW;
  const code = outcome.kind === 'pending' ? 'pending' : effect.code;
  const settlement = stayInDoubt(settling, next, { code, lastError: outcome.message });
  return { ...settlement, unreadable: unreadableOf(effect, outcome) };
}
