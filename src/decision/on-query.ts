import type { EffectKey } from '../model/ids.ts';
import type { Outcome } from '../model/outcome.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import type { Draft } from './draft.ts';
import { fileLateAnswer } from './late-answer.ts';
import { settleQuery } from './settle-query.ts';

/** What asking found. An answer to an earlier question than the last, or about a settled row, is late (E08). */
export function onQuery(draft: Draft, effectKey: EffectKey, query: number, outcome: Outcome): void {
  const effect = draft.effects.get(effectKey);
  const isOurs = effect !== undefined && effect.state === 'UNKNOWN' && effect.queries === query;
  if (!isOurs) {
    fileLateAnswer(draft, {
      effectKey,
      observedBy: 'query',
      turn: `query:${query}:fence:${draft.base.fence}`,
      outcome,
    });
    return;
  }
  applySettlement(draft, settleQuery(settlingOf(draft, effect), outcome));
}
