import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { FailureClass } from '../model/statuses.ts';
import { moveEffect } from './effect-lifecycle.ts';

/** What the machine is told of a row that was never sent for this reason. */
export interface Withdrawal {
  readonly code: string;
  readonly class: FailureClass;
  readonly message: string;
  readonly nowMs: number;
}

/**
 * Nothing is in flight and the run no longer wants it: PROPOSED or AUTHORIZED -> CANCELLED (rule R05).
 * @throws PAWL_INVARIANT for REQUESTED and UNKNOWN rows, which are never cancelled locally.
 */
export function cancelEffect(effect: Effect, nowMs: number): Effect {
  return close(effect, 'CANCELLED', {
    code: 'cancelled',
    class: 'cancelled',
    message: 'cancelled before it was sent',
    nowMs,
  });
}

/** Policy or approval said no: PROPOSED -> REFUSED. @throws PAWL_INVARIANT for any other state. */
export function refuseEffect(effect: Effect, withdrawal: Withdrawal): Effect {
  return close(effect, 'REFUSED', withdrawal);
}

/**
 * The deadline came before the next sending: AUTHORIZED -> FAILED(timeout).
 * @throws PAWL_INVARIANT for any other state: what may be on its way does not fail by a clock (R19).
 */
export function expireEffect(effect: Effect, nowMs: number): Effect {
  invariant(effect.state === 'AUTHORIZED', 'only an AUTHORIZED effect fails by a deadline', {
    key: effect.key,
    state: effect.state,
  });
  const message = 'the deadline came before the next sending';
  return close(effect, 'FAILED', { code: 'timeout', class: 'timeout', message, nowMs });
}

/**
 * No remote worker has pulled it in the time that its step gives: AUTHORIZED -> FAILED, class unavailable, because it has
 * definitely not happened (R19).
 * @throws PAWL_INVARIANT for any other state: what was handed out does not fail by a clock.
 */
export function leaveUntaken(effect: Effect, nowMs: number): Effect {
  invariant(effect.state === 'AUTHORIZED', 'only an AUTHORIZED effect waits to be handed out', {
    key: effect.key,
    state: effect.state,
  });
  const message = `no worker of queue ${effect.queue ?? ''} asked for it in time`;
  return close(effect, 'FAILED', { code: 'timeout', class: 'unavailable', message, nowMs });
}

/**
 * It was to be sent again as not happened, and a late answer says that it had (E08): AUTHORIZED -> FAILED, so that it is
 * never sent again; a person says whether it counts.
 * @throws PAWL_INVARIANT for any other state.
 */
export function disproveEffect(effect: Effect, nowMs: number): Effect {
  const message = 'a late answer says that it happened: it is not sent again';
  return close(effect, 'FAILED', { code: 'late-proof', class: 'unknown', message, nowMs });
}

function close(effect: Effect, to: 'CANCELLED' | 'REFUSED' | 'FAILED', withdrawal: Withdrawal): Effect {
  return moveEffect(effect, to, {
    code: withdrawal.code,
    failureClass: withdrawal.class,
    lastError: withdrawal.message,
    notBeforeMs: null,
    settledAtMs: withdrawal.nowMs,
  });
}
