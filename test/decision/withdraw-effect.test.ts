import { describe, expect, it } from 'vitest';
import { stepOutcomeOf } from '../../src/decision/settlement.ts';
import { cancelEffect, expireEffect, refuseEffect } from '../../src/decision/withdraw-effect.ts';
import { EFFECT_STATES } from '../../src/model/statuses.ts';
import { authorized, requested, T0 } from './ledger-fixtures.ts';

describe('a row that is withdrawn', () => {
  it('R05: is CANCELLED at once if nothing is in flight; a REQUESTED or UNKNOWN row never is', () => {
    // R05: "`siblings: cancel`: rows not in flight become CANCELLED at once, retries and waits stop; a REQUESTED row is never cancelled locally."
    expect(cancelEffect(authorized(), T0)).toMatchObject({ state: 'CANCELLED', code: 'cancelled', settledAtMs: T0 });
    const cancellable = EFFECT_STATES.filter((state) => {
      try {
        return cancelEffect({ ...requested(), state }, T0).state === 'CANCELLED';
      } catch {
        return false;
      }
    });
    expect(cancellable).toEqual(['PROPOSED', 'AUTHORIZED']);
  });

  it('is REFUSED with the reason of who said no', () => {
    const said = { code: 'denied', class: 'denied', message: 'denied by ann', nowMs: T0 } as const;
    const refused = refuseEffect({ ...authorized(), state: 'PROPOSED' }, said);
    expect(stepOutcomeOf(refused)).toMatchObject({
      ok: false,
      failure: { code: 'denied', class: 'denied', message: 'denied by ann' },
    });
    expect(() => refuseEffect(authorized(), said)).toThrow('not in the table');
  });

  it('is FAILED with timeout when the deadline comes before the next sending', () => {
    expect(expireEffect(authorized(), T0)).toMatchObject({ state: 'FAILED', code: 'timeout', failureClass: 'timeout' });
    for (const state of EFFECT_STATES.filter((other) => other !== 'AUTHORIZED')) {
      expect(() => expireEffect({ ...authorized(), state }, T0)).toThrow('only an AUTHORIZED effect');
    }
  });
});
