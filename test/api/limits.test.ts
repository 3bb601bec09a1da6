import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/api-error.ts';
import { Buckets, GUESSES_PER_SECOND, Limits } from '../../src/api/limits.ts';
import { refusalsOf } from '../../src/api/open-api.ts';
import { problemAnswer } from '../../src/api/problem-json.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { openApiHouse } from './support/api-house.ts';

/** A clock that is set by hand. */
function handClock() {
  const clock = { nowMs: 5_000, monotonicMs: () => clock.nowMs };
  return clock;
}

/** How many of so many calls are let through. */
function letThrough(times: number, call: () => void): number {
  let count = 0;
  for (let time = 0; time < times; time += 1) {
    try {
      call();
      count += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return count;
}

function answerOf(call: () => void) {
  try {
    call();
  } catch (error) {
    return problemAnswer(error, { requestId: 'r', path: '/' });
  }
  return null;
}

describe('a bucket', () => {
  it('gives two seconds of calls at once, then as many as the time that passes brings, and no more after a long rest', () => {
    const buckets = new Buckets(10);
    const taken = (times: number, nowMs: number): number =>
      Array.from({ length: times }, () => buckets.take('ana', nowMs)).filter(({ isAllowed }) => isAllowed).length;
    expect(taken(50, 0)).toBe(20);
    expect(buckets.take('ana', 0)).toEqual({ isAllowed: false, waitMs: 100 });
    expect(taken(50, 300)).toBe(3);
    expect(taken(50, 1_000_000)).toBe(20);
  });

  it('is one for each name, and remembers no more names than it may', () => {
    const buckets = new Buckets(1);
    for (let time = 0; time < 2; time += 1) buckets.take('ana', 0);
    expect(buckets.take('ana', 0).isAllowed).toBe(false);
    expect(buckets.take('bea', 0).isAllowed).toBe(true);
    for (let name = 0; name < 10_000; name += 1) buckets.take(`n-${name}`, 0);
    expect(buckets.take('ana', 0).isAllowed).toBe(true);
  });
});

describe('limits of a principal', () => {
  it('S57 one that floods is told 429 and when to come again, and nobody else is', () => {
    // S57: "1 tenant floods starts/signals/timers [429 for it, p99 of others within bound]"
    const clock = handClock();
    const limits = new Limits({ readsPerSecond: 5, writesPerSecond: 2 }, clock);
    expect(letThrough(100, () => limits.take('ana', 'POST'))).toBe(4);
    expect(answerOf(() => limits.take('ana', 'POST'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' },
    });
    expect(letThrough(100, () => limits.take('ana', 'GET'))).toBe(10);
    expect(letThrough(100, () => limits.take('bea', 'POST'))).toBe(4);
    clock.nowMs += 1_000;
    expect(letThrough(100, () => limits.take('ana', 'POST'))).toBe(2);
  });

  it('S57 counts all keys of a principal as one, in the server', async () => {
    const house = await openApiHouse({ rates: { readsPerSecond: 1, writesPerSecond: 1 } });
    const keys = [await house.key(['viewer'], { principal: 'ana' }), await house.key(['viewer'], { principal: 'ana' })];
    const statuses: number[] = [];
    for (const as of [...keys, ...keys]) statuses.push((await house.get('/v1/runs', { as })).status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses).toContain(429);
    expect((await house.get('/v1/runs', { as: 'operator' })).status).toBe(200);
    await house.close();
  });

  it('S09 an address that shows one wrong key after the other is told 429, and a right key is let in from there', async () => {
    // S09: "brute force of keys [429, no timing difference > noise]"
    const house = await openApiHouse({ rates: { readsPerSecond: 1_000, writesPerSecond: 1_000 } });
    const statuses: number[] = [];
    for (let guess = 0; guess < 8 * GUESSES_PER_SECOND; guess += 1)
      statuses.push((await house.get('/v1/runs', { as: `pawl_guess${guess}` })).status);
    expect(statuses.slice(0, 2 * GUESSES_PER_SECOND)).toEqual(
      Array.from({ length: 2 * GUESSES_PER_SECOND }, () => 401),
    );
    expect(statuses).toContain(429);
    expect((await house.get('/v1/runs')).status).toBe(200);
    await house.close();
  });

  it('every route that asks who calls says that it may be 429', () => {
    const silent = ROUTES.filter((route) => !refusalsOf(route).includes(429)).map(({ right, admit }) => ({
      right,
      admit,
    }));
    expect(silent.filter(({ right, admit }) => right !== null || admit !== undefined)).toEqual([]);
  });
});
