import type { Effect } from '../model/effect.ts';
import type { Doubt } from './doubt.ts';
import { moveEffect } from './effect-lifecycle.ts';
import { FORGOTTEN, IN_RECOVERY } from './judge-outcome.ts';

/** Whether recovery mode alone keeps it from being sent (P14): of a run from before it, it has been found not to have happened. */
export function isHeldBack({ state, code }: Pick<Effect, 'state' | 'code'>): boolean {
  return state === 'AUTHORIZED' && code === IN_RECOVERY;
}

/**
 * Somebody says or asks whether commits that the database has lost had sent what is held back: AUTHORIZED -> UNKNOWN (P14).
 * @param why what is known of it. @throws PAWL_INVARIANT for any other state.
 */
export function doubtHeldBack(effect: Effect, doubt: Doubt, { nowMs, why }: { nowMs: number; why: string }): Effect {
  return moveEffect(effect, 'UNKNOWN', {
    ...doubt,
    code: FORGOTTEN,
    lastError: why,
    everUnknown: true,
    unknownSinceMs: nowMs,
    doubtSinceMs: nowMs,
  });
}
