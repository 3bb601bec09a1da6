import { describe, expect, it } from 'vitest';
import {
  chooseDoubt,
  type DoubtAsk,
  nextQuery,
  nextResendAtMs,
  quarantineEndsAtMs,
  REVIEW,
  resendsUntilMs,
  trustsRefusal,
} from '../../src/decision/doubt.ts';
import type { Idempotency } from '../../src/model/definition.ts';
import { authorized, contract, HOUR, NUMBERS, policy, RECONCILE, requested, T0 } from './ledger-fixtures.ts';

const NONE: Idempotency = { kind: 'none' };
const NATURAL: Idempotency = { kind: 'natural' };
const REMEMBERED: Idempotency = { kind: 'key', remembersMs: 10_000 };
const ask = (patch: Partial<DoubtAsk> = {}): DoubtAsk => ({
  effect: requested(),
  contract: contract(),
  policy: policy(),
  nowMs: T0 + 500,
  cause: 'lost',
  ...patch,
});

describe('what is done about an outcome that nobody knows', () => {
  it('E06: while the key is remembered the same bytes go again, 1 s after, then 2 s, 4 s … at most a minute apart', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    expect(chooseDoubt(ask())).toEqual({ doubt: 'resend', notBeforeMs: T0 + 1_500 });
    const waits = Array.from({ length: 9 }, (_, resends) => {
      const at = nextResendAtMs({ ...requested(), resends }, contract(), T0);
      return at === null ? null : at - T0;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('E06: no resend leaves later than 90 % of `remembers` after the first sending; then it is asked, else a person', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const short = contract({ idempotency: REMEMBERED });
    expect(resendsUntilMs(requested(), short)).toBe(T0 + 9_000);
    expect(chooseDoubt(ask({ contract: short, nowMs: T0 + 8_000 }))).toEqual({
      doubt: 'resend',
      notBeforeMs: T0 + 9_000,
    });
    expect(chooseDoubt(ask({ contract: short, nowMs: T0 + 8_001 }))).toEqual(REVIEW);
    const asked = contract({ idempotency: REMEMBERED, reconcile: RECONCILE });
    expect(chooseDoubt(ask({ contract: asked, nowMs: T0 + 8_001 }))).toEqual({
      doubt: 'query',
      notBeforeMs: T0 + 8_001,
    });
  });

  it('E06: a resend waits as long as the provider asks, but not longer than the key is remembered', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    expect(chooseDoubt(ask({ retryAfterMs: 90_000 }))).toEqual({ doubt: 'resend', notBeforeMs: T0 + 90_500 });
    expect(chooseDoubt(ask({ retryAfterMs: 100 }))).toEqual({ doubt: 'resend', notBeforeMs: T0 + 1_500 });
    expect(chooseDoubt(ask({ contract: contract({ idempotency: REMEMBERED }), retryAfterMs: 90_000 }))).toEqual(REVIEW);
  });

  it('E06: the time counts from the first sending, not from the last', () => {
    // E06: "Resends: 1 s, factor 2, cap 1 m, until 90 % of `remembers` since the first sending (`natural`: 24 h), then reconcile if declared, else review."
    const again = { ...requested(), firstRequestedAtMs: T0 - 8_000 };
    expect(chooseDoubt(ask({ effect: again, contract: contract({ idempotency: REMEMBERED }) }))).toEqual(REVIEW);
  });

  it('E06: what is harmless to repeat is repeated for 24 h', () => {
    // E06: "Resends: 1 s, factor 2, cap 1 m, until 90 % of `remembers` since the first sending (`natural`: 24 h), then reconcile if declared, else review."
    const natural = contract({ idempotency: NATURAL });
    expect(resendsUntilMs(requested(), natural)).toBe(T0 + 24 * HOUR);
    expect(chooseDoubt(ask({ contract: natural, nowMs: T0 + 24 * HOUR }))).toEqual(REVIEW);
  });

  it('E06: `onUnknown` says otherwise: reconcile asks first, review asks a person, resend is the default', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const asked = contract({ reconcile: RECONCILE });
    expect(chooseDoubt(ask({ contract: asked, policy: policy({ onUnknown: 'reconcile' }) }))).toEqual({
      doubt: 'query',
      notBeforeMs: T0 + 500,
    });
    expect(chooseDoubt(ask({ contract: asked, policy: policy({ onUnknown: 'review' }) }))).toEqual(REVIEW);
    expect(chooseDoubt(ask({ contract: asked, policy: policy({ onUnknown: 'resend' }) })).doubt).toBe('resend');
    expect(chooseDoubt(ask({ policy: policy({ onUnknown: 'reconcile' }) }))).toEqual(REVIEW);
  });

  it('E06: nothing else than a resend or a question is ever chosen for a row in doubt, and pending is never resent', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const asked = contract({ reconcile: RECONCILE });
    expect(chooseDoubt(ask({ contract: asked, cause: 'pending' }))).toEqual({
      doubt: 'query',
      notBeforeMs: T0 + 60_500,
    });
    expect(chooseDoubt(ask({ cause: 'pending' }))).toEqual(REVIEW);
  });

  it('E07: without a key that the provider keeps nothing is sent again: it is asked, else a person', () => {
    // E07: "`idempotency: none` without reconcile is never sent again after a sending whose outcome is not definite."
    const none = contract({ idempotency: NONE });
    expect(resendsUntilMs(requested(), none)).toBeNull();
    expect(chooseDoubt(ask({ contract: none }))).toEqual(REVIEW);
    expect(chooseDoubt(ask({ contract: none, policy: policy({ onUnknown: 'resend' }) }))).toEqual(REVIEW);
    expect(chooseDoubt(ask({ contract: contract({ idempotency: NONE, reconcile: RECONCILE }) })).doubt).toBe('query');
    expect(chooseDoubt(ask({ contract: contract({ idempotency: null }) }))).toEqual(REVIEW);
  });

  it('E15: a refusal after an unknown attempt is asked about, else a person; it is not sent again', () => {
    // E15: "else it stays UNKNOWN and goes to reconcile or review."
    expect(chooseDoubt(ask({ cause: 'refused' }))).toEqual(REVIEW);
    expect(chooseDoubt(ask({ cause: 'refused', contract: contract({ reconcile: RECONCILE }) })).doubt).toBe('query');
  });

  it('a row that was never requested is in no doubt', () => {
    expect(() => chooseDoubt(ask({ effect: authorized() }))).toThrow('was requested before');
  });
});

describe('whether "not now" is believed', () => {
  it('E07: it is for a remembered key and for natural, not for none, and not once the key is forgotten', () => {
    // E07: "503 and 429 count as definite for remembered keys and `natural`."
    expect(trustsRefusal(contract(), T0, T0 + 24 * HOUR)).toBe(true);
    expect(trustsRefusal(contract(), T0, T0 + 24 * HOUR + 1)).toBe(false);
    expect(trustsRefusal(contract(), null, T0)).toBe(true);
    expect(trustsRefusal(contract({ idempotency: NATURAL }), T0, T0 + 99 * HOUR)).toBe(true);
    expect(trustsRefusal(contract({ idempotency: NONE }), T0, T0)).toBe(false);
    expect(trustsRefusal(contract({ idempotency: NONE, reconcile: RECONCILE }), T0, T0)).toBe(false);
    expect(trustsRefusal(contract({ idempotency: null }), T0, T0)).toBe(false);
  });
});

describe('the quarantine', () => {
  it('E06: it ends when what was sent last can no longer take effect', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    expect(quarantineEndsAtMs(requested(), contract(), NUMBERS)).toBe(T0 + 5_000 + 120_000);
    expect(() => quarantineEndsAtMs(authorized(), contract(), NUMBERS)).toThrow('only a requested effect');
  });
});

describe('the next query', () => {
  const unknown = { ...requested(), state: 'UNKNOWN' as const, doubt: 'query' as const, doubtSinceMs: T0 };
  const asked = contract({ reconcile: RECONCILE });
  const base = { effect: unknown, contract: asked, numbers: NUMBERS, notFound: false };

  it('E06: it comes `every` after, until `giveUp` since asking began; then a person', () => {
    // E06: "Resends: 1 s, factor 2, cap 1 m, until 90 % of `remembers` since the first sending (`natural`: 24 h), then reconcile if declared, else review."
    expect(nextQuery({ ...base, nowMs: T0 })).toEqual({ doubt: 'query', notBeforeMs: T0 + 60_000 });
    const last = T0 + 24 * HOUR - 60_000;
    expect(nextQuery({ ...base, nowMs: last })).toEqual({ doubt: 'query', notBeforeMs: T0 + 24 * HOUR });
    expect(nextQuery({ ...base, nowMs: last + 1 })).toEqual(REVIEW);
  });

  it('E06: "not found" inside the quarantine is asked again as soon as the answer counts', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const countsFrom = T0 + 125_001;
    expect(nextQuery({ ...base, nowMs: T0 + 100_000, notFound: true }).notBeforeMs).toBe(countsFrom);
    expect(nextQuery({ ...base, nowMs: T0 + 10_000, notFound: true }).notBeforeMs).toBe(T0 + 70_000);
    const never = contract({ reconcile: { ...RECONCILE, absent: 'never' } });
    expect(nextQuery({ ...base, contract: never, nowMs: T0 + 100_000, notFound: true }).notBeforeMs).toBe(T0 + 160_000);
    expect(nextQuery({ ...base, nowMs: countsFrom, notFound: true }).notBeforeMs).toBe(countsFrom + 60_000);
  });

  it('E06: it is not given up before the first answer that counts', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const impatient = contract({ reconcile: { ...RECONCILE, everyMs: HOUR, giveUpMs: 1_000 } });
    expect(nextQuery({ ...base, contract: impatient, nowMs: T0, notFound: true }).notBeforeMs).toBe(T0 + 125_001);
    expect(nextQuery({ ...base, contract: impatient, nowMs: T0 })).toEqual(REVIEW);
  });

  it('leaves a review with the person, and an action without reconcile too', () => {
    expect(nextQuery({ ...base, effect: { ...unknown, doubt: 'review' }, nowMs: T0 })).toEqual(REVIEW);
    expect(nextQuery({ ...base, contract: contract(), nowMs: T0 })).toEqual(REVIEW);
    expect(nextQuery({ ...base, effect: { ...unknown, doubtSinceMs: null }, nowMs: T0 }).doubt).toBe('query');
  });
});
