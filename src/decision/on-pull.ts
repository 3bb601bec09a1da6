import type { Effect } from '../model/effect.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';
import { requestEffect } from './request-effect.ts';
import { isOfferedNow, leaseBoundMs } from './tend-queues.ts';
import { isWithWorkers } from './hand-out.ts';
import { touchEffect } from './effect-lifecycle.ts';

type Pull = Extract<InboxPayload, { type: 'pull' }>;

/**
 * A remote worker asks for an attempt. What it gets is REQUESTED by this commit: from then on it counts as sent (E03), whether
 * or not the worker ever hears of it. Two that ask for one row are told apart by the order of the run's commits.
 */
export function onPull(draft: Draft, event: InboxEvent, pull: Pull): void {
  const effect = draft.effects.get(pull.effectKey);
  const code = refusalOf(draft, effect, pull);
  if (effect === undefined || code !== null) {
    if (effect?.queue !== undefined && !isWithWorkers(effect))
      draft.offers.push({ effectKey: effect.key, queue: effect.queue, dueAtMs: null });
    draft.answer(event, 'refused', { code });
    return;
  }
  const { nowMs } = draft.ctx;
  const requested = requestEffect(effect, { nowMs, fence: draft.base.fence, numbers: draft.ctx.numbers });
  const untilMs = leaseBoundMs(draft, requested);
  const leaseUntilMs = Math.min(nowMs + pull.leaseMs, untilMs);
  draft.putEffect(touchEffect(requested, { sendByMs: leaseUntilMs }));
  const { attempt, fence } = requested;
  draft.answer(event, 'applied', { detail: { attempt, fence, leaseUntilMs, untilMs } });
}

/** Why it is not handed out; null = it is. */
function refusalOf(draft: Draft, effect: Effect | undefined, { untilMs }: Pull): string | null {
  if (draft.ctx.nowMs > untilMs) return 'void';
  return effect !== undefined && isOfferedNow(draft, effect) ? null : 'taken';
}
