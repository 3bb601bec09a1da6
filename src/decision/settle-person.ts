import { compileSchema } from '../definition/schema-validator.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { Effect } from '../model/effect.ts';
import { assertNever } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ReviewAnswer } from '../model/statuses.ts';
import { chooseDoubt, quarantineEndsAtMs } from './doubt.ts';
import { isRefusedForGood } from './compensation-plan.ts';
import { moveEffect } from './effect-lifecycle.ts';
import { FORGOTTEN } from './judge-outcome.ts';
import { externalIdOf } from './pick-output.ts';
import type { ReceiptDraft } from './receipt.ts';
import {
  confirm,
  draftReceipt,
  fail,
  type Observer,
  REVIEW_ANSWERS,
  settleAbsent,
  type Settlement,
  type Settling,
  stayInDoubt,
} from './settlement.ts';

/** What a person says of an effect; who may say it was checked by the caller (`review.from`). */
export interface PersonAnswer {
  readonly as: ReviewAnswer;
  readonly evidence: string;
  /** The output of a confirmed effect; undefined = not given. */
  readonly output: Json | undefined;
  readonly by: string;
}

/** Why an answer is not taken. */
export interface AnswerRefusal {
  readonly kind: 'refused';
  readonly code:
    | 'not-in-doubt'
    | 'not-offered'
    | 'quarantine'
    | 'evidence-missing'
    | 'output-invalid'
    | 'not-refused-for-good'
    | 'not-a-late-proof';
  readonly message: string;
  /** When it may be said; null where time changes nothing. */
  readonly answerableAtMs: number | null;
}

/** The answer is taken, or why not. */
export type PersonSettlement = { readonly kind: 'settled'; readonly settlement: Settlement } | AnswerRefusal;

/**
 * Settles an UNKNOWN row by a person's word: confirmed (with the output and evidence), absent, rejected, or keep waiting.
 * Nothing but "keep waiting" is taken before the quarantine is over (rule E06).
 */
export function settlePerson(settling: Settling, answer: PersonAnswer): PersonSettlement {
  const refusal = checkAnswer(settling, answer);
  if (refusal) return refusal;
  const observer = personObserver(answer);
  const outcome = personOutcome(answer);
  switch (answer.as) {
    case 'confirmed':
      return { kind: 'settled', settlement: confirm(settling, outcome, observer) };
    case 'rejected':
      return { kind: 'settled', settlement: fail(settling, outcome, observer) };
    case 'absent':
      return { kind: 'settled', settlement: settleAbsent(absentBounds(settling), outcome, observer) };
    case 'keep-waiting':
      return { kind: 'settled', settlement: keepWaiting(settling) };
    case 'retry':
    case 'undone':
    case 'waived':
      return refuse('not-offered', `"${answer.as}" is an answer for a compensation that was refused for good`);
    default:
      return assertNever(answer.as);
  }
}

/**
 * E07: without a key that the provider remembers and without a query, nothing is ever sent again by itself; what lost commits
 * may have sent (P14) is sent for the first time then.
 */
function absentBounds(settling: Settling): Settling {
  const { contract, effect } = settling;
  if (effect.code === FORGOTTEN) return settling;
  const neverAgain = contract.idempotency?.kind === 'none' && contract.reconcile === null;
  return neverAgain ? { ...settling, retrying: false } : settling;
}

/** Asking starts again where the action can be asked; else the review stays. */
function keepWaiting(settling: Settling): Settlement {
  const { effect, contract, nowMs } = settling;
  const cause = effect.code === 'pending' ? 'pending' : 'refused';
  const doubt = chooseDoubt({ effect, contract, policy: { onUnknown: 'reconcile' }, nowMs, cause });
  const asked = { ...settling, effect: { ...effect, doubtSinceMs: nowMs } };
  return stayInDoubt(asked, doubt, { code: effect.code, lastError: effect.lastError });
}

function checkAnswer(settling: Settling, answer: PersonAnswer): AnswerRefusal | null {
  const { effect, contract, policy, numbers, nowMs } = settling;
  if (effect.state !== 'UNKNOWN')
    return refuse('not-in-doubt', `the effect is ${effect.state}; there is nothing to resolve`);
  const offered: readonly ReviewAnswer[] = policy.review?.options ?? REVIEW_ANSWERS;
  if (!offered.includes(answer.as)) return refuse('not-offered', `this review takes: ${offered.join(', ')}`);
  if (answer.as === 'keep-waiting') return null;
  const endsAtMs = quarantineEndsAtMs(effect, contract, numbers);
  if (nowMs <= endsAtMs) {
    const message = 'what was sent may still take effect; a word about it counts only afterwards';
    return { kind: 'refused', code: 'quarantine', message, answerableAtMs: endsAtMs + 1 };
  }
  if (answer.evidence.trim() === '')
    return refuse('evidence-missing', 'say what shows it: evidence is part of the receipt');
  return answer.as === 'confirmed' ? checkOutput(settling, answer.output) : null;
}

function checkOutput(settling: Settling, output: Json | undefined): AnswerRefusal | null {
  const problem = compileSchema(settling.contract.output)(output ?? null)[0];
  if (!problem) return null;
  const mend = output === undefined ? '; confirmed needs what the provider answered: add --output JSON' : '';
  return refuse('output-invalid', `the output does not fit the action's output schema: ${problem.message}${mend}`);
}

function refuse(code: AnswerRefusal['code'], message: string): AnswerRefusal {
  return { kind: 'refused', code, message, answerableAtMs: null };
}

/** A person as the observer of an outcome. */
export function personObserver(answer: PersonAnswer): Observer {
  return { by: 'person', evidence: { by: answer.by, says: answer.as, evidence: answer.evidence } };
}

function personOutcome(answer: PersonAnswer): Outcome {
  const kind =
    answer.as === 'confirmed' || answer.as === 'undone'
      ? 'confirmed'
      : answer.as === 'rejected'
        ? 'rejected'
        : 'absent';
  return {
    kind,
    code: kind === 'confirmed' ? null : kind,
    message: `${answer.by} says: ${answer.as}`,
    output: answer.output,
    named: true,
    retryAfterMs: null,
    externalId: externalIdOf(answer.output),
    resultBase64: answer.output === undefined ? '' : Buffer.from(canonicalJson(answer.output)).toString('base64'),
    sent: true,
  };
}

/** What a person's word about a compensation that was refused for good changes (rule R16). */
export interface CompensationAnswer {
  readonly kind: 'settled';
  /** The refused row, changed only by a waiver. */
  readonly effect: Effect;
  /** The row of the next generation (retry, undone); null for a waiver. */
  readonly next: Effect | null;
  /** Receipt of `next` (undone) or of `effect` (waived); null for a retry. */
  readonly receipt: ReceiptDraft | null;
}

/**
 * A compensation that is refused for good: retried under the next generation's key with the same bytes, marked undone by a
 * new row CONFIRMED (observed by person), or waived. The refused row keeps its word.
 * @param next makes the row of the next generation (`nextGeneration`).
 */
export function settleCompensation(
  effect: Effect,
  answer: PersonAnswer,
  nowMs: number,
  next: (effect: Effect) => Effect,
): CompensationAnswer | AnswerRefusal {
  if (!isRefusedForGood(effect)) {
    return refuse(
      'not-refused-for-good',
      `the effect is ${effect.state}; retry, undone and waived are for refused compensations`,
    );
  }
  if (answer.evidence.trim() === '')
    return refuse('evidence-missing', 'say what shows it, or why: it is part of the receipt');
  const observer = personObserver(answer);
  const seen = personOutcome(answer);
  if (answer.as === 'retry') return { kind: 'settled', effect, next: next(effect), receipt: null };
  if (answer.as === 'waived') {
    const waived = moveEffect(effect, 'WAIVED', { settledAtMs: nowMs });
    return { kind: 'settled', effect: waived, next: null, receipt: draftReceipt(waived, 'waived', seen, observer) };
  }
  if (answer.as !== 'undone') return refuse('not-offered', 'a refused compensation takes: retry, undone, waived');
  const undone: Effect = {
    ...next(effect),
    state: 'CONFIRMED',
    output: answer.output ?? null,
    externalId: seen.externalId,
    settledAtMs: nowMs,
  };
  return { kind: 'settled', effect, next: undone, receipt: draftReceipt(undone, 'confirmed', seen, observer) };
}

/**
 * The person who resolves a late proof says that a row assumed FAILED or ABSENT did happen after all (rule E08).
 * The machine is not told: the run has gone on; what follows is a proposed compensation.
 */
export function settleLateProof(
  effect: Effect,
  answer: PersonAnswer,
  nowMs: number,
): AnswerRefusal | { readonly kind: 'settled'; readonly effect: Effect; readonly receipt: ReceiptDraft } {
  const isAssumed = effect.state === 'FAILED' || effect.state === 'ABSENT';
  if (!isAssumed || answer.as !== 'confirmed') {
    return refuse(
      'not-a-late-proof',
      `the effect is ${effect.state}; only a FAILED or ABSENT one is confirmed by a late proof`,
    );
  }
  if (answer.evidence.trim() === '')
    return refuse('evidence-missing', 'say what shows it: evidence is part of the receipt');
  const seen = personOutcome(answer);
  const delta = {
    code: null,
    failureClass: null,
    output: answer.output ?? null,
    externalId: seen.externalId,
    settledAtMs: nowMs,
  };
  const confirmed = moveEffect(effect, 'CONFIRMED', delta);
  return {
    kind: 'settled',
    effect: confirmed,
    receipt: draftReceipt(confirmed, 'confirmed', seen, personObserver(answer)),
  };
}
