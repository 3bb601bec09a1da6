import { SEND_PAUSED } from '../model/pause.ts';
import type { Draft } from './draft.ts';
import { touchEffect } from './effect-lifecycle.ts';
import { maySend } from './may-send.ts';

/** What a pause has kept back is tried now, whatever time it was to wait: whoever ends a pause wakes the run, and says no more. */
export function lookAgain(draft: Draft): void {
  const { nowMs } = draft.ctx;
  for (const effect of [...draft.effects.live()]) {
    const waits = effect.code === SEND_PAUSED && (effect.notBeforeMs ?? 0) > nowMs;
    if (waits && maySend(draft, effect)) draft.putEffect(touchEffect(effect, { notBeforeMs: nowMs }));
  }
}
