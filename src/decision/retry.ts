import type { RetryPolicy } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import { parseHttpDate } from './http-date.ts';

/** No own wait is longer than this, whatever delay, factor and jitter say: 30 days. */
export const RETRY_WAIT_MAX_MS = 30 * 24 * 3_600_000;
/** A provider's Retry-After is obeyed up to this long: one day. A longer one is cut, and the run shows as waiting until then. */
export const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

/**
 * How long to wait after the n-th failed attempt: min(cap, delay x factor^(n-1)) or the n-th of a list (its last repeats),
 * plus a share in [0, jitter] of it from a hash; a longer Retry-After wins, over the cap too.
 * @param n attempts made so far, from 1.
 * @param seed what the share is drawn from (the effect key): the same on every worker.
 * @param retryAfterMs the provider's wish in milliseconds, or null.
 * @returns whole milliseconds, 0 to `RETRY_WAIT_MAX_MS`.
 */
export function nextWaitMs(policy: RetryPolicy, n: number, seed: string, retryAfterMs: number | null): number {
  invariant(Number.isInteger(n) && n >= 1, 'waits are counted from the first attempt', { n });
  const own = ownWaitMs(policy, n);
  const jittered = Math.min(Math.round(own + own * policy.jitter * shareOf(seed, n)), RETRY_WAIT_MAX_MS);
  if (retryAfterMs === null) return jittered;
  return Math.max(jittered, Math.min(Math.ceil(retryAfterMs), RETRY_AFTER_MAX_MS));
}

function ownWaitMs(policy: RetryPolicy, n: number): number {
  const raw =
    typeof policy.delayMs === 'number'
      ? policy.delayMs * policy.factor ** (n - 1)
      : (policy.delayMs[Math.min(n, policy.delayMs.length) - 1] ?? 0);
  return Math.min(raw, policy.capMs ?? RETRY_WAIT_MAX_MS, RETRY_WAIT_MAX_MS);
}

/** A share in [0, 1) that depends on the seed and the number alone: 52 bits of a hash. */
export function shareOf(seed: string, n: number): number {
  return Number.parseInt(hashJson([seed, n]).slice(0, 13), 16) / 2 ** 52;
}

/** What a retry is decided on. */
export interface RetryAsk {
  readonly policy: RetryPolicy;
  /** Attempts made that count, the first included. */
  readonly attempts: number;
  readonly code: string | null;
  readonly class: string;
  /** Database time of the first attempt; `within` counts from it. */
  readonly firstAtMs: number;
  readonly nowMs: number;
  readonly seed: string;
  readonly retryAfterMs: number | null;
}

/**
 * When the next attempt may start, by the retry policy; its `when` is the caller's to ask.
 * @returns epoch milliseconds, or null when the policy has no room (attempts used up, not in `on`, or later than `within`).
 */
export function nextAttemptAtMs(ask: RetryAsk): number | null {
  return hasRetryOn(ask.policy, ask.code, ask.class) ? roomAtMs(ask) : null;
}

/** As `nextAttemptAtMs`, whatever `on` says: for an effect that is proved absent. */
export function roomAtMs(ask: RetryAsk): number | null {
  const { policy } = ask;
  if (policy.attempts !== null && ask.attempts >= policy.attempts) return null;
  const atMs = ask.nowMs + nextWaitMs(policy, Math.max(ask.attempts, 1), ask.seed, ask.retryAfterMs);
  if (policy.withinMs !== null && atMs > ask.firstAtMs + policy.withinMs) return null;
  return atMs;
}

/** Whether `on` names the code or the class; `any` names all. */
export function hasRetryOn(policy: RetryPolicy, code: string | null, failureClass: string): boolean {
  return policy.on.some((word) => word === 'any' || word === failureClass || word === code);
}

/**
 * Reads a Retry-After header: whole seconds, or an HTTP date counted from the answer's own Date header where it has a
 * readable one (the provider's clock against itself), else from `nowMs`. A date in the past is 0.
 * @returns milliseconds from the answer, at most `RETRY_AFTER_MAX_MS`; null for anything illegal, which is then ignored.
 */
export function parseRetryAfter(value: string | null, date: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MAX_MS);
  const atMs = parseHttpDate(text, nowMs);
  if (atMs === null) return null;
  const fromMs = date === null ? null : parseHttpDate(date.trim(), nowMs);
  return Math.min(Math.max(0, atMs - (fromMs ?? nowMs)), RETRY_AFTER_MAX_MS);
}
