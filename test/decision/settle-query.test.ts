import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import { settleQuery } from '../../src/decision/settle-query.ts';
import type { Settling } from '../../src/decision/settlement.ts';
import type { Effect } from '../../src/model/effect.ts';
import {
  authorizedUndo,
  authorized,
  contract,
  HOUR,
  outcome,
  policy,
  RECONCILE,
  requested,
  retryPolicy,
  settling,
  T0,
} from './ledger-fixtures.ts';

const ASKED = contract({ idempotency: { kind: 'none' }, reconcile: RECONCILE });
const THREE = policy({ retry: retryPolicy({ attempts: 3, delayMs: 2_000 }) });
/** The last instant of the quarantine: requested at T0, 5 s to send, 2 m to take effect. */
const ENDS = T0 + 125_000;
const unknown = (effect = requested()): Effect =>
  settleAttempt(settling(effect, { contract: ASKED }), outcome('unknown', { code: 'no-answer' })).effect;
const asking = (nowMs: number, patch: Partial<Settling> = {}): Settling =>
  settling(unknown(), { contract: ASKED, nowMs, ...patch });
const absent = outcome('absent');

describe('a query that finds it', () => {
  it('makes the row CONFIRMED, observed by query', () => {
    const { effect, receipt, settled } = settleQuery(asking(T0 + 1_000), outcome('confirmed'));
    expect(effect).toMatchObject({ state: 'CONFIRMED', doubt: null, unknownSinceMs: null });
    expect(receipt?.observedBy).toBe('query');
    expect(settled).toMatchObject({ ok: true, output: { id: 'ch_1' } });
  });

  it('makes the row FAILED when it was declined', () => {
    const { effect, receipt } = settleQuery(asking(T0 + 1_000), outcome('rejected', { code: 'declined' }));
    expect(effect).toMatchObject({ state: 'FAILED', code: 'declined' });
    expect(receipt).toMatchObject({ outcome: 'failed', observedBy: 'query' });
  });
});

describe('a question that can never be put', () => {
  it('is one for a person at once, and settles nothing', () => {
    const never = outcome('unknown', { code: 'unsendable', sent: false });
    const { effect, incident, settled } = settleQuery(asking(T0 + 1_000), never);
    expect(effect).toMatchObject({ state: 'UNKNOWN', doubt: 'review', notBeforeMs: null });
    expect(incident).not.toBeNull();
    expect(settled).toBeNull();
  });
});

describe('a query that does not find it', () => {
  it('E06: proves nothing before the quarantine is over, and absence after it', () => {
    // E06: "reviews are answerable after it too."
    const early = settleQuery(asking(ENDS), absent);
    expect(early.effect).toMatchObject({ state: 'UNKNOWN', doubt: 'query', notBeforeMs: ENDS + 1, code: 'no-answer' });
    expect(early.settled).toBeNull();
    const late = settleQuery(asking(ENDS + 1), absent);
    expect(late.effect).toMatchObject({ state: 'ABSENT', code: 'absent', failureClass: 'absent' });
    expect(late.receipt).toMatchObject({ outcome: 'absent', observedBy: 'query' });
    expect(late.settled).toMatchObject({ ok: false, failure: { code: 'absent', class: 'absent' } });
  });

  it('E06: proves nothing ever where the action says `absent: never`', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const never = contract({ ...ASKED, reconcile: { ...RECONCILE, absent: 'never' } });
    const settled = settleQuery(asking(T0 + 10 * HOUR, { contract: never }), absent);
    expect(settled.effect).toMatchObject({ state: 'UNKNOWN', doubt: 'query' });
    const givenUp = settleQuery(asking(T0 + 25 * HOUR, { contract: never }), absent);
    expect(givenUp.effect).toMatchObject({ state: 'UNKNOWN', doubt: 'review', notBeforeMs: null });
    expect(givenUp.incident?.kind).toBe('unknown');
  });

  it('sends it again if the retry policy has room, whatever its `on` says', () => {
    const settled = settleQuery(asking(ENDS + 1, { policy: THREE }), absent);
    expect(settled.effect).toMatchObject({
      state: 'AUTHORIZED',
      notBeforeMs: ENDS + 2_001,
      unknownSinceMs: null,
      doubt: null,
    });
    const stopped = settleQuery(asking(ENDS + 1, { policy: THREE, retrying: false }), absent);
    expect(stopped.effect.state).toBe('ABSENT');
    const refused = settleQuery(asking(ENDS + 1, { policy: THREE, mayRetry: () => false }), absent);
    expect(refused.effect.state).toBe('ABSENT');
  });

  it('never sends again what the provider had accepted', () => {
    const pending = { ...unknown(), code: 'pending' };
    const settled = settleQuery({ ...asking(ENDS + 1, { policy: THREE }), effect: pending }, absent);
    expect(settled.effect.state).toBe('ABSENT');
  });

  it('R16: makes a compensation without room FAILED, so that a person can retry, mark or waive it', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const undo = unknown(requested(authorizedUndo(authorized().key)));
    const settled = settleQuery({ ...asking(ENDS + 1), effect: undo }, absent);
    expect(settled.effect).toMatchObject({ state: 'FAILED', code: 'absent', failureClass: 'absent' });
  });
});

describe('a query that fails itself', () => {
  it('E06: proves nothing: the row stays UNKNOWN and is asked again until it is given up', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    for (const kind of ['unknown', 'unavailable', 'throttled'] as const) {
      const { effect, settled } = settleQuery(
        asking(ENDS + 1),
        outcome(kind, { code: 'query-failed', message: 'status 500' }),
      );
      expect(effect).toMatchObject({
        state: 'UNKNOWN',
        doubt: 'query',
        notBeforeMs: ENDS + 60_001,
        code: 'no-answer',
        lastError: 'status 500',
      });
      expect(settled).toBeNull();
    }
    const givenUp = settleQuery(asking(T0 + 25 * HOUR), outcome('unknown'));
    expect(givenUp.effect.doubt).toBe('review');
    expect(givenUp.retryAtMs).toBeNull();
  });

  it('E12: files an unreadable answer once', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const broken = outcome('unknown', { code: 'unreadable', message: 'no such key: items', resultBase64: 'e30=' });
    const first = settleQuery(asking(ENDS + 1), broken);
    expect(first.unreadable).toEqual({ resultBase64: 'e30=', message: 'no such key: items' });
    expect(settleQuery({ ...asking(ENDS + 60_002), effect: first.effect }, broken).unreadable).toBeNull();
  });

  it('notes that the provider has accepted it', () => {
    expect(settleQuery(asking(ENDS + 1), outcome('pending')).effect).toMatchObject({
      state: 'UNKNOWN',
      code: 'pending',
      doubt: 'query',
    });
  });

  it('leaves a review with the person', () => {
    const review: Effect = { ...unknown(), doubt: 'review', notBeforeMs: null };
    const settled = settleQuery({ ...asking(ENDS + 1), effect: review }, outcome('unknown'));
    expect(settled.effect).toMatchObject({ doubt: 'review', doubtSinceMs: review.doubtSinceMs });
  });
});

describe('every answer of a query', () => {
  it('settles only by a proof, and never before its time', () => {
    const kind = fc.constantFrom('confirmed', 'rejected', 'absent', 'pending', 'unknown', 'unavailable', 'throttled');
    fc.assert(
      fc.property(kind, fc.integer({ min: 0, max: 30 * HOUR }), (said, afterMs) => {
        const { effect } = settleQuery(asking(T0 + afterMs), outcome(said as 'absent'));
        const proof = said === 'confirmed' || said === 'rejected' || (said === 'absent' && T0 + afterMs > ENDS);
        expect(effect.state !== 'UNKNOWN').toBe(proof);
      }),
    );
  });

  it('is an observation when the row is not UNKNOWN any more', () => {
    expect(() => settleQuery({ ...asking(ENDS), effect: requested() }, absent)).toThrow('only an UNKNOWN effect');
  });
});
