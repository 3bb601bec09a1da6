import { describe, expect, it } from 'vitest';
import { compensationOf, compensationPolicy, forwardPolicy } from '../../src/decision/effect-policy.ts';
import { callStep, compensation, contract, definition, ONCE, retryPolicy } from './ledger-fixtures.ts';

const DEFAULTS = definition().compensation;

describe('the policy of an effect', () => {
  it("takes the step's own words before the action's", () => {
    const action = contract({ retry: retryPolicy({ attempts: 4 }), timeoutMs: 9_000 });
    expect(forwardPolicy(callStep('a'), action)).toEqual({
      retry: action.retry,
      onUnknown: null,
      review: null,
      timeoutMs: 9_000,
      waitMs: null,
      onFailure: 'hold',
    });
    const review = { from: [], options: ['absent'] as const };
    expect(forwardPolicy(callStep('a', { retry: ONCE, timeoutMs: 1, onUnknown: 'review', review }), action)).toEqual({
      retry: ONCE,
      onUnknown: 'review',
      review,
      timeoutMs: 1,
      waitMs: 1,
      onFailure: 'hold',
    });
  });

  it("takes a compensation's own words before the document's", () => {
    const action = contract({ timeoutMs: 9_000 });
    expect(compensationPolicy(compensation(), action, DEFAULTS)).toMatchObject({
      retry: DEFAULTS.retry,
      timeoutMs: 9_000,
      onFailure: 'hold',
    });
    const own = compensation({ retry: ONCE, timeoutMs: 5, onFailure: 'continue' });
    expect(compensationPolicy(own, action, DEFAULTS)).toMatchObject({
      retry: ONCE,
      timeoutMs: 5,
      onFailure: 'continue',
    });
  });

  it("undoes by the step's compensation, else by the action's, else by none", () => {
    const own = compensation({ action: 'own' });
    const shared = compensation({ action: 'shared' });
    expect(compensationOf(callStep('a', { compensate: own }), contract({ compensate: shared }))).toBe(own);
    expect(compensationOf(callStep('a'), contract({ compensate: shared }))).toBe(shared);
    expect(compensationOf(callStep('a', { compensate: { kind: 'none' } }), contract({ compensate: shared }))).toEqual({
      kind: 'none',
    });
    expect(compensationOf(callStep('a'), contract({ compensate: null }))).toBeNull();
  });
});
