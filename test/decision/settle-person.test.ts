import { describe, expect, it } from 'vitest';
import { nextGeneration } from '../../src/decision/compensation-plan.ts';
import { compensationKey } from '../../src/decision/effect-key.ts';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import {
  type PersonAnswer,
  settleCompensation,
  settleLateProof,
  settlePerson,
} from '../../src/decision/settle-person.ts';
import type { Settlement, Settling } from '../../src/decision/settlement.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { ReviewAnswer } from '../../src/model/statuses.ts';
import {
  authorized,
  authorizedUndo,
  contract,
  outcome,
  policy,
  RECONCILE,
  requested,
  retryPolicy,
  settling,
  T0,
} from './ledger-fixtures.ts';

const AFTER = T0 + 125_001;
const NONE = contract({ idempotency: { kind: 'none' }, output: { type: 'object', required: ['id'] } });
const inReview = (effect = requested()): Effect =>
  settleAttempt(settling(effect, { contract: NONE }), outcome('unknown')).effect;
const asking = (patch: Partial<Settling> = {}): Settling => ({
  ...settling(inReview(), { contract: NONE, nowMs: AFTER }),
  ...patch,
});
const says = (as: ReviewAnswer, patch: Partial<PersonAnswer> = {}): PersonAnswer => ({
  as,
  evidence: 'ticket 7',
  output: as === 'confirmed' ? { id: 42 } : undefined,
  by: 'user:ann',
  ...patch,
});
function taken(of: Settling, answer: PersonAnswer): Settlement {
  const result = settlePerson(of, answer);
  if (result.kind === 'refused') throw new Error(result.message);
  return result.settlement;
}
const refusal = (of: Settling, answer: PersonAnswer) => settlePerson(of, answer);

describe('a person who knows what happened', () => {
  it('confirms with the output and evidence, which is what the receipt keeps', () => {
    const { effect, receipt, settled } = taken(asking(), says('confirmed'));
    expect(effect).toMatchObject({ state: 'CONFIRMED', output: { id: 42 }, externalId: '42' });
    expect(receipt).toMatchObject({
      observedBy: 'person',
      evidence: { by: 'user:ann', says: 'confirmed', evidence: 'ticket 7' },
      resultBase64: Buffer.from('{"id":42}').toString('base64'),
    });
    expect(settled).toMatchObject({ ok: true, output: { id: 42 } });
  });

  it('says that it was declined', () => {
    const { effect, receipt } = taken(asking(), says('rejected'));
    expect(effect).toMatchObject({ state: 'FAILED', code: 'rejected', failureClass: 'rejected' });
    expect(receipt).toMatchObject({ outcome: 'failed', observedBy: 'person', resultBase64: '' });
  });

  it('says that it never happened: ABSENT, or sent again where a key is kept and the policy has room', () => {
    const three = policy({ retry: retryPolicy({ attempts: 3 }) });
    expect(taken(asking(), says('absent')).effect.state).toBe('ABSENT');
    const keyed = asking({ contract: contract(), policy: three });
    expect(taken(keyed, says('absent')).effect.state).toBe('AUTHORIZED');
    expect(
      taken(asking({ contract: contract({ ...NONE, reconcile: RECONCILE }), policy: three }), says('absent')).effect
        .state,
    ).toBe('AUTHORIZED');
  });

  it('E07: says "never happened" of an act without key and query, and it is not sent again by itself', () => {
    // E07: "`idempotency: none` without reconcile is never sent again after a sending whose outcome is not definite."
    const three = policy({ retry: retryPolicy({ attempts: 3 }) });
    expect(taken(asking({ policy: three }), says('absent')).effect.state).toBe('ABSENT');
  });
});

describe('a person who keeps waiting', () => {
  it('starts the asking again where the action can be asked, at any time', () => {
    const asked = contract({ ...NONE, reconcile: RECONCILE });
    const review = { ...inReview(), doubtSinceMs: T0 - 99 };
    const { effect, incident } = taken(
      asking({ contract: asked, effect: review, nowMs: T0 + 900 }),
      says('keep-waiting', { evidence: '' }),
    );
    expect(effect).toMatchObject({ state: 'UNKNOWN', doubt: 'query', notBeforeMs: T0 + 900, doubtSinceMs: T0 + 900 });
    expect(incident).toBeNull();
    const pending = taken(
      asking({ contract: asked, effect: { ...review, code: 'pending' }, nowMs: T0 + 900 }),
      says('keep-waiting'),
    );
    expect(pending.effect.notBeforeMs).toBe(T0 + 60_900);
  });

  it('keeps the review where nobody can be asked', () => {
    const { effect, incident } = taken(asking(), says('keep-waiting'));
    expect(effect.doubt).toBe('review');
    expect(incident?.kind).toBe('unknown');
  });
});

describe('what an answer proves', () => {
  it.each(['rejected', 'absent'] as const)(
    'E10: an output that is told beside "%s" makes no id that the row does not have',
    (as) => {
      // E10: "Receipts are numbered per run, written only in guarded commits, chained by that number (order of completion for R06)."
      const { effect, receipt } = taken(asking(), { ...says(as), output: { id: 'ch_9' } });
      expect([effect.externalId, receipt?.externalId]).toEqual([null, null]);
    },
  );
});

describe('an answer that is not taken', () => {
  it('E06: one before the quarantine is over, and it says when', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    for (const as of ['confirmed', 'absent', 'rejected'] as const) {
      const early = refusal(asking({ nowMs: AFTER - 1 }), says(as));
      expect(early).toMatchObject({ kind: 'refused', code: 'quarantine', answerableAtMs: AFTER });
    }
  });

  it('one about a row that is in no doubt', () => {
    expect(refusal(asking({ effect: requested() }), says('confirmed'))).toMatchObject({
      code: 'not-in-doubt',
      answerableAtMs: null,
    });
  });

  it('one that the step does not offer', () => {
    const narrow = policy({ review: { from: [], options: ['absent'] } });
    expect(refusal(asking({ policy: narrow }), says('confirmed'))).toMatchObject({
      code: 'not-offered',
      message: 'this review takes: absent',
    });
    for (const as of ['retry', 'undone', 'waived'] as const)
      expect(refusal(asking(), says(as))).toMatchObject({ code: 'not-offered' });
    const wrong = policy({
      review: { from: [], options: ['undone' as 'absent', 'retry' as 'absent', 'waived' as 'absent'] },
    });
    for (const as of ['retry', 'undone', 'waived'] as const) {
      expect(refusal(asking({ policy: wrong }), says(as))).toMatchObject({ code: 'not-offered' });
    }
  });

  it('one without evidence, or with an output that the action does not give', () => {
    expect(refusal(asking(), says('confirmed', { evidence: '  ' }))).toMatchObject({ code: 'evidence-missing' });
    expect(refusal(asking(), says('confirmed', { output: {} }))).toMatchObject({ code: 'output-invalid' });
    const silent = refusal(asking(), says('confirmed', { output: undefined }));
    expect(silent).toMatchObject({ code: 'output-invalid', message: expect.stringContaining('add --output JSON') });
  });
});

describe('a compensation that was refused for good', () => {
  const undo = () => settleAttempt(settling(requested(authorizedUndo(authorized().key))), outcome('rejected')).effect;
  const resolve = (answer: PersonAnswer, row: Effect = undo()) =>
    settleCompensation(row, answer, AFTER, nextGeneration);

  it('R16: is retried under the next generation with the same bytes, the refused row keeping its word', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const result = resolve(says('retry'));
    if (result.kind === 'refused') throw new Error(result.message);
    expect(result.effect).toEqual(undo());
    expect(result.next).toMatchObject({
      key: compensationKey(authorized().key, 1),
      state: 'PROPOSED',
      attempt: 0,
      request: undo().request,
      compensates: authorized().key,
    });
    expect(result.receipt).toBeNull();
  });

  it('R16: is marked undone by a new row CONFIRMED, observed by person', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const result = resolve(says('undone', { output: { id: 'bank-1' } }));
    if (result.kind === 'refused' || result.next === null) throw new Error('not taken');
    expect(result.effect).toEqual(undo());
    expect(result.next).toMatchObject({
      key: compensationKey(authorized().key, 1),
      state: 'CONFIRMED',
      externalId: 'bank-1',
      settledAtMs: AFTER,
    });
    expect(result.receipt).toMatchObject({ effectKey: result.next.key, outcome: 'confirmed', observedBy: 'person' });
    const bare = resolve(says('undone'));
    expect(bare).toMatchObject({ next: { output: null } });
  });

  it('R16: is waived with the reason on the receipt', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const result = resolve(says('waived'));
    expect(result).toMatchObject({
      effect: { state: 'WAIVED', key: undo().key },
      next: null,
      receipt: { outcome: 'waived', observedBy: 'person', effectKey: undo().key },
    });
  });

  it('R16: takes no other word, none without a reason, and none about a row that was not refused', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    expect(resolve(says('confirmed'))).toMatchObject({ code: 'not-offered' });
    expect(resolve(says('waived', { evidence: '' }))).toMatchObject({ code: 'evidence-missing' });
    expect(resolve(says('retry'), { ...undo(), state: 'UNKNOWN' })).toMatchObject({ code: 'not-refused-for-good' });
    expect(resolve(says('waived'), { ...authorized(), state: 'FAILED' })).toMatchObject({
      code: 'not-refused-for-good',
    });
  });
});

describe('a late proof', () => {
  const failed = () => settleAttempt(settling(requested()), outcome('rejected')).effect;

  it('E08: turns a FAILED or ABSENT row into CONFIRMED only by the person who resolves it', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    for (const state of ['FAILED', 'ABSENT'] as const) {
      const result = settleLateProof({ ...failed(), state }, says('confirmed'), AFTER);
      expect(result).toMatchObject({
        effect: { state: 'CONFIRMED', code: null, failureClass: null, externalId: '42', settledAtMs: AFTER },
        receipt: { outcome: 'confirmed', observedBy: 'person' },
      });
    }
    expect(settleLateProof(failed(), says('confirmed', { output: undefined }), AFTER)).toMatchObject({
      effect: { output: null },
    });
  });

  it('E08: takes no other word and no other row', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    expect(settleLateProof(failed(), says('absent'), AFTER)).toMatchObject({ code: 'not-a-late-proof' });
    expect(settleLateProof({ ...failed(), state: 'WAIVED' }, says('confirmed'), AFTER)).toMatchObject({
      code: 'not-a-late-proof',
    });
    expect(settleLateProof(failed(), says('confirmed', { evidence: '' }), AFTER)).toMatchObject({
      code: 'evidence-missing',
    });
  });
});
