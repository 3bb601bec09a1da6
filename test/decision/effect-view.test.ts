import { describe, expect, it } from 'vitest';
import { effectView } from '../../src/decision/effect-view.ts';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import { authorized, outcome, requested, settling } from './ledger-fixtures.ts';

describe('the root `effect`', () => {
  it('is key and input of a row that is not confirmed', () => {
    expect(effectView(authorized())).toEqual({ key: authorized().key, input: { amount: 100 } });
    expect(effectView({ ...authorized(), state: 'FAILED', output: { a: 1 } })).not.toHaveProperty('output');
  });

  it('has output and receipt of a confirmed one', () => {
    const { effect } = settleAttempt(settling(requested()), outcome('confirmed'));
    const view = effectView({ ...effect, receiptNo: 3 });
    expect(view['output']).toEqual({ id: 'ch_1' });
    expect(view['receipt']).toEqual({ number: 3, externalId: 'ch_1', settledAt: '2027-01-15T08:00:00.500Z' });
    expect(effectView({ ...effect, output: undefined })['output']).toBeNull();
  });

  it('refuses a row whose request was tampered with', () => {
    expect(() => effectView({ ...authorized(), request: '{}' })).toThrow('does not match its hash');
  });
});
