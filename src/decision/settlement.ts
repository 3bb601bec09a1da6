import type { ActionContract } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { StepOutcome } from '../model/kernel.ts';
import type { Numbers } from '../model/numbers.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Failure } from '../model/run.ts';
import type { ReviewAnswer } from '../model/statuses.ts';
import { chooseDoubt, type Doubt, type DoubtAsk } from './doubt.ts';
import { moveEffect, touchEffect } from './effect-lifecycle.ts';
import type { EffectPolicy } from './effect-policy.ts';
import { codeOf, failureClassOf, failureOf } from './failure-of.ts';
import { FORGOTTEN } from './judge-outcome.ts';
import type { ReceiptDraft } from './receipt.ts';
import { type RetryAsk, roomAtMs } from './retry.ts';

/** What a row is settled with; all times from the database. */
export interface Settling {
  readonly effect: Effect;
  readonly contract: ActionContract;
  readonly policy: EffectPolicy;
  readonly numbers: Pick<Numbers, 'sendWithinMs'>;
  readonly nowMs: number;
  /** False once the run or the step only settles (cancel, deadline, drain): no retry starts, what is open is settled. */
  readonly retrying: boolean;
  /** The policy's `when`, asked by the caller who can evaluate it; absent = true. */
  readonly mayRetry?: (failure: Failure) => boolean;
}

/** What a settling changes. The caller issues the receipt (`issueReceipt`), which puts its number on the row. */
export interface Settlement {
  readonly effect: Effect;
  /** Null while the row is open. */
  readonly receipt: ReceiptDraft | null;
  /** What the machine is told, once (E09); null while the row is open. */
  readonly settled: StepOutcome | null;
  /** What the step came to where that is not what its effect has: the time of a child was over; absent = the same. */
  readonly step?: StepOutcome;
  /** When a worker must act on the row again; null when it is settled or waits for a person. */
  readonly retryAtMs: number | null;
  /** A person is needed: the outcome is in review. */
  readonly incident: ReviewIncident | null;
  /** An answer that cannot be read, to be filed as an observation: no receipt holds its bytes (E12). */
  readonly unreadable?: { readonly resultBase64: string; readonly message: string } | null;
}

/** What the incident of a review says; the caller adds id, step and who may act. */
export interface ReviewIncident {
  readonly kind: 'unknown';
  readonly message: string;
  readonly acts: readonly ReviewAnswer[];
}

/** Who saw the outcome, and for a person with which evidence. */
export interface Observer {
  readonly by: 'response' | 'query' | 'webhook' | 'person';
  readonly evidence: Json;
}

/** All answers of a review whose step names none. */
export const REVIEW_ANSWERS = ['confirmed', 'absent', 'rejected', 'keep-waiting'] as const;

const CLOSED = { doubt: null, notBeforeMs: null, unknownSinceMs: null, doubtSinceMs: null } as const;

/** The row is CONFIRMED: receipt, output, and `ok` for the machine. */
export function confirm(settling: Settling, outcome: Outcome, observer: Observer): Settlement {
  const effect = moveEffect(settling.effect, 'CONFIRMED', {
    ...CLOSED,
    code: null,
    failureClass: null,
    lastError: null,
    output: outcome.output ?? null,
    externalId: outcome.externalId,
    settledAtMs: settling.nowMs,
  });
  return settled(effect, draftReceipt(effect, 'confirmed', outcome, observer));
}

/** The row is FAILED for good: receipt, and the failure for the machine. */
export function fail(settling: Settling, outcome: Outcome, observer: Observer): Settlement {
  const effect = moveEffect(settling.effect, 'FAILED', {
    ...CLOSED,
    code: codeOf(outcome),
    failureClass: failureClassOf(outcome),
    lastError: outcome.message,
    output: outcome.output,
    settledAtMs: settling.nowMs,
  });
  return settled(effect, draftReceipt(effect, 'failed', outcome, observer));
}

/**
 * The act is proved never to have happened: sent again if the retry policy has room, else ABSENT; a compensation without
 * room is FAILED with code `absent`, so that a person can retry, mark or waive it like any refused one (R16).
 * An act that the provider once accepted (`pending`) is never sent again.
 */
export function settleAbsent(settling: Settling, outcome: Outcome, observer: Observer): Settlement {
  const { effect } = settling;
  const told: Outcome = { ...outcome, code: 'absent' };
  if (effect.code === FORGOTTEN && settling.retrying) return authorizeAgain(cleared(settling), told, settling.nowMs);
  const mayRepeat = settling.retrying && effect.code !== 'pending' && allows(settling, told);
  const atMs = mayRepeat ? roomAtMs(retryAsk(settling, told)) : null;
  if (atMs !== null) return authorizeAgain(settling, told, atMs);
  if (effect.compensates !== null) return fail(settling, told, observer);
  const absent = moveEffect(effect, 'ABSENT', {
    ...CLOSED,
    code: 'absent',
    failureClass: 'absent',
    lastError: outcome.message,
    settledAtMs: settling.nowMs,
  });
  return settled(absent, draftReceipt(absent, 'absent', told, observer));
}

/** Lost commits have not sent it (P14): what was never sent here, either, has never been in doubt, and no retry is used up. */
function cleared(settling: Settling): Settling {
  const { effect, nowMs } = settling;
  return { ...settling, effect: { ...effect, clearedAtMs: nowMs, everUnknown: effect.firstRequestedAtMs !== null } };
}

/** Definitely not happened, and a retry is due: AUTHORIZED, not before `atMs`. */
export function authorizeAgain(settling: Settling, outcome: Outcome, atMs: number): Settlement {
  const effect = moveEffect(settling.effect, 'AUTHORIZED', {
    ...CLOSED,
    code: codeOf(outcome),
    lastError: outcome.message,
    notBeforeMs: atMs,
  });
  return open(effect, settling.policy);
}

/** Nobody knows: UNKNOWN, and what is done about it. */
export function enterDoubt(settling: Settling, outcome: Outcome, cause: DoubtAsk['cause']): Settlement {
  const { effect, contract, policy, nowMs } = settling;
  const { retryAfterMs } = outcome;
  const isRepeated = outcome.code === 'unreadable' && effect.code === 'unreadable';
  const doubt = chooseDoubt({ effect, contract, policy, nowMs, cause: isRepeated ? 'refused' : cause, retryAfterMs });
  const code = cause === 'pending' ? pendingCode(settling) : codeOf(outcome);
  const unknown = moveEffect(effect, 'UNKNOWN', {
    ...sinceOf(effect, doubt, nowMs),
    ...doubt,
    everUnknown: true,
    code,
    lastError: outcome.message,
    unknownSinceMs: effect.unknownSinceMs ?? nowMs,
  });
  return { ...open(unknown, policy), unreadable: unreadableOf(effect, outcome) };
}

/** A child that was told to end before it was known to run stays told. */
function pendingCode({ effect, contract }: Settling): string {
  return contract.transport.kind === 'child' ? (effect.code ?? 'pending') : 'pending';
}

/** What of an answer is to be filed: the same unreadable one only once (E12). */
export function unreadableOf(before: Effect, outcome: Outcome): NonNullable<Settlement['unreadable']> | null {
  const { code, message, resultBase64 } = outcome;
  return code === 'unreadable' && before.lastError !== message ? { resultBase64, message } : null;
}

/** A row that stays UNKNOWN with another next act. */
export function stayInDoubt(settling: Settling, doubt: Doubt, facts: Pick<Effect, 'code' | 'lastError'>): Settlement {
  const { effect, policy, nowMs } = settling;
  return open(touchEffect(effect, { ...sinceOf(effect, doubt, nowMs), ...doubt, ...facts }), policy);
}

/** A change of the way of finding out starts its clock again. */
function sinceOf(effect: Effect, doubt: Doubt, nowMs: number): Pick<Effect, 'doubtSinceMs'> {
  const isSame = effect.doubtSinceMs !== null && effect.doubt === doubt.doubt;
  return { doubtSinceMs: isSame ? effect.doubtSinceMs : nowMs };
}

/** What the retry policy is asked, for an outcome. */
export function retryAsk(settling: Settling, outcome: Outcome): RetryAsk {
  const { effect, policy, nowMs } = settling;
  const { firstRequestedAtMs: firstAtMs } = effect;
  invariant(firstAtMs !== null, 'what is sent again was sent before', { key: effect.key });
  return {
    policy: policy.retry,
    attempts: effect.countedAttempts,
    code: outcome.code,
    class: failureClassOf(outcome),
    firstAtMs,
    nowMs,
    seed: effect.key,
    retryAfterMs: outcome.retryAfterMs,
  };
}

/** Whether the policy's `when` lets this failure be retried. */
export function allows(settling: Settling, outcome: Outcome): boolean {
  return settling.mayRetry?.(failureOf(settling.effect, outcome)) ?? true;
}

/** What the machine is told of a settled row; a re-entered step gets the same again. */
export function stepOutcomeOf(effect: Effect): StepOutcome {
  const attempts = callsOf(effect);
  if (effect.state === 'CONFIRMED') return { ok: true, output: effect.output ?? null, attempts };
  const failure: Failure = {
    code: effect.code ?? effect.state.toLowerCase(),
    class: effect.failureClass ?? 'refused',
    message: effect.lastError ?? `the effect is ${effect.state}`,
    step: effect.step,
    data: effect.output ?? null,
    cause: null,
  };
  return { ok: false, failure, attempts };
}

/** Calls that were made, resends included and those that never left excluded. */
export function callsOf(effect: Effect): number {
  return effect.countedAttempts + effect.resends;
}

function settled(effect: Effect, receipt: ReceiptDraft): Settlement {
  return { effect, receipt, settled: stepOutcomeOf(effect), retryAtMs: null, incident: null };
}

function open(effect: Effect, policy: EffectPolicy): Settlement {
  const { doubt, lastError, notBeforeMs: retryAtMs } = effect;
  invariant(lastError !== null, 'a row is open again and does not say why', { key: effect.key });
  const incident: ReviewIncident = {
    kind: 'unknown',
    message: `nobody knows whether it happened: ${lastError}`,
    acts: policy.review?.options ?? REVIEW_ANSWERS,
  };
  return { effect, receipt: null, settled: null, retryAtMs, incident: doubt === 'review' ? incident : null };
}

/** A receipt's content from a settled row, whose word it repeats (E10), and what was seen. */
export function draftReceipt(
  effect: Effect,
  outcome: ReceiptDraft['outcome'],
  seen: Pick<Outcome, 'resultBase64'>,
  observer: Observer,
): ReceiptDraft {
  const { settledAtMs } = effect;
  invariant(settledAtMs !== null, 'a receipt is of a settled effect', { key: effect.key });
  return {
    effectKey: effect.key,
    attempt: effect.attempt,
    outcome,
    code: effect.code,
    requestHash: effect.requestHash,
    externalId: effect.externalId,
    resultBase64: seen.resultBase64,
    observedBy: observer.by,
    evidence: observer.evidence,
    approvalId: effect.approvalId,
    contract: effect.contract,
    requestedAtMs: effect.requestedAtMs,
    settledAtMs,
  };
}
