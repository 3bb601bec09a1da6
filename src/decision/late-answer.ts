import type { Effect } from '../model/effect.ts';
import { assertNever } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { REVIEW } from './doubt.ts';
import type { Draft } from './draft.ts';
import { doubtHeldBack, isHeldBack } from './held-back.ts';
import { OPERATORS } from './hold-step.ts';
import { confirm, stayInDoubt, stepOutcomeOf } from './settlement.ts';
import { disproveEffect } from './withdraw-effect.ts';

/** An answer that comes when its row has moved on, or from a holder that had lost its lease. */
export interface LateAnswer {
  readonly effectKey: EffectKey;
  readonly observedBy: 'response' | 'query';
  /** What it answers, and the fence under which that left. */
  readonly turn: string;
  readonly outcome: Outcome;
}

/** How a row came not to be sent. */
const UNSENT = {
  PROPOSED: 'is not sent before it is authorized',
  REFUSED: 'was refused before it was sent',
  CANCELLED: 'was cancelled as not sent',
} as const;

type Proof = Pick<LateAnswer, 'observedBy' | 'turn' | 'outcome'>;

/** Somebody's word that an effect did happen, against what the ledger takes for true. */
export interface LateWord {
  readonly by: string;
  readonly evidence: string;
  /** The inbox row that brought it. */
  readonly eventId: string;
}

/** Whether a row is taken for not happened although something of it was sent: the word that it did happen is heard. */
export function isDeniable({ state, attempt }: Effect): boolean {
  return state === 'FAILED' || state === 'ABSENT' || (state === 'AUTHORIZED' && attempt > 0);
}

/**
 * Keeps a person's word that contradicts the ledger as an observation, and has somebody who may decide it look (E08): one
 * person's "it did not happen" must not be the last word where another one has seen it in the provider's books.
 */
export function fileLateWord(draft: Draft, effect: Effect, { by, evidence, eventId }: LateWord): void {
  const detail: Json = { kind: 'confirmed', by, evidence };
  draft.observe({ effectKey: effect.key, source: 'late-word', sourceId: `${by}/${eventId}`, detail });
  doubtNo(draft, effect, `${by} says that it happened (${evidence})`);
}

/**
 * Keeps a late answer as an observation; it never overwrites (E08). That something happened is heeded: a row in doubt is
 * settled by it, because a key names one request (E02) whichever sending of it is answered; a row that was taken for not
 * happened has a person look, and decide about its undo.
 */
export function fileLateAnswer(draft: Draft, late: LateAnswer): void {
  const { effectKey, observedBy, turn, outcome } = late;
  const { kind, code, message, externalId, resultBase64 } = outcome;
  const detail: Json = { kind, code, message, externalId, resultBase64 };
  const source = observedBy === 'query' ? 'late-query' : 'late-answer';
  draft.observe({ effectKey, source, sourceId: turn, detail });
  const effect = draft.effects.get(effectKey);
  if (effect !== undefined && kind === 'confirmed') heedProof(draft, effect, late);
}

function heedProof(draft: Draft, effect: Effect, proof: Proof): void {
  switch (effect.state) {
    case 'REQUESTED':
    case 'UNKNOWN': {
      const observer = { by: proof.observedBy, evidence: { late: proof.turn } };
      applySettlement(draft, confirm(settlingOf(draft, effect), proof.outcome, observer));
      return;
    }
    case 'AUTHORIZED':
    case 'FAILED':
    case 'ABSENT':
      doubtNo(draft, effect, 'an answer now says that it happened');
      return;
    case 'PROPOSED':
    case 'REFUSED':
    case 'CANCELLED':
      // PROPOSED and REFUSED rows were never sent by this ledger: one that was lost with its database did (P14).
      raise(draft, effect, `${UNSENT[effect.state]}, and an answer now says that it happened: undo it by hand`, [
        'waived',
      ]);
      return;
    case 'CONFIRMED':
      if (isAnother(effect, proof))
        raise(draft, effect, 'was confirmed by two answers that name different acts: it may have happened twice', [
          'waived',
        ]);
      return;
    case 'WAIVED':
      // A person has let it stand.
      return;
    default:
      assertNever(effect.state);
  }
}

/**
 * What was taken for not happened did happen, says somebody: a person decides; what was to be sent again never is. Of what recovery
 * mode holds back the ledger has taken nothing for anything, so that it is no failure, only in doubt (P14).
 */
function doubtNo(draft: Draft, effect: Effect, word: string): void {
  if (isHeldBack(effect)) {
    const doubted = doubtHeldBack(effect, REVIEW, { nowMs: draft.atMs, why: word });
    applySettlement(draft, stayInDoubt(settlingOf(draft, doubted), REVIEW, { code: doubted.code, lastError: word }));
    return;
  }
  if (effect.state !== 'AUTHORIZED') {
    raise(draft, effect, `was taken for ${effect.state}, and ${word}`);
    return;
  }
  const disproved = disproveEffect(effect, draft.atMs);
  const settled = stepOutcomeOf(disproved);
  raise(draft, effect, `was to be sent again as not happened, and ${word}`);
  applySettlement(draft, { effect: disproved, receipt: null, settled, retryAtMs: null, incident: null });
}

/** A query need not name the act as the first answer did; two sendings of one key do. */
function isAnother({ externalId }: Effect, { observedBy, outcome }: Proof): boolean {
  return (
    observedBy === 'response' && externalId !== null && outcome.externalId !== null && externalId !== outcome.externalId
  );
}

function raise(draft: Draft, effect: Effect, what: string, acts = ['confirmed', 'rejected']): void {
  const message = `${effect.compensates === null ? 'step' : 'the undo of step'} ${effect.step} ${what}`;
  const { key: effectKey, step } = effect;
  draft.openIncident({
    id: `late-proof:${effectKey}`,
    kind: 'late-proof',
    step,
    effectKey,
    message,
    from: OPERATORS,
    acts,
  });
}
