import { describe, expect, it } from 'vitest';
import { toldFailure } from '../../src/engine/told-failure.ts';

const FAILED = { code: 'declined', message: 'no', step: 'tell' };

describe('the failure of an ended run', () => {
  it('is null of a run that completed, also where its finally failed', () => {
    expect(toldFailure(undefined)).toEqual({ failure: null });
    expect(toldFailure({ finallyFailed: FAILED })).toEqual({ failure: null, finallyFailed: FAILED });
  });

  it('is told apart from that of its finally', () => {
    const failure = { code: 'timeout', message: 'late', step: null };
    expect(toldFailure(failure)).toEqual({ failure });
    expect(toldFailure({ ...failure, finallyFailed: FAILED })).toEqual({ failure, finallyFailed: FAILED });
  });
});
