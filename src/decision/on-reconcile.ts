import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import type { Doubt } from './doubt.ts';
import type { Draft } from './draft.ts';
import { doubtHeldBack, isHeldBack } from './held-back.ts';
import { notInDoubt } from './not-in-doubt.ts';
import { stayInDoubt } from './settlement.ts';

type Reconcile = Extract<InboxPayload, { type: 'reconcile' }>;

/** A person wants the world asked now: the query is due at once, whether the row waited for a resend, a query or a review. */
export function onReconcile(draft: Draft, event: InboxEvent, { effectKey, by }: Reconcile): void {
  const effect = draft.effects.get(effectKey as EffectKey);
  if (effect === undefined) {
    draft.answer(event, 'refused', { code: 'not-found', detail: { effectKey } });
    return;
  }
  if (effect.state !== 'UNKNOWN' && !isHeldBack(effect)) {
    draft.answer(event, 'refused', { code: 'not-in-doubt', detail: { message: notInDoubt(effect) } });
    return;
  }
  const settling = settlingOf(draft, effect);
  if (settling.contract.reconcile === null) {
    draft.answer(event, 'refused', { code: 'no-reconcile', detail: { action: effect.action } });
    return;
  }
  const doubt: Doubt = { doubt: 'query', notBeforeMs: draft.atMs };
  const why = `${by} asks whether it happened`;
  const asked = isHeldBack(effect) ? doubtHeldBack(effect, doubt, { nowMs: draft.atMs, why }) : effect;
  const { code, lastError } = asked;
  applySettlement(draft, stayInDoubt({ ...settling, effect: asked }, doubt, { code, lastError }));
  draft.addAudit({ actor: by, act: 'reconcile', target: effect.key, reason: null, detail: null });
  draft.answer(event, 'applied');
}
