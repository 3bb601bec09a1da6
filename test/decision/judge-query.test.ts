import { describe, expect, it } from 'vitest';
import { judgeQuery } from '../../src/decision/judge-query.ts';
import type { ActionContract, OutcomeRule, ReconcileContract } from '../../src/model/definition.ts';
import type { AttemptReport, Outcome } from '../../src/model/outcome.ts';
import {
  answered,
  cel,
  contract,
  cutOff,
  evaluatorFor,
  RECONCILE,
  requested,
  T0,
  template,
} from './ledger-fixtures.ts';

const rule = (when: string, is: OutcomeRule['is'], code: string | null = null): OutcomeRule => ({
  when: cel(when),
  is,
  code,
});
const asks = (patch: Partial<ReconcileContract> = {}, of: Partial<ActionContract> = {}): ActionContract =>
  contract({ reconcile: { ...RECONCILE, ...patch }, ...of });
function judge(report: AttemptReport, of: ActionContract = asks()): Outcome {
  const evaluator = evaluatorFor(of);
  return judgeQuery({
    evaluator,
    contract: of,
    effect: requested(),
    with: { case: 'c1' },
    report,
    scope: {},
    nowMs: T0,
  });
}
const verdict = (report: AttemptReport, of?: ActionContract): string => {
  const { kind, code } = judge(report, of);
  return code === null ? kind : `${kind} ${code}`;
};

describe('a query with `found`', () => {
  it('finds the effect and gives its output', () => {
    expect(judge(answered(200, { items: [{ id: 'ch_9' }] }))).toMatchObject({
      kind: 'confirmed',
      output: { id: 'ch_9' },
      externalId: 'ch_9',
      resultBase64: Buffer.from('{"items":[{"id":"ch_9"}]}').toString('base64'),
    });
  });

  it('is not put for want of a secret, which has a code of its own', () => {
    const unsent = { kind: 'unsent', reason: 'the secret token is missing here' } as const;
    expect(judge({ ...unsent, lacks: 'secret' })).toMatchObject({
      kind: 'unknown',
      code: 'secret-missing',
      sent: false,
    });
    expect(verdict({ ...unsent, lacks: 'circuit' })).toBe('unknown query-failed');
  });

  it('finds an effect whose answer says nothing: its output is null', () => {
    const silent = { ...answered(204), body: undefined, bodyBytes: Buffer.alloc(0) } as AttemptReport;
    const byStatus = asks({ found: cel('response.status == 204'), output: null });
    expect(judge(silent, byStatus)).toMatchObject({ kind: 'confirmed', output: null, externalId: null });
  });

  it('does not find it', () => {
    expect(verdict(answered(200, { items: [] }))).toBe('absent absent');
    const byStatus = asks({ found: cel('response.status == 200'), output: null });
    expect(verdict(answered(404), byStatus)).toBe('absent absent');
    expect(verdict(answered(410), byStatus)).toBe('absent absent');
    expect(judge(answered(200, { id: 5 }), byStatus)).toMatchObject({ kind: 'confirmed', output: { id: 5 } });
  });

  it('E06: proves nothing when it fails itself: a 401, a 500, a redirect or silence is not "not found"', () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const byStatus = asks({ found: cel('response.status == 200') });
    for (const status of [302, 400, 401, 403, 408, 409, 429, 500, 503]) {
      expect(verdict(answered(status), byStatus)).toBe('unknown query-failed');
    }
    expect(verdict({ kind: 'broken', byteWritten: true, reason: 'reset' })).toBe('unknown query-failed');
    expect(verdict({ kind: 'broken', byteWritten: false, reason: 'refused' })).toBe('unknown query-failed');
    expect(verdict({ kind: 'unsent', reason: 'no secret' })).toBe('unknown query-failed');
    expect(verdict({ kind: 'unsent', reason: 'a line break', permanent: true })).toBe('unknown unsendable');
    expect(verdict(cutOff(200))).toBe('unknown query-failed');
  });

  it('proves nothing when `found` or `output` cannot be read against the answer', () => {
    expect(verdict(answered(200, { other: [] }))).toBe('unknown unreadable');
    const badOutput = asks({ output: template('${ response.body.items[3] }') });
    expect(verdict(answered(200, { items: [1] }), badOutput)).toBe('unknown unreadable');
  });

  it('E12: an output that breaks the schema confirms nothing', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const typed = asks({}, { output: { type: 'object', required: ['id'] } });
    expect(verdict(answered(200, { items: [{}] }), typed)).toBe('unknown unreadable');
    expect(verdict(answered(200, { items: [{ id: 1 }] }), typed)).toBe('confirmed');
  });

  it('reads what was recorded of the effect', () => {
    const of = asks({ found: cel('response.body.case == with.case && effect.key != ""'), output: null });
    expect(verdict(answered(200, { case: 'c1' }), of)).toBe('confirmed');
    expect(verdict(answered(200, { case: 'c2' }), of)).toBe('absent absent');
  });

  it('keeps redacted values out of output and bytes, wherever they stand in the answer of the query', () => {
    const of = asks({}, { redact: ['/pan'] });
    const found = judge(answered(200, { items: [{ id: 'x', pan: '4242' }] }), of);
    expect(found.output).toEqual({ id: 'x' });
    expect(Buffer.from(found.resultBase64, 'base64').toString()).toMatch(/^{"id":"x","pan":"sha256:[0-9a-f]{64}"}$/);
    const pending = asks({ outcome: [rule('true', 'rejected')] }, { redact: ['/pan'] });
    const declined = judge(answered(200, { items: [{ pan: '4242' }] }), pending);
    expect(declined.output).toBeUndefined();
    expect(Buffer.from(declined.resultBase64, 'base64').toString()).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('a query with an outcome list', () => {
  const of = asks({
    found: null,
    output: null,
    outcome: [
      rule('response.status == 200 && response.body.state == "done"', 'confirmed'),
      rule('response.status == 200 && response.body.state == "declined"', 'rejected', 'declined'),
      rule('response.status == 200 && response.body.state == "queued"', 'pending'),
      rule('response.status == 404', 'absent'),
      rule('response.status == 503', 'unavailable', 'down'),
    ],
  });

  it('says what it found', () => {
    expect(verdict(answered(200, { state: 'done', id: 'x' }), of)).toBe('confirmed');
    expect(verdict(answered(200, { state: 'declined' }), of)).toBe('rejected declined');
    expect(verdict(answered(200, { state: 'queued' }), of)).toBe('pending pending');
    expect(verdict(answered(404), of)).toBe('absent absent');
  });

  it('proves nothing by an answer that it does not name, or names as no proof', () => {
    expect(verdict(answered(200, { state: 'strange' }), of)).toBe('unknown query-unclear');
    expect(verdict(answered(500), of)).toBe('unknown query-failed');
    expect(verdict(answered(503), of)).toBe('unknown query-failed');
    expect(judge(answered(503), of).message).toContain('down');
    expect(judge(answered(200), asks({ outcome: [rule('true', 'unknown')] })).message).toContain('unknown');
  });

  it('proves nothing when a rule cannot be read against the answer', () => {
    expect(verdict(answered(200, {}), asks({ outcome: [rule('response.body.state == "done"', 'confirmed')] }))).toBe(
      'unknown unreadable',
    );
  });

  it('confirms nothing by an unreadable answer', () => {
    expect(verdict(cutOff(200), asks({ output: null, outcome: [rule('response.status == 200', 'confirmed')] }))).toBe(
      'unknown unreadable',
    );
  });
});

describe('a query by a function', () => {
  const says = (outcome: Outcome['kind'], code: string | null = null): AttemptReport => ({
    kind: 'declared',
    outcome,
    code,
    afterMs: null,
    data: { id: 3 },
  });

  it('says confirmed, rejected, pending or absent', () => {
    expect(judge(says('confirmed'))).toMatchObject({ kind: 'confirmed', output: { id: 3 }, externalId: '3' });
    expect(verdict(says('rejected', 'declined'))).toBe('rejected declined');
    expect(verdict(says('pending'))).toBe('pending pending');
    expect(verdict(says('absent'))).toBe('absent absent');
  });

  it('proves nothing otherwise', () => {
    for (const kind of ['unknown', 'unavailable', 'throttled'] as const)
      expect(verdict(says(kind))).toBe('unknown query-failed');
    expect(judge(says('unknown', 'odd')).message).toContain('odd');
    expect(verdict(says('confirmed'), asks({}, { output: { type: 'string' } }))).toBe('unknown unreadable');
  });

  it('that returns a plain value is judged by `found`', () => {
    const of = asks({ found: cel('response.body.ok'), output: null });
    expect(verdict(answered(null, { ok: true }), of)).toBe('confirmed');
    expect(verdict(answered(null, { ok: false }), of)).toBe('absent absent');
  });
});

describe('a query without a contract', () => {
  it('is a bug', () => {
    expect(() => judge(answered(200), contract())).toThrow('only an action with reconcile');
  });
});
