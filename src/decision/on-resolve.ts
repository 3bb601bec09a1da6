import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import { advancePlan } from './advance-plan.ts';
import { applySettlement, mayStart, reviewersOf, settlingOf } from './apply-settlement.ts';
import { isRefusedForGood, nextGeneration } from './compensation-plan.ts';
import { extendPlan } from './compensate-run.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { fileLateWord, isDeniable } from './late-answer.ts';
import { notInDoubt } from './not-in-doubt.ts';
import {
  type AnswerRefusal,
  type PersonAnswer,
  settleCompensation,
  settleLateProof,
  settlePerson,
} from './settle-person.ts';

type Resolve = Extract<InboxPayload, { type: 'resolve' }>;

/** A person says what became of an effect (E06), of a refused compensation (R16), of a late proof, or against the ledger (E08). */
export function onResolve(draft: Draft, event: InboxEvent, resolve: Resolve): void {
  const effect = draft.effects.get(resolve.effectKey as EffectKey);
  if (effect === undefined) {
    draft.answer(event, 'refused', { code: 'not-found', detail: { effectKey: resolve.effectKey } });
    return;
  }
  if (effect.doubt === 'event') {
    const message = `step ${effect.step} runs a child, which tells its end itself: cancel the child, or terminate it`;
    draft.answer(event, 'refused', { code: 'not-offered', detail: { message } });
    return;
  }
  const contradicts = !isAsked(draft, effect) && resolve.as === 'confirmed' && isDeniable(effect);
  if (!isAsked(draft, effect) && !contradicts) {
    draft.answer(event, 'refused', { code: 'not-in-doubt', detail: { message: notInDoubt(effect) } });
    return;
  }
  if (!isReviewer(draft, effect, resolve)) {
    draft.answer(event, 'refused', { code: 'not-eligible', detail: { effectKey: effect.key } });
    return;
  }
  const refusal = contradicts ? contradict(draft, effect, event, resolve) : settle(draft, effect, resolve);
  if (refusal !== null) {
    const { code, message, answerableAtMs } = refusal;
    draft.answer(event, 'refused', { code, detail: { message, answerableAtMs } });
    return;
  }
  const detail: Json = { as: resolve.as, evidence: resolve.evidence, output: resolve.output ?? null };
  draft.addAudit({ actor: resolve.by, act: 'resolve', target: effect.key, reason: resolve.evidence, detail });
  const { state } = draft.effectOf(effect.key);
  draft.answer(event, 'applied', { code: contradicts ? codeAgainst(state) : null, detail: { state } });
}

/** What a word against the ledger has come to: of what is held back nothing was taken for anything, so it is only in doubt (P14). */
function codeAgainst(state: Effect['state']): 'doubted' | 'late-proof' {
  return state === 'UNKNOWN' ? 'doubted' : 'late-proof';
}

/** Said against a row that is taken for not happened: it is not overwritten, it is looked at again (E08). */
function contradict(draft: Draft, effect: Effect, { eventId }: InboxEvent, answer: Resolve): AnswerRefusal | null {
  const { by, evidence } = answer;
  if (evidence.trim() === '')
    return refusedAs('evidence-missing', 'say what shows it: evidence is kept with your word');
  fileLateWord(draft, effect, { by, evidence, eventId });
  return null;
}

/** Whether there is anything that a person could say of it: whoever comes late is told so, whatever their roles. */
function isAsked(draft: Draft, effect: Effect): boolean {
  return effect.state === 'UNKNOWN' || isRefusedForGood(effect) || isLateProof(draft, effect);
}

function isReviewer(draft: Draft, effect: Effect, { by, roles }: Resolve): boolean {
  const from = reviewersFor(draft, effect);
  return from.some((entry) => entry === `user:${by}` || roles.some((role) => entry === `role:${role}`));
}

/** A review names who answers it; what is decided afterwards is the operators', who hear the reviewers, too. */
function reviewersFor(draft: Draft, effect: Effect): readonly string[] {
  if (effect.state === 'UNKNOWN') return reviewersOf(draft, effect);
  return isAsked(draft, effect) ? OPERATORS : [...OPERATORS, ...reviewersOf(draft, effect)];
}

function settle(draft: Draft, effect: Effect, answer: PersonAnswer): AnswerRefusal | null {
  if (isLateProof(draft, effect)) return settleProof(draft, effect, answer);
  if (isRefusedForGood(effect)) return settleRefused(draft, effect, answer);
  const result = settlePerson(settlingOf(draft, effect), answer);
  if (result.kind === 'refused') return result;
  applySettlement(draft, result.settlement);
  return null;
}

function isLateProof(draft: Draft, effect: Effect): boolean {
  return draft.control.incidents.some(
    (incident) => incident.kind === 'late-proof' && incident.effectKey === effect.key,
  );
}

function settleRefused(draft: Draft, effect: Effect, answer: PersonAnswer): AnswerRefusal | null {
  const { compensates: forwardKey } = effect;
  if (!mayStart(draft, effect)) return refusedAs('not-offered', 'the run does not compensate any more');
  const isTriedAgain = forwardKey !== null && draft.effects.undoOf(forwardKey)?.key !== effect.key;
  if (isTriedAgain) return refusedAs('not-in-doubt', 'it was tried again: it is the next try that counts');
  const result = settleCompensation(effect, answer, draft.atMs, nextGeneration);
  if (result.kind === 'refused') return result;
  const changed = result.next ?? result.effect;
  if (result.receipt === null) draft.putEffect(changed);
  else draft.settleEffect(changed, result.receipt);
  advancePlan(draft);
  return null;
}

function refusedAs(code: AnswerRefusal['code'], message: string): AnswerRefusal {
  return { kind: 'refused', code, message, answerableAtMs: null };
}

/** "It did not happen after all" leaves the row as it is; "it did" confirms it, and its undo is proposed to a person. */
function settleProof(draft: Draft, effect: Effect, answer: PersonAnswer): AnswerRefusal | null {
  const isAssumed = effect.state === 'FAILED' || effect.state === 'ABSENT';
  const isDismissed = isAssumed ? answer.as === 'rejected' || answer.as === 'absent' : answer.as === 'waived';
  const result = isDismissed ? null : settleLateProof(effect, answer, draft.atMs);
  if (result?.kind === 'refused') return result;
  draft.closeIncidents((incident) => incident.kind === 'late-proof' && incident.effectKey === effect.key);
  if (result === null) return null;
  draft.settleEffect(result.effect, result.receipt);
  proposeUndo(draft, effect);
  return null;
}

/** A run that undoes already undoes this, too; one that has come to its end waits for a person's order; any other has it in its ledger. */
function proposeUndo(draft: Draft, effect: Effect): void {
  if (draft.phase === 'compensating') {
    extendPlan(draft, effect);
    return;
  }
  const isOver = draft.phase === 'ended' || draft.phase === 'finally';
  if (!isOver || effect.compensates !== null || draft.ctx.compiled.isLast(effect.step)) return;
  draft.openIncident({
    id: `late-proof:${effect.key}`,
    kind: 'late-proof',
    step: effect.step,
    effectKey: effect.key,
    message: `step ${effect.step} happened after all, and the run has ended: order its undo, or let it stand`,
    from: OPERATORS,
    acts: ['compensate', 'waived'],
  });
}
