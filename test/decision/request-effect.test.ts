import { describe, expect, it } from 'vitest';
import { askEffect, authorizeEffect, requestEffect } from '../../src/decision/request-effect.ts';
import type { Effect } from '../../src/model/effect.ts';
import { authorized, NUMBERS, requested, T0 } from './ledger-fixtures.ts';

const at = (nowMs = T0, fence = 1) => ({ nowMs, fence, numbers: NUMBERS });
const proposed: Effect = { ...authorized(), state: 'PROPOSED' };
const unknown = (): Effect => ({ ...requested(), state: 'UNKNOWN', doubt: 'resend', notBeforeMs: T0 + 1_000 });

describe('requesting', () => {
  it('E03: writes attempt, fence, time and the last instant for the first byte', () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    expect(requestEffect(authorized(), at(T0, 7))).toMatchObject({
      state: 'REQUESTED',
      attempt: 1,
      countedAttempts: 1,
      fence: 7,
      firstRequestedAtMs: T0,
      requestedAtMs: T0,
      sendByMs: T0 + 5_000,
    });
  });

  it('keeps the first time of a row that is sent again', () => {
    const resent = requestEffect(unknown(), at(T0 + 1_000));
    expect(resent).toMatchObject({
      firstRequestedAtMs: T0,
      requestedAtMs: T0 + 1_000,
      countedAttempts: 1,
      resends: 1,
      doubt: null,
    });
  });

  it('refuses a row before its time, an older fence, and a doubt that is no resend', () => {
    expect(() => requestEffect(unknown(), at(T0 + 999))).toThrow('not sent before its time');
    expect(() => requestEffect({ ...authorized(), fence: 2 }, at(T0, 1))).toThrow('a fence only grows');
    expect(() => requestEffect({ ...unknown(), doubt: 'query' }, at(T0 + 1_000))).toThrow('only as a resend');
    expect(() => requestEffect(proposed, at())).toThrow('not in the table');
  });
});

describe('authorizing', () => {
  it('notes the approval that said yes, or keeps the one that the row names', () => {
    expect(authorizeEffect(proposed, 'decision')).toMatchObject({ state: 'AUTHORIZED', approvalId: 'decision' });
    expect(authorizeEffect({ ...proposed, approvalId: 'd1' }, null).approvalId).toBe('d1');
    expect(() => authorizeEffect(authorized(), null)).toThrow('not in the table');
  });
});

describe('asking', () => {
  it('counts the query and asks again when the answer does not come', () => {
    const asked = askEffect({ ...unknown(), doubt: 'query' }, T0, 31_000);
    expect(asked).toMatchObject({ state: 'UNKNOWN', queries: 1, notBeforeMs: T0 + 31_000 });
  });

  it('leaves a review and a resend where they are', () => {
    expect(askEffect({ ...unknown(), doubt: 'review', notBeforeMs: null }, T0, 31_000)).toMatchObject({
      queries: 1,
      notBeforeMs: null,
    });
    expect(askEffect(unknown(), T0, 31_000).notBeforeMs).toBe(T0 + 1_000);
    expect(() => askEffect(requested(), T0, 1)).toThrow('only an UNKNOWN effect');
  });
});
