import type { Effect } from '../model/effect.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Outcome } from '../model/outcome.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { chooseDoubt } from './doubt.ts';
import type { Draft } from './draft.ts';
import { touchEffect } from './effect-lifecycle.ts';
import { LEASE_LAPSED, rowOfTimer } from './hand-out.ts';
import { fileLateAnswer } from './late-answer.ts';
import { policyOf } from './row-policy.ts';
import { settleAttempt } from './settle-effect.ts';
import { enterDoubt, stayInDoubt, stepOutcomeOf } from './settlement.ts';
import { leaseBoundMs, workersUntilMs } from './tend-queues.ts';
import { expireEffect, leaveUntaken } from './withdraw-effect.ts';

type Settle = Extract<InboxPayload, { type: 'settle' }>;
type Extend = Extract<InboxPayload, { type: 'extend' }>;

/** The row of a word about a hand-out, and whether that is the attempt in hand. */
function spokenOf(
  draft: Draft,
  { effectKey, attempt, fence }: Settle | Extend,
): { effect?: Effect; isInHand: boolean } {
  const effect = draft.effects.get(effectKey);
  if (effect?.queue === undefined) return { isInHand: false };
  const isInHand = effect.state === 'REQUESTED' && effect.attempt === attempt && effect.fence === fence;
  // Numbers that were never given name nothing: whoever says them was not handed the attempt.
  const wasGiven =
    attempt <= effect.attempt && fence <= effect.fence && (attempt < effect.attempt || fence === effect.fence);
  return wasGiven ? { effect, isInHand } : { isInHand: false };
}

/**
 * A remote worker says what became of its attempt. Only the attempt in hand settles its row; a word about any other is an
 * observation (E08), heeded like every late answer, also by a run that has ended.
 */
export function onSettle(draft: Draft, event: InboxEvent, settle: Settle): void {
  const { effect, isInHand } = spokenOf(draft, settle);
  if (effect === undefined) {
    draft.answer(event, 'refused', { code: 'never-handed-out' });
    return;
  }
  const outcome: Outcome = { ...settle.outcome, output: settle.outcome.output };
  if (isInHand) applySettlement(draft, settleAttempt(settlingOf(draft, effect), outcome));
  else {
    const turn = `attempt:${settle.attempt}:fence:${settle.fence}:${outcome.kind}`;
    fileLateAnswer(draft, { effectKey: effect.key, observedBy: 'response', turn, outcome });
  }
  const { state, code } = draft.effectOf(effect.key);
  if (isInHand) draft.answer(event, 'applied', { detail: { state, code } });
  else draft.answer(event, 'stale', { code: 'late', detail: { state, code } });
}

/** A remote worker asks for more time: from now, and never beyond the action's timeout, which began when it was handed out. */
export function onExtend(draft: Draft, event: InboxEvent, extend: Extend): void {
  const { effect, isInHand } = spokenOf(draft, extend);
  if (effect === undefined) {
    draft.answer(event, 'refused', { code: 'never-handed-out' });
    return;
  }
  if (!isInHand) {
    draft.answer(event, 'stale', { code: 'late' });
    return;
  }
  const untilMs = leaseBoundMs(draft, effect);
  const leaseUntilMs = Math.min(draft.ctx.nowMs + extend.leaseMs, untilMs);
  draft.putEffect(touchEffect(effect, { sendByMs: leaseUntilMs }));
  draft.answer(event, 'applied', { detail: { leaseUntilMs, untilMs } });
}

/**
 * The timer of a row with a queue is due, if the row still waits for that time: a lease without a word leaves it in doubt, never
 * assumed (E06); a wait that nobody ended has definitely not happened (R19); a memory that ends ends the resends.
 */
export function passWorkerTime(draft: Draft, timer: string): void {
  const key = rowOfTimer(timer);
  const effect = key === null ? undefined : draft.effects.get(key);
  if (effect === undefined) return;
  const untilMs = workersUntilMs(draft, effect);
  if (untilMs === null || untilMs > draft.atMs) return;
  const settling = settlingOf(draft, effect);
  if (effect.state === 'REQUESTED') applySettlement(draft, enterDoubt(settling, LEASE_LAPSED, 'lost'));
  else if (effect.state === 'UNKNOWN') {
    const { contract, policy, nowMs } = settling;
    const doubt = chooseDoubt({ effect, contract, policy, nowMs, cause: 'lost' });
    applySettlement(draft, stayInDoubt(settling, doubt, { code: effect.code, lastError: effect.lastError }));
  } else endWait(draft, effect);
}

function endWait(draft: Draft, effect: Effect): void {
  const { withinMs } = policyOf(draft, effect).retry;
  const { firstRequestedAtMs: firstMs } = effect;
  const isOver = withinMs !== null && firstMs !== null && firstMs + withinMs <= draft.atMs;
  const ended = isOver ? expireEffect(effect, draft.atMs) : leaveUntaken(effect, draft.atMs);
  applySettlement(draft, {
    effect: ended,
    receipt: null,
    settled: stepOutcomeOf(ended),
    retryAtMs: null,
    incident: null,
  });
}
