import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';

/** An answer that comes when its row has moved on. */
export interface LateAnswer {
  readonly effectKey: EffectKey;
  readonly effect: Effect | undefined;
  readonly source: string;
  readonly turn: string;
  readonly outcome: Outcome;
}

/**
 * Keeps a late answer as an observation; it never overwrites. A proof against a row that was taken for absent or failed
 * raises an incident: a person looks, and decides about its undo (E08).
 */
export function fileLateAnswer(draft: Draft, late: LateAnswer): void {
  const { effectKey, effect, source, turn, outcome } = late;
  const { kind, code, message, externalId, resultBase64 } = outcome;
  const detail: Json = { kind, code, message, externalId, resultBase64 };
  draft.observe({ effectKey, source, sourceId: `${turn}:fence:${draft.base.fence}`, detail });
  const isAssumedUndone = effect?.state === 'FAILED' || effect?.state === 'ABSENT';
  if (effect === undefined || !isAssumedUndone || kind !== 'confirmed') return;
  draft.openIncident({
    id: `late-proof:${effectKey}`,
    kind: 'late-proof',
    step: effect.step,
    effectKey,
    message: `step ${effect.step} was taken for ${effect.state}, and an answer now says that it happened`,
    from: OPERATORS,
    acts: ['confirmed', 'rejected'],
  });
}
