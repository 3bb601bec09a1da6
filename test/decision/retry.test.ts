import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  hasRetryOn,
  nextAttemptAtMs,
  nextWaitMs,
  parseRetryAfter,
  RETRY_AFTER_MAX_MS,
  RETRY_WAIT_MAX_MS,
  type RetryAsk,
  roomAtMs,
} from '../../src/decision/retry.ts';
import { retryPolicy, T0 } from './ledger-fixtures.ts';

const waits = (policy: ReturnType<typeof retryPolicy>, count: number): number[] =>
  Array.from({ length: count }, (_, index) => nextWaitMs(policy, index + 1, 'key', null));

describe('waits between attempts', () => {
  it('case 35: delay 10 s and factor 2 wait 10, 20, 40 s', () => {
    expect(waits(retryPolicy({ delayMs: 10_000, factor: 2 }), 3)).toEqual([10_000, 20_000, 40_000]);
  });

  it('cuts at the cap', () => {
    expect(waits(retryPolicy({ delayMs: 2_000, factor: 2, capMs: 3_000 }), 3)).toEqual([2_000, 3_000, 3_000]);
    expect(waits(retryPolicy({ delayMs: [4_000, 8_000], capMs: 5_000 }), 2)).toEqual([4_000, 5_000]);
  });

  it('takes the n-th of a list, and its last again and again', () => {
    expect(waits(retryPolicy({ delayMs: [1_000, 5_000, 60_000] }), 5)).toEqual([1_000, 5_000, 60_000, 60_000, 60_000]);
    expect(waits(retryPolicy({ delayMs: [] }), 2)).toEqual([0, 0]);
  });

  it('adds a share in [0, jitter] of the capped wait, never less, the same for the same key and number', () => {
    const policy = retryPolicy({ delayMs: 60_000, jitter: 0.5 });
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 500 }), (seed, n) => {
        const wait = nextWaitMs(policy, n, seed, null);
        expect(wait).toBeGreaterThanOrEqual(60_000);
        expect(wait).toBeLessThanOrEqual(90_000);
        expect(nextWaitMs(policy, n, seed, null)).toBe(wait);
      }),
    );
    const spread = new Set(Array.from({ length: 50 }, (_, n) => nextWaitMs(policy, 1, `key-${n}`, null)));
    expect(spread.size).toBeGreaterThan(40);
  });

  it('without jitter waits exactly the delay', () => {
    expect(nextWaitMs(retryPolicy({ delayMs: 30_000 }), 1, 'key', null)).toBe(30_000);
  });

  it('stays finite, positive and bounded at the seventieth attempt', () => {
    const policy = retryPolicy({ delayMs: 1_000, factor: 2, jitter: 1 });
    expect(nextWaitMs(policy, 70, 'key', null)).toBe(RETRY_WAIT_MAX_MS);
    expect(nextWaitMs(policy, 5_000, 'key', null)).toBe(RETRY_WAIT_MAX_MS);
    expect(nextWaitMs({ ...policy, capMs: 40 * RETRY_WAIT_MAX_MS }, 70, 'key', null)).toBe(RETRY_WAIT_MAX_MS);
  });

  it('case 36: a Retry-After longer than the own wait wins over the cap, a shorter one does not, a year is cut to a day', () => {
    const policy = retryPolicy({ delayMs: 1_000, capMs: 10_000 });
    expect(nextWaitMs(policy, 1, 'key', 120_000)).toBe(120_000);
    expect(nextWaitMs(policy, 1, 'key', 400)).toBe(1_000);
    expect(nextWaitMs(policy, 1, 'key', 31_536_000_000)).toBe(RETRY_AFTER_MAX_MS);
  });

  it('counts from the first attempt', () => {
    expect(() => nextWaitMs(retryPolicy(), 0, 'key', null)).toThrow('from the first attempt');
    expect(() => nextWaitMs(retryPolicy(), 1.5, 'key', null)).toThrow('from the first attempt');
  });
});

describe('room for another attempt', () => {
  const ask = (patch: Partial<RetryAsk> = {}): RetryAsk => ({
    policy: retryPolicy({ attempts: 3, delayMs: 1_000 }),
    attempts: 1,
    code: 'http-503',
    class: 'unavailable',
    firstAtMs: T0,
    nowMs: T0 + 100,
    seed: 'key',
    retryAfterMs: null,
    ...patch,
  });
  const callsWith = (attempts: number | null): number => {
    let calls = 1;
    while (calls < 50 && nextAttemptAtMs(ask({ policy: retryPolicy({ attempts }), attempts: calls })) !== null)
      calls += 1;
    return calls;
  };

  it('case 33: attempts 3 are three calls with the first, 1 is one, forever does not end', () => {
    expect(callsWith(3)).toBe(3);
    expect(callsWith(1)).toBe(1);
    expect(callsWith(null)).toBe(50);
  });

  it('starts the next one after the wait', () => {
    expect(nextAttemptAtMs(ask())).toBe(T0 + 1_100);
    expect(nextAttemptAtMs(ask({ retryAfterMs: 120_000 }))).toBe(T0 + 120_100);
  });

  it('starts none later than `within` after the first', () => {
    const policy = retryPolicy({ attempts: null, delayMs: 1_000, withinMs: 5_000 });
    expect(nextAttemptAtMs(ask({ policy, nowMs: T0 + 4_000 }))).toBe(T0 + 5_000);
    expect(nextAttemptAtMs(ask({ policy, nowMs: T0 + 4_001 }))).toBeNull();
  });

  it('asks `on` for the code or the class', () => {
    expect(nextAttemptAtMs(ask({ class: 'rejected', code: 'busy' }))).toBeNull();
    expect(hasRetryOn(retryPolicy({ on: ['busy'] }), 'busy', 'rejected')).toBe(true);
    expect(hasRetryOn(retryPolicy({ on: ['rejected'] }), 'busy', 'rejected')).toBe(true);
    expect(hasRetryOn(retryPolicy({ on: ['any'] }), null, 'rejected')).toBe(true);
    expect(hasRetryOn(retryPolicy({ on: [] }), null, 'rejected')).toBe(false);
  });

  it('has room for what is proved absent whatever `on` says, within the same bounds', () => {
    expect(roomAtMs(ask({ class: 'absent', code: 'absent' }))).toBe(T0 + 1_100);
    expect(roomAtMs(ask({ class: 'absent', attempts: 3 }))).toBeNull();
    expect(roomAtMs(ask({ class: 'absent', attempts: 0 }))).toBe(T0 + 1_100);
  });
});

describe('Retry-After', () => {
  const DATE = 'Fri, 15 Jan 2027 08:00:00 GMT';

  it('reads whole seconds, and cuts a year to the documented day', () => {
    expect(parseRetryAfter('120', null, T0)).toBe(120_000);
    expect(parseRetryAfter(' 0 ', null, T0)).toBe(0);
    expect(parseRetryAfter('31536000', null, T0)).toBe(RETRY_AFTER_MAX_MS);
    expect(parseRetryAfter('9'.repeat(400), null, T0)).toBe(RETRY_AFTER_MAX_MS);
  });

  it("reads a date against the answer's own Date header, else against the database time", () => {
    expect(parseRetryAfter('Fri, 15 Jan 2027 08:05:00 GMT', DATE, T0 + 999_999)).toBe(300_000);
    expect(parseRetryAfter('Fri, 15 Jan 2027 08:05:00 GMT', null, T0 + 60_000)).toBe(240_000);
    expect(parseRetryAfter('Fri, 15 Jan 2027 08:05:00 GMT', 'soon', T0 + 60_000)).toBe(240_000);
  });

  it('takes a date in the past as now and one in a year as a day', () => {
    expect(parseRetryAfter('Fri, 15 Jan 2027 07:00:00 GMT', DATE, T0)).toBe(0);
    expect(parseRetryAfter('Sat, 15 Jan 2028 08:00:00 GMT', DATE, T0)).toBe(RETRY_AFTER_MAX_MS);
  });

  it.each([null, '', '-1', 'abc', '1.5', '1e3', '0x10', 'tomorrow', '١٢'])('ignores "%s"', (value) => {
    expect(parseRetryAfter(value, DATE, T0)).toBeNull();
  });
});
