import type { ChildNews } from '../model/child.ts';
import type { Effect } from '../model/effect.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { outcomeOfNews } from './child-outcome.ts';
import type { Draft } from './draft.ts';
import { failed, failureOf } from './settle-step.ts';
import { callsOf, confirm, fail, type Observer, type Settlement } from './settlement.ts';
import { isInFlight } from './step-effects.ts';

type Ended = Extract<InboxPayload, { type: 'child.ended' }>;

/** A child tells its end, or what became of its undo: the row that waits for it is settled, once (V08, E09). */
export function onChildEnded(draft: Draft, event: InboxEvent, { news }: Ended): void {
  const effect = draft.effects.get(news.effectKey);
  if (effect === undefined || !isInFlight(effect)) {
    draft.answer(event, 'already-decided');
    return;
  }
  draft.answer(event, 'applied', { detail: { step: effect.step } });
  const settlement = settle(draft, effect, news);
  applySettlement(draft, effect.code === 'timeout' ? timedOut(settlement) : settlement);
}

function settle(draft: Draft, effect: Effect, news: ChildNews): Settlement {
  const observer: Observer = { by: 'webhook', evidence: { child: news.childId, status: news.status } };
  const settling = settlingOf(draft, effect);
  const outcome = outcomeOfNews(effect, news);
  return outcome.kind === 'confirmed' ? confirm(settling, outcome, observer) : fail(settling, outcome, observer);
}

/** The step's time was over before its child was: that is its failure, however the child has ended. */
function timedOut(settlement: Settlement): Settlement {
  const { effect } = settlement;
  const failure = failureOf(effect.step, 'timeout', 'timeout', `the child of step ${effect.step} took too long`);
  return { ...settlement, step: failed(failure, callsOf(effect)) };
}
