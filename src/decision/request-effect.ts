import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Numbers } from '../model/numbers.ts';
import { moveEffect, touchEffect } from './effect-lifecycle.ts';

/** Policy and approval said yes: PROPOSED -> AUTHORIZED. @throws PAWL_INVARIANT for any other state. */
export function authorizeEffect(effect: Effect, approvalId: string | null): Effect {
  return moveEffect(effect, 'AUTHORIZED', { approvalId: approvalId ?? effect.approvalId, notBeforeMs: null });
}

/**
 * AUTHORIZED or UNKNOWN (a resend) -> REQUESTED, in the commit that lets the first byte leave (rule E03).
 * A first or retried sending counts against `attempts`, a resend does not.
 * @param at.fence the fence of the holder that will send.
 * @throws PAWL_INVARIANT when the row's not-before is not reached or the row may not be sent.
 */
export function requestEffect(
  effect: Effect,
  at: { readonly nowMs: number; readonly fence: number; readonly numbers: Pick<Numbers, 'sendWithinMs'> },
): Effect {
  const isResend = effect.state === 'UNKNOWN';
  invariant(!isResend || effect.doubt === 'resend', 'an effect in doubt is sent again only as a resend', {
    key: effect.key,
  });
  invariant((effect.notBeforeMs ?? 0) <= at.nowMs, 'an effect is not sent before its time', { key: effect.key });
  invariant(at.fence >= effect.fence, 'a fence only grows', { key: effect.key, before: effect.fence, after: at.fence });
  return moveEffect(effect, 'REQUESTED', {
    attempt: effect.attempt + 1,
    countedAttempts: effect.countedAttempts + (isResend ? 0 : 1),
    resends: effect.resends + (isResend ? 1 : 0),
    fence: at.fence,
    firstRequestedAtMs: effect.firstRequestedAtMs ?? at.nowMs,
    requestedAtMs: at.nowMs,
    sendByMs: at.nowMs + at.numbers.sendWithinMs,
    notBeforeMs: null,
    doubt: null,
  });
}

/**
 * Counts a query about an UNKNOWN row and puts the next one behind its answer, so that a query whose asker dies is
 * asked again. A review is asked about only by an operator's order and stays a review.
 * @param answerWithinMs longest time that the answer may take.
 */
export function askEffect(effect: Effect, nowMs: number, answerWithinMs: number): Effect {
  invariant(effect.state === 'UNKNOWN', 'only an UNKNOWN effect is asked about', {
    key: effect.key,
    state: effect.state,
  });
  const notBeforeMs = effect.doubt === 'query' ? nowMs + answerWithinMs : effect.notBeforeMs;
  return touchEffect(effect, { queries: effect.queries + 1, notBeforeMs });
}
