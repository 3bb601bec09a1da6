import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isOpen } from '../../src/decision/effect-lifecycle.ts';
import { requestEffect } from '../../src/decision/request-effect.ts';
import { settleAttempt, takeOver } from '../../src/decision/settle-effect.ts';
import { callsOf, type Settlement, stepOutcomeOf } from '../../src/decision/settlement.ts';
import type { Effect } from '../../src/model/effect.ts';
import {
  authorized,
  contract,
  NUMBERS,
  outcome,
  policy,
  RECONCILE,
  requested,
  retryPolicy,
  settling,
  T0,
} from './ledger-fixtures.ts';

const NOW = T0 + 500;
const THREE = policy({ retry: retryPolicy({ attempts: 3, delayMs: 2_000 }) });
/** The row sent again when its time has come. */
const again = (effect: Effect): Effect =>
  requestEffect(effect, { nowMs: effect.notBeforeMs ?? NOW, fence: effect.fence, numbers: NUMBERS });
const unknown = (effect = requested()): Effect => settleAttempt(settling(effect), outcome('unknown')).effect;

describe('an attempt that says done', () => {
  it('makes the row CONFIRMED with output, receipt and one word for the machine', () => {
    const settled = settleAttempt(settling(requested()), outcome('confirmed', { resultBase64: 'e30=' }));
    expect(settled.effect).toMatchObject({
      state: 'CONFIRMED',
      output: { id: 'ch_1' },
      externalId: 'ch_1',
      settledAtMs: NOW,
      code: null,
    });
    expect(settled.receipt).toMatchObject({
      outcome: 'confirmed',
      observedBy: 'response',
      attempt: 1,
      externalId: 'ch_1',
      resultBase64: 'e30=',
      requestHash: authorized().requestHash,
      requestedAtMs: T0,
      settledAtMs: NOW,
    });
    expect(settled.settled).toEqual({ ok: true, output: { id: 'ch_1' }, attempts: 1 });
    expect(settled.retryAtMs).toBeNull();
    expect(settled.incident).toBeNull();
  });

  it('is null where the provider sent nothing', () => {
    expect(settleAttempt(settling(requested()), outcome('confirmed', { output: undefined })).effect.output).toBeNull();
  });
});

describe('an attempt that says no', () => {
  it('makes the row FAILED with the code, its class and the data', () => {
    const { effect, settled, receipt } = settleAttempt(
      settling(requested(), { policy: THREE }),
      outcome('rejected', { code: 'card-declined', output: { reason: 'limit' } }),
    );
    expect(effect).toMatchObject({ state: 'FAILED', code: 'card-declined', failureClass: 'rejected' });
    expect(receipt?.outcome).toBe('failed');
    expect(settled).toEqual({
      ok: false,
      failure: {
        code: 'card-declined',
        class: 'rejected',
        message: 'rejected',
        step: 'charge',
        data: { reason: 'limit' },
        cause: null,
      },
      attempts: 1,
    });
  });

  it('is tried again only if the policy names it', () => {
    const busy = policy({ retry: retryPolicy({ on: ['busy'] }) });
    const { effect } = settleAttempt(settling(requested(), { policy: busy }), outcome('rejected', { code: 'busy' }));
    expect(effect).toMatchObject({ state: 'AUTHORIZED', notBeforeMs: NOW + 1_000 });
  });

  it('E15: after an unknown attempt it settles the row only if the action itself names that answer', () => {
    // E15: "… `rejected` from a later attempt settles the row only if the action's own `outcome` names that answer ("already exists" is not "never happened")."
    const resent = again(unknown());
    const unnamed = settleAttempt(settling(resent, { nowMs: T0 + 2_000 }), outcome('rejected', { code: 'conflict' }));
    expect(unnamed.effect).toMatchObject({ state: 'UNKNOWN', doubt: 'review', code: 'conflict' });
    expect(unnamed.settled).toBeNull();
    const named = settleAttempt(
      settling(resent, { nowMs: T0 + 2_000 }),
      outcome('rejected', { code: 'exists', named: true }),
    );
    expect(named.effect).toMatchObject({ state: 'FAILED', code: 'exists' });
    const asked = settleAttempt(
      settling(resent, { contract: contract({ reconcile: RECONCILE }) }),
      outcome('rejected'),
    );
    expect(asked.effect.doubt).toBe('query');
  });
});

describe('an attempt that says not now', () => {
  it('is tried again after the wait while attempts are left, and FAILED after the last', () => {
    const first = settleAttempt(settling(requested(), { policy: THREE }), outcome('unavailable', { code: 'http-503' }));
    expect(first.effect).toMatchObject({ state: 'AUTHORIZED', notBeforeMs: NOW + 2_000, countedAttempts: 1 });
    expect(first).toMatchObject({ receipt: null, settled: null, retryAtMs: NOW + 2_000 });
    const second = settleAttempt(settling(again(first.effect), { policy: THREE }), outcome('unavailable'));
    const third = settleAttempt(
      settling(again(second.effect), { policy: THREE }),
      outcome('unavailable', { code: 'http-503' }),
    );
    expect(third.effect).toMatchObject({ state: 'FAILED', attempt: 3, code: 'http-503', failureClass: 'unavailable' });
    expect(third.settled).toMatchObject({ ok: false, attempts: 3 });
  });

  it('waits as long as the provider asks', () => {
    const throttled = outcome('throttled', { retryAfterMs: 120_000 });
    expect(settleAttempt(settling(requested(), { policy: THREE }), throttled).retryAtMs).toBe(NOW + 120_000);
  });

  it('is FAILED at once when the step only settles, or its `when` says no', () => {
    const stopped = settleAttempt(settling(requested(), { policy: THREE, retrying: false }), outcome('unavailable'));
    expect(stopped.effect.state).toBe('FAILED');
    const codes: string[] = [];
    const mayRetry = (failure: { readonly code: string }): boolean => codes.push(failure.code) === 0;
    const refused = settleAttempt(
      settling(requested(), { policy: THREE, mayRetry }),
      outcome('unavailable', { code: 'http-503' }),
    );
    expect(refused.effect.state).toBe('FAILED');
    expect(codes).toEqual(['http-503']);
  });

  it('E06: speaks of its own sending alone: a row in doubt stays UNKNOWN', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const resent = again(unknown());
    const settled = settleAttempt(settling(resent, { policy: THREE, nowMs: T0 + 2_000 }), outcome('unavailable'));
    expect(settled.effect).toMatchObject({
      state: 'UNKNOWN',
      doubt: 'resend',
      notBeforeMs: T0 + 4_000,
      unknownSinceMs: NOW,
    });
  });
});

describe('an attempt that never left', () => {
  it('fails at once when no process can send it, whatever the policy retries; after a doubt it settles nothing', () => {
    const never = outcome('rejected', { code: 'unsendable', sent: false });
    const any = policy({ retry: retryPolicy({ attempts: 9, on: ['any'] }) });
    const { effect, settled } = settleAttempt(settling(requested(), { policy: any }), never);
    expect(effect).toMatchObject({ state: 'FAILED', code: 'unsendable', failureClass: 'rejected' });
    expect(settled).toMatchObject({ ok: false, failure: { code: 'unsendable' } });
    expect(settleAttempt(settling(again(unknown()), { policy: any }), never).effect.state).toBe('UNKNOWN');
  });

  it('E05: what no process can send was not sent: it counts neither as an attempt nor as a resend', () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`"
    const never = outcome('rejected', { code: 'unsendable', sent: false });
    const { effect, settled } = settleAttempt(settling(requested()), never);
    expect(effect).toMatchObject({ attempt: 1, countedAttempts: 0, resends: 0, firstRequestedAtMs: null });
    expect(settled).toMatchObject({ attempts: 0 });
    const retried = again(settleAttempt(settling(requested(), { policy: THREE }), outcome('unavailable')).effect);
    expect(settleAttempt(settling(retried), never).settled).toMatchObject({ attempts: 1 });
    const resent = settleAttempt(settling(again(unknown())), never).effect;
    expect(resent).toMatchObject({ state: 'UNKNOWN', attempt: 2, countedAttempts: 1, resends: 0 });
  });

  const unsent = outcome('unavailable', { code: 'not-sent', sent: false });

  it('E05: does not count: AUTHORIZED again, not before 1 s, even with one attempt', () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const { effect, retryAtMs } = settleAttempt(settling(requested()), unsent);
    expect(effect).toMatchObject({ state: 'AUTHORIZED', attempt: 1, countedAttempts: 0, firstRequestedAtMs: null });
    expect(retryAtMs).toBe(NOW + 1_000);
    const sent = settleAttempt(settling(again(effect)), outcome('confirmed'));
    expect(sent.settled).toMatchObject({ ok: true, attempts: 1 });
  });

  it('E05: keeps the first sending of a row that was sent before', () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const retried = again(settleAttempt(settling(requested(), { policy: THREE }), outcome('unavailable')).effect);
    const { effect } = settleAttempt(settling(retried, { policy: THREE }), unsent);
    expect(effect).toMatchObject({ countedAttempts: 1, firstRequestedAtMs: T0 });
  });

  it('E05: leaves a doubt about an earlier sending as it was, and is no resend', () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const { effect } = settleAttempt(settling(again(unknown()), { nowMs: T0 + 2_000 }), unsent);
    expect(effect).toMatchObject({ state: 'UNKNOWN', doubt: 'resend', resends: 0, notBeforeMs: T0 + 3_000 });
  });

  it('is FAILED when the step only settles', () => {
    const { effect } = settleAttempt(settling(requested(), { retrying: false }), unsent);
    expect(effect).toMatchObject({ state: 'FAILED', code: 'not-sent', countedAttempts: 0 });
  });
});

describe('an attempt without a definite answer', () => {
  it('E06: makes the row UNKNOWN, never FAILED, whatever the policy has left', () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const settled = settleAttempt(settling(requested()), outcome('unknown', { code: 'no-answer' }));
    expect(settled.effect).toMatchObject({
      state: 'UNKNOWN',
      doubt: 'resend',
      everUnknown: true,
      code: 'no-answer',
      unknownSinceMs: NOW,
      notBeforeMs: NOW + 1_000,
    });
    expect(settled).toMatchObject({ receipt: null, settled: null, incident: null, retryAtMs: NOW + 1_000 });
  });

  it('E06: a resend has the same key and bytes, another attempt number, and costs none of the policy', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const first = unknown();
    const resent = again(first);
    expect(resent).toMatchObject({
      state: 'REQUESTED',
      attempt: 2,
      countedAttempts: 1,
      resends: 1,
      firstRequestedAtMs: T0,
    });
    expect({ key: resent.key, request: resent.request }).toEqual({ key: first.key, request: first.request });
    const done = settleAttempt(settling(resent), outcome('confirmed'));
    expect(done.settled).toMatchObject({ ok: true, attempts: 2 });
    expect(callsOf(done.effect)).toBe(2);
  });

  it('E07: with `none` and no query it waits for a person, with the answers that the step offers', () => {
    // E07: "for `none` and lookup-only they are unknown unless the action's own `outcome` says otherwise."
    const none = contract({ idempotency: { kind: 'none' } });
    const settled = settleAttempt(settling(requested(), { contract: none }), outcome('unknown'));
    expect(settled.effect.doubt).toBe('review');
    expect(settled).toMatchObject({
      retryAtMs: null,
      incident: { kind: 'unknown', acts: ['confirmed', 'absent', 'rejected', 'keep-waiting'] },
    });
    const review = policy({ review: { from: [], options: ['absent'] } });
    const narrow = settleAttempt(settling(requested(), { contract: none, policy: review }), outcome('unknown'));
    expect(narrow.incident?.acts).toEqual(['absent']);
  });

  it('accepted and not done is UNKNOWN with the code pending, asked after `every`', () => {
    const settled = settleAttempt(
      settling(requested(), { contract: contract({ reconcile: RECONCILE }) }),
      outcome('pending', { code: 'queued' }),
    );
    expect(settled.effect).toMatchObject({
      state: 'UNKNOWN',
      code: 'pending',
      doubt: 'query',
      notBeforeMs: NOW + 60_000,
    });
  });

  it('E12: an unreadable answer is filed with its bytes, sent again once, and told twice goes to a query or a person', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const broken = outcome('unknown', { code: 'unreadable', message: 'breaks its schema', resultBase64: 'e30=' });
    const first = settleAttempt(settling(requested()), broken);
    expect(first.effect).toMatchObject({ state: 'UNKNOWN', code: 'unreadable', doubt: 'resend' });
    expect(first.unreadable).toEqual({ resultBase64: 'e30=', message: 'breaks its schema' });
    const second = settleAttempt(settling(again(first.effect), { nowMs: T0 + 2_000 }), broken);
    expect(second.effect).toMatchObject({ state: 'UNKNOWN', code: 'unreadable', doubt: 'review' });
    expect(second.unreadable).toBeNull();
    const asked = contract({ reconcile: RECONCILE });
    expect(settleAttempt(settling(again(first.effect), { contract: asked }), broken).effect.doubt).toBe('query');
  });

  it('proves no absence of itself', () => {
    expect(settleAttempt(settling(requested()), outcome('absent')).effect.state).toBe('UNKNOWN');
  });
});

describe('a takeover', () => {
  it('E03: what another fence has requested is UNKNOWN to everybody else', () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
    const { effect, settled } = takeOver(settling(requested()));
    expect(effect.lastError).toBe('the process that sent it is gone');
    expect(effect).toMatchObject({ state: 'UNKNOWN', code: 'sender-lost', everUnknown: true, doubt: 'resend' });
    expect(settled).toBeNull();
    expect(() => takeOver(settling(authorized()))).toThrow('only a REQUESTED effect');
  });
});

describe('every settling', () => {
  const kinds = ['confirmed', 'rejected', 'unavailable', 'throttled', 'unknown', 'pending', 'absent'] as const;
  const step = fc.record({
    kind: fc.constantFrom(...kinds),
    named: fc.boolean(),
    sent: fc.boolean(),
    retrying: fc.boolean(),
  });
  const contracts = [
    contract(),
    contract({ reconcile: RECONCILE }),
    contract({ idempotency: { kind: 'none' } }),
    contract({ idempotency: { kind: 'none' }, reconcile: RECONCILE }),
    contract({ idempotency: { kind: 'natural' } }),
  ];

  it('keeps to the table, settles once, and gives a receipt exactly to a settled row', () => {
    fc.assert(
      fc.property(fc.constantFrom(...contracts), fc.array(step, { minLength: 1, maxLength: 12 }), (of, steps) => {
        let row = requested();
        let nowMs = T0;
        for (const { kind, named, sent, retrying } of steps) {
          nowMs += 500;
          const told = outcome(kind, { named, sent: sent || kind !== 'unavailable' });
          const settlement: Settlement = settleAttempt(
            settling(row, { contract: of, policy: THREE, nowMs, retrying }),
            told,
          );
          row = settlement.effect;
          const open = isOpen(row.state);
          expect([settlement.receipt === null, settlement.settled === null]).toEqual([open, open]);
          expect(row.key).toBe(authorized().key);
          if (row.state === 'FAILED') expect(row.unknownSinceMs).toBeNull();
          const sendable = row.state === 'AUTHORIZED' || row.doubt === 'resend';
          if (!open || !sendable) return;
          nowMs = row.notBeforeMs ?? nowMs;
          row = requestEffect(row, { nowMs, fence: 1, numbers: NUMBERS });
        }
      }),
    );
  });

  it('E06: a row that was sent and never definitely answered is never FAILED by an attempt that the action does not name', () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const lost = fc.constantFrom('unknown', 'unavailable', 'throttled', 'rejected', 'pending', 'absent');
    fc.assert(
      fc.property(
        fc.constantFrom(...contracts),
        fc.array(lost, { maxLength: 8 }),
        fc.boolean(),
        (of, later, retrying) => {
          let row = settleAttempt(settling(requested(), { contract: of, policy: THREE }), outcome('unknown')).effect;
          for (const kind of later) {
            if (row.doubt !== 'resend') break;
            const nowMs = row.notBeforeMs ?? NOW;
            const resent = requestEffect(row, { nowMs, fence: 1, numbers: NUMBERS });
            row = settleAttempt(
              settling(resent, { contract: of, policy: THREE, nowMs, retrying }),
              outcome(kind as 'unknown'),
            ).effect;
          }
          expect(row.state).toBe('UNKNOWN');
        },
      ),
    );
  });

  it('settles only what is in flight: a late answer is an observation', () => {
    expect(() => settleAttempt(settling(authorized()), outcome('confirmed'))).toThrow('only a REQUESTED effect');
    expect(() => settleAttempt(settling(unknown()), outcome('confirmed'))).toThrow('only a REQUESTED effect');
  });
});

describe('what the machine is told of a settled row', () => {
  it('is the same again for a step that is entered again', () => {
    const settlement = settleAttempt(
      settling(requested()),
      outcome('rejected', { code: 'declined', output: { a: 1 } }),
    );
    expect(stepOutcomeOf(settlement.effect)).toEqual(settlement.settled);
  });

  it('names the state of a row that nobody sent', () => {
    const cancelled: Effect = { ...authorized(), state: 'CANCELLED' };
    expect(stepOutcomeOf(cancelled)).toMatchObject({ ok: false, failure: { code: 'cancelled', class: 'refused' } });
    expect(stepOutcomeOf({ ...authorized(), state: 'CONFIRMED' })).toMatchObject({ ok: true, output: null });
  });
});
