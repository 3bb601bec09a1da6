import type { EffectKey } from '../model/ids.ts';
import type { Outcome } from '../model/outcome.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import type { Draft } from './draft.ts';
import { fileLateAnswer } from './late-answer.ts';
import { settleAttempt } from './settle-effect.ts';

/** What an attempt came to. Only the attempt in flight settles its row; any other answer is late (E08). */
export function onAttempt(draft: Draft, effectKey: EffectKey, attempt: number, outcome: Outcome): void {
  const effect = draft.effects.get(effectKey);
  const isOurs = effect !== undefined && effect.state === 'REQUESTED' && effect.attempt === attempt;
  // Of a child no attempt tells anything: its end may come before it is noted that it runs.
  const isChild = effect !== undefined && draft.ctx.compiled.action(effect.action).transport.kind === 'child';
  if (!isOurs && isChild) return;
  if (!isOurs) {
    const turn = `attempt:${attempt}:fence:${draft.base.fence}`;
    fileLateAnswer(draft, { effectKey, observedBy: 'response', turn, outcome });
    return;
  }
  applySettlement(draft, settleAttempt(settlingOf(draft, effect), outcome));
}
