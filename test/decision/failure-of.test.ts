import { describe, expect, it } from 'vitest';
import { codeOf, failureClassOf, failureOf } from '../../src/decision/failure-of.ts';
import { outcome } from './ledger-fixtures.ts';

describe('an outcome as a failure', () => {
  it('has the class of its kind, or unreadable', () => {
    for (const kind of ['rejected', 'unavailable', 'throttled', 'unknown', 'absent'] as const) {
      expect(failureClassOf(outcome(kind))).toBe(kind);
    }
    expect(failureClassOf(outcome('pending'))).toBe('unknown');
    expect(failureClassOf(outcome('confirmed'))).toBe('unknown');
    expect(failureClassOf(outcome('unknown', { code: 'unreadable' }))).toBe('unreadable');
  });

  it('has its code, or is called by its kind', () => {
    expect(codeOf(outcome('rejected', { code: 'declined' }))).toBe('declined');
    expect(codeOf(outcome('rejected', { code: null }))).toBe('rejected');
  });

  it('carries what the provider said as data', () => {
    const failure = failureOf({ step: 'charge' }, outcome('rejected', { code: 'declined', output: { a: 1 } }));
    expect(failure).toEqual({
      code: 'declined',
      class: 'rejected',
      message: 'rejected',
      step: 'charge',
      data: { a: 1 },
      cause: null,
    });
    expect(failureOf({ step: 'charge' }, outcome('unavailable')).data).toBeNull();
  });
});
