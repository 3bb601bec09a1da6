import { chooseDoubt, trustsRefusal } from '../../decision/doubt.ts';
import type { EffectPolicy } from '../../decision/effect-policy.ts';
import { compensationIngredients } from '../../decision/effect-key.ts';
import { OPERATORS } from '../../decision/hold-step.ts';
import { proposeEffect } from '../../decision/propose-effect.ts';
import { roomAtMs } from '../../decision/retry.ts';
import { REVIEW_ANSWERS } from '../../decision/settlement.ts';
import type { ActionContract, RetryPolicy } from '../../model/definition.ts';
import type { Effect } from '../../model/effect.ts';
import type { EffectKey } from '../../model/ids.ts';
import { templateWords } from './template-words.ts';

/** How often an effect may be sent, and what is done when nobody knows whether it happened; times in milliseconds. */
export interface ExplainedSending {
  /** Calls by the retry policy, the first included; null where only success or a refusal ends them. */
  readonly attempts: number | null;
  /** No attempt starts later than this after the first; null = no bound. */
  readonly withinMs: number | null;
  /** Codes and classes after which the next attempt follows. */
  readonly retriesOn: readonly string[];
  /** CEL that must hold, too, before a failed attempt is followed by another; null where nothing is asked. */
  readonly retriesWhen: string | null;
  /** Whether it is tried again, as the policy has room, when it is proved that it never happened. */
  readonly repeatsAbsent: boolean;
  /** A statement is committed with the run: no answer of it is lost (E13). Absent for all that is sent. */
  readonly isCommitted?: true;
  /** Remote workers pull it from this queue. Absent for all that is sent from here. */
  readonly queue?: { readonly name: string; readonly waitMs: number | null };
  /** Whether 429 and 503 prove that nothing happened. */
  readonly trustsRefusal: boolean;
  /** Sendings of the same bytes after a lost answer, beside the attempts; null where it is never sent again unasked. */
  readonly resends: { readonly calls: number; readonly forMs: number } | null;
  /** What follows: the provider is asked; null where it cannot be, or is not to be. */
  readonly asks: { readonly everyMs: number; readonly giveUpMs: number; readonly absentIsProof: boolean } | null;
  /** When at the latest nothing but a person's word helps, counted from the first sending, and who may give which. */
  readonly review: {
    readonly afterMs: number;
    readonly from: readonly string[];
    readonly answers: readonly string[];
  };
  /** What a refusal means that comes after a lost answer and that the action does not name. */
  readonly refusedInDoubt: 'asks' | 'review';
}

/** More attempts than these are not counted: what stops them is time. */
const COUNTED_MAX = 10_000;

/** Explains how an effect is sent, by the functions that decide it when it is. */
export function explainSending(contract: ActionContract, policy: EffectPolicy): ExplainedSending {
  const { retry } = policy;
  const { calls, atMs, next } = resendsOf(contract, policy);
  const asks = next === 'query' ? asksOf(contract) : null;
  const refused = chooseDoubt({ effect: sentOnce(0), contract, policy, nowMs: 0, cause: 'refused' });
  return {
    attempts: attemptsOf(retry),
    withinMs: retry.withinMs,
    retriesOn: retry.on,
    retriesWhen: retry.when?.source ?? null,
    repeatsAbsent: retry.attempts !== 1 && (contract.idempotency?.kind !== 'none' || contract.reconcile !== null),
    trustsRefusal: trustsRefusal(contract, 0, 0),
    resends: calls === 0 ? null : { calls, forMs: atMs },
    asks,
    review: { afterMs: atMs + (asks?.giveUpMs ?? 0), ...reviewersOf(policy) },
    refusedInDoubt: refused.doubt === 'query' ? 'asks' : 'review',
    ...ofStatement(contract),
    ...ofQueue(contract, policy),
  };
}

/** What is said of a statement otherwise: whatever the database refuses is not done. */
function ofStatement({ transport }: ActionContract): Partial<ExplainedSending> {
  return transport.kind === 'sql' ? { isCommitted: true, trustsRefusal: true } : {};
}

/** What is pulled is told whether it happened, so no refusal of it is in doubt. */
function ofQueue({ transport }: ActionContract, { waitMs }: EffectPolicy): Partial<ExplainedSending> {
  if (transport.kind !== 'worker') return {};
  return { queue: { name: transport.queue, waitMs }, trustsRefusal: true };
}

function asksOf({ reconcile }: ActionContract): ExplainedSending['asks'] {
  if (reconcile === null) return null;
  const { everyMs, giveUpMs, absent } = reconcile;
  return { everyMs, giveUpMs, absentIsProof: absent === 'final' };
}

function reviewersOf({ review }: EffectPolicy): Pick<ExplainedSending['review'], 'from' | 'answers'> {
  if (review === null) return { from: OPERATORS, answers: REVIEW_ANSWERS };
  return { from: review.from.map(templateWords), answers: review.options };
}

/** As many as fit when every attempt fails at once and no wait is drawn out. */
function attemptsOf(retry: RetryPolicy): number | null {
  if (retry.withinMs === null) return retry.attempts;
  const policy = { ...retry, jitter: 0 };
  let nowMs = 0;
  for (let attempts = 1; attempts < COUNTED_MAX; attempts += 1) {
    const ask = { policy, attempts, code: null, class: '', firstAtMs: 0, nowMs, seed: '', retryAfterMs: null };
    const atMs = roomAtMs(ask);
    if (atMs === null) return attempts;
    nowMs = atMs;
  }
  return retry.attempts;
}

interface Resends {
  readonly calls: number;
  readonly atMs: number;
  readonly next: 'query' | 'review';
}

/** As many as fit when every answer is lost at once. */
function resendsOf(contract: ActionContract, policy: EffectPolicy): Resends {
  let atMs = 0;
  for (let calls = 0; ; calls += 1) {
    const { doubt, notBeforeMs } = chooseDoubt({
      effect: sentOnce(calls),
      contract,
      policy,
      nowMs: atMs,
      cause: 'lost',
    });
    if (doubt !== 'resend') return { calls, atMs, next: doubt === 'query' ? doubt : 'review' };
    atMs = notBeforeMs ?? atMs;
  }
}

/** A row whose first sending was at 0, and what came of it and of so many resends is not known. */
function sentOnce(resends: number): Effect {
  return { ...BLANK, firstRequestedAtMs: 0, requestedAtMs: 0, resends };
}

const BLANK = proposeEffect({
  ingredients: compensationIngredients('' as EffectKey, 0),
  step: '',
  frames: [],
  request: { action: '', contract: 1, method: null, url: null, headers: {}, function: null, with: null, body: null },
  pivot: false,
  state: 'PROPOSED',
  approvalId: null,
  compensates: null,
});
