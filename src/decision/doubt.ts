import type { ActionContract } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Numbers } from '../model/numbers.ts';
import { REMEMBERED_SHARE } from '../model/remembered-share.ts';
import type { EffectPolicy } from './effect-policy.ts';

/** The first resend comes after this, each later one after twice the wait before it (rule E06). */
export const RESEND_DELAY_MS = 1_000;
/** No two resends are further apart than this. */
export const RESEND_CAP_MS = 60_000;
/** How long an act that is harmless to repeat is repeated. */
export const NATURAL_RESENDS_MS = 24 * 3_600_000;

/** What is decided about a row whose outcome nobody knows. */
export interface Doubt {
  readonly doubt: 'resend' | 'query' | 'review' | 'event';
  /** Not resent or asked before; null for what waits for a person or for the word of a child. */
  readonly notBeforeMs: number | null;
}

/** What a doubt is decided on; `effect` as it was REQUESTED last. */
export interface DoubtAsk {
  readonly effect: Effect;
  readonly contract: ActionContract;
  readonly policy: Pick<EffectPolicy, 'onUnknown'>;
  readonly nowMs: number;
  /**
   * `lost`: no definite answer. `pending`: accepted, not done. `refused`: the same bytes would only be told the same again
   * (a refusal after an unknown attempt, E15; the same unreadable answer twice, E12), or do it again (P14).
   */
  readonly cause: 'lost' | 'pending' | 'refused';
  /** The provider's wish to wait, milliseconds; a resend respects it. */
  readonly retryAfterMs?: number | null;
}

/**
 * What to do with a row that became UNKNOWN (rules E06, E07, E15): send the same bytes again while the provider remembers
 * the key (never for `pending`, never after a refusal that proves nothing), else ask, else a person.
 */
export function chooseDoubt(ask: DoubtAsk): Doubt {
  const { effect, contract, policy, nowMs, cause } = ask;
  if (contract.transport.kind === 'child') return { doubt: 'event', notBeforeMs: null };
  if (policy.onUnknown === 'review') return REVIEW;
  const mayResend = cause === 'lost' && policy.onUnknown !== 'reconcile';
  const resendAtMs = mayResend ? nextResendAtMs(effect, contract, nowMs, ask.retryAfterMs ?? 0) : null;
  if (resendAtMs !== null) return { doubt: 'resend', notBeforeMs: resendAtMs };
  if (contract.reconcile === null) return REVIEW;
  return { doubt: 'query', notBeforeMs: cause === 'pending' ? nowMs + contract.reconcile.everyMs : nowMs };
}

/** Waits for a person. */
export const REVIEW: Doubt = { doubt: 'review', notBeforeMs: null };

/**
 * When the same bytes may go again: 1 s after the outcome was lost, then 2 s, 4 s … at most 1 m apart (later if the
 * provider asks for it), until 90 % of `remembers` since the first sending (`natural`: 24 h).
 * @returns epoch milliseconds, or null when it may not be sent again without asking first.
 */
export function nextResendAtMs(
  effect: Effect,
  contract: ActionContract,
  nowMs: number,
  retryAfterMs = 0,
): number | null {
  const untilMs = resendsUntilMs(effect, contract);
  const atMs = nowMs + Math.max(Math.min(RESEND_DELAY_MS * 2 ** effect.resends, RESEND_CAP_MS), retryAfterMs);
  return untilMs !== null && atMs <= untilMs ? atMs : null;
}

/** The last instant at which a resend may leave; null where the provider keeps no key (`none`). */
export function resendsUntilMs(effect: Effect, contract: ActionContract): number | null {
  const forMs = rememberedForMs(contract);
  if (forMs === null || forMs.kind === 'never') return null;
  const firstMs = effect.firstRequestedAtMs;
  invariant(firstMs !== null, 'an effect in doubt was requested before', { key: effect.key });
  return firstMs + (forMs.kind === 'natural' ? NATURAL_RESENDS_MS : Math.floor(forMs.ms * REMEMBERED_SHARE));
}

type Memory = { readonly kind: 'natural' } | { readonly kind: 'never' } | { readonly kind: 'key'; readonly ms: number };

function rememberedForMs(contract: ActionContract): Memory | null {
  const { idempotency } = contract;
  if (idempotency === null) return null;
  if (idempotency.kind === 'natural') return { kind: 'natural' };
  if (idempotency.kind === 'none') return { kind: 'never' };
  return { kind: 'key', ms: idempotency.remembersMs };
}

/**
 * Whether a 503 or 429 counts as definitely not happened (rule E07): for a key that the provider still remembers and for
 * `natural`; past `remembers` a key counts as `none`.
 * @param firstAtMs database time of the first sending; null before it.
 */
export function trustsRefusal(contract: ActionContract, firstAtMs: number | null, nowMs: number): boolean {
  const memory = rememberedForMs(contract);
  if (memory === null || memory.kind === 'never') return false;
  return memory.kind === 'natural' || nowMs <= (firstAtMs ?? nowMs) + memory.ms;
}

/**
 * The end of the quarantine: before it "not found" proves nothing, and a review is not answerable (rule E06).
 * @throws PAWL_INVARIANT for a row that was never requested.
 */
export function quarantineEndsAtMs(
  effect: Effect,
  contract: ActionContract,
  numbers: Pick<Numbers, 'sendWithinMs'>,
): number {
  invariant(effect.requestedAtMs !== null, 'only a requested effect has a quarantine', { key: effect.key });
  const { queue, sendByMs } = effect;
  // Until the end of its lease a remote worker may begin; a sending of our own begins within `sendWithin`.
  const begunByMs = queue === undefined || sendByMs === null ? effect.requestedAtMs + numbers.sendWithinMs : sendByMs;
  return begunByMs + contract.settlesWithinMs;
}

/** What a query that proved nothing is followed by. */
export interface NextQueryAsk {
  readonly effect: Effect;
  readonly contract: ActionContract;
  readonly numbers: Pick<Numbers, 'sendWithinMs'>;
  readonly nowMs: number;
  /** "Not found" inside the quarantine: asked again as soon as the answer counts. */
  readonly notFound: boolean;
}

/** The next query after one that proved nothing: `every` later, until `giveUp` since asking began; then a person. */
export function nextQuery(ask: NextQueryAsk): Doubt {
  const { effect, contract, nowMs } = ask;
  const { reconcile } = contract;
  if (reconcile === null || effect.doubt === 'review') return REVIEW;
  const countsFromMs = quarantineEndsAtMs(effect, contract, ask.numbers) + 1;
  const isEarly = ask.notFound && reconcile.absent === 'final' && countsFromMs > nowMs;
  const atMs = isEarly ? Math.min(nowMs + reconcile.everyMs, countsFromMs) : nowMs + reconcile.everyMs;
  const untilMs = (effect.doubtSinceMs ?? nowMs) + reconcile.giveUpMs;
  // However short `giveUp` is, the first answer that counts is waited for.
  return atMs > Math.max(untilMs, isEarly ? countsFromMs : 0) ? REVIEW : { doubt: 'query', notBeforeMs: atMs };
}
