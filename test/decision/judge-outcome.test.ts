import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeAttempt, type Judging } from '../../src/decision/judge-outcome.ts';
import { RESULT_BYTES_MAX } from '../../src/decision/read-answer.ts';
import type { ActionContract, OutcomeRule } from '../../src/model/definition.ts';
import type { AttemptReport, Outcome } from '../../src/model/outcome.ts';
import { answered, cel, contract, cutOff, evaluatorFor, HOUR, RECONCILE, requested, T0 } from './ledger-fixtures.ts';

const NONE = contract({ idempotency: { kind: 'none' } });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const rule = (when: string, is: OutcomeRule['is'], code: string | null = null): OutcomeRule => ({
  when: cel(when),
  is,
  code,
});
function judge(report: AttemptReport, of: ActionContract = contract(), patch: Partial<Judging> = {}): Outcome {
  return judgeAttempt({
    evaluator: evaluatorFor(of),
    contract: of,
    effect: requested(),
    with: { amount: 100 },
    report,
    scope: { constants: { currency: 'EUR' } },
    nowMs: T0 + 500,
    ...patch,
  });
}
const verdict = (report: AttemptReport, of?: ActionContract): string => {
  const { kind, code } = judge(report, of);
  return code === null ? kind : `${kind} ${code}`;
};

describe('the default outcome table', () => {
  it.each([
    [200, 'confirmed'],
    [201, 'confirmed'],
    [204, 'confirmed'],
    [299, 'confirmed'],
    [202, 'unknown accepted'],
    [101, 'unknown http-101'],
    [301, 'rejected redirect'],
    [307, 'rejected redirect'],
    [400, 'rejected http-400'],
    [402, 'rejected http-402'],
    [404, 'rejected http-404'],
    [408, 'unknown http-408'],
    [409, 'rejected conflict'],
    [422, 'rejected http-422'],
    [429, 'throttled http-429'],
    [500, 'unknown http-500'],
    [501, 'unknown http-501'],
    [502, 'unknown http-502'],
    [503, 'unavailable http-503'],
    [504, 'unknown http-504'],
    [520, 'unknown http-520'],
  ])('takes status %i for %s', (status, expected) => {
    expect(verdict(answered(status))).toBe(expected);
  });

  it('takes 202 for pending where the action can be asked', () => {
    expect(verdict(answered(202), contract({ reconcile: RECONCILE }))).toBe('pending pending');
  });

  it('takes a reset or a time-out for unknown after a byte was written and for unavailable before', () => {
    expect(verdict({ kind: 'broken', byteWritten: true, reason: 'ECONNRESET' })).toBe('unknown no-answer');
    expect(verdict({ kind: 'broken', byteWritten: false, reason: 'ENOTFOUND' })).toBe('unavailable unreachable');
  });

  it('takes what was not sent for unavailable and says so', () => {
    expect(judge({ kind: 'unsent', reason: 'no secret pspToken' })).toMatchObject({
      kind: 'unavailable',
      code: 'not-sent',
      sent: false,
      message: 'not sent: no secret pspToken',
    });
  });

  it.each([
    ['secret', 'secret-missing'],
    ['circuit', 'circuit-open'],
    ['recovery', 'recovery'],
  ] as const)('names what a sending waited for that did not leave: %s', (lacks, code) => {
    const told = judge({ kind: 'unsent', reason: 'not now', lacks, afterMs: 5_000 });
    expect(told).toMatchObject({ kind: 'unavailable', code, sent: false, retryAfterMs: 5_000 });
  });

  it('has no status to tell of what a function answers', () => {
    const rules = contract({ outcome: [rule('response.body.no == true', 'rejected', 'sold-out')] });
    expect(judge(answered(null, { no: true }), rules).message).toBe('answered: sold-out');
    expect(judge({ ...cutOff(200), status: null } as AttemptReport).message).toBe('the answer cannot be read: cut off');
  });

  it('takes what can never be sent for rejected, of a read too, instead of trying for ever', () => {
    const report = { kind: 'unsent', reason: 'a line break in header x-note', permanent: true } as const;
    expect(judge(report)).toMatchObject({ kind: 'rejected', code: 'unsendable', sent: false, named: false });
    expect(verdict(report, contract({ effect: 'read' }))).toBe('rejected unsendable');
  });

  it('takes an answer that was cut off for unknown, whatever its status', () => {
    for (const status of [200, 400, 404, 429, 503]) expect(verdict(cutOff(status))).toBe('unknown unreadable');
  });

  it('keeps what the provider says of a refusal as data, and its wish to wait', () => {
    const outcome = judge(answered(429, { error: 'slow down' }, { 'Retry-After': '120' }));
    expect(outcome).toMatchObject({
      retryAfterMs: 120_000,
      output: { error: 'slow down' },
      resultBase64: base64('{"error":"slow down"}'),
    });
    expect(outcome.message).not.toContain('slow down');
    const dated = judge(
      answered(503, {}, { 'retry-after': 'Fri, 15 Jan 2027 08:05:00 GMT', date: 'Fri, 15 Jan 2027 08:00:00 GMT' }),
    );
    expect(dated.retryAfterMs).toBe(300_000);
  });
});

describe('a confirmed answer', () => {
  it('gives the body as output and its id as external id', () => {
    expect(judge(answered(200, { id: 'ch_1', amount: 5 }))).toMatchObject({
      kind: 'confirmed',
      output: { id: 'ch_1', amount: 5 },
      externalId: 'ch_1',
    });
    expect(judge(answered(200, { id: 7 })).externalId).toBe('7');
    expect(judge(answered(200, { id: { a: 1 } })).externalId).toBeNull();
    expect(judge(answered(200, [{ id: 1 }])).externalId).toBeNull();
  });

  it('E12: is UNKNOWN unreadable when it breaks the output schema, its bytes kept', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const typed = contract({ output: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } });
    expect(verdict(answered(200, { id: 'ch_1' }), typed)).toBe('confirmed');
    const broken = judge(answered(200, { id: 5 }), typed);
    expect(broken).toMatchObject({
      kind: 'unknown',
      code: 'unreadable',
      output: undefined,
      resultBase64: base64('{"id":5}'),
    });
    expect(verdict(answered(200, 'created'), typed)).toBe('unknown unreadable');
  });

  it('E12: is UNKNOWN unreadable when it cannot be read or stored', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    expect(judge(cutOff(200))).toMatchObject({ code: 'unreadable', resultBase64: base64('<html') });
    expect(verdict(answered(200, { note: 'a\u0000b' }))).toBe('unknown unreadable');
    expect(verdict(answered(200, { note: '\ud800' }))).toBe('unknown unreadable');
  });

  it('E12: keeps a bounded part of what is too large', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const report: AttemptReport = {
      kind: 'answered',
      status: 200,
      headers: {},
      body: undefined,
      bodyBytes: Buffer.alloc(RESULT_BYTES_MAX + 10, 97),
      unreadable: 'too large',
    };
    expect(Buffer.from(judge(report).resultBase64, 'base64').length).toBe(RESULT_BYTES_MAX);
  });

  it('is null where a function returned nothing', () => {
    const report: AttemptReport = {
      kind: 'answered',
      status: null,
      headers: {},
      body: undefined,
      bodyBytes: new Uint8Array(),
      unreadable: null,
    };
    expect(judge(report)).toMatchObject({ kind: 'confirmed', output: null });
  });
});

describe("the action's own outcome list", () => {
  it('goes before the table, first match wins', () => {
    const of = contract({
      outcome: [
        rule('response.status == 410', 'confirmed'),
        rule('response.status == 200 && response.body.ok == false', 'rejected', 'declined'),
        rule('response.status == 200', 'pending'),
      ],
      reconcile: RECONCILE,
    });
    expect(verdict(answered(410, {}), of)).toBe('confirmed');
    expect(judge(answered(200, { ok: false, error: 'x' }), of)).toMatchObject({
      kind: 'rejected',
      code: 'declined',
      named: true,
      output: { ok: false, error: 'x' },
    });
    expect(verdict(answered(200, { ok: true }), of)).toBe('pending pending');
    expect(judge(answered(404, { ok: true }), of)).toMatchObject({ kind: 'rejected', named: false });
  });

  it('reads with, effect, constants and headers', () => {
    const of = contract({
      outcome: [
        rule(
          'with.amount == 100 && effect.key != "" && constants.currency == "EUR" && response.headers["x-state"] == "held"',
          'rejected',
          'held',
        ),
      ],
    });
    expect(verdict(answered(200, {}, { 'X-State': 'held' }), of)).toBe('rejected held');
  });

  it('is not guessed past a rule that cannot be read against the answer: UNKNOWN unreadable', () => {
    const of = contract({ outcome: [rule('response.body.ok == false', 'rejected', 'declined')] });
    expect(verdict(answered(200, { fine: true }), of)).toBe('unknown unreadable');
  });

  it('may name an answer whose body is unreadable, but not confirm by it', () => {
    const of = contract({
      outcome: [rule('response.status == 402', 'rejected', 'declined'), rule('response.status == 200', 'confirmed')],
    });
    expect(verdict(cutOff(402), of)).toBe('rejected declined');
    expect(verdict(cutOff(200), of)).toBe('unknown unreadable');
  });

  it('takes absent for unknown: an attempt cannot prove it', () => {
    const of = contract({ outcome: [rule('response.status == 404', 'absent', 'gone')] });
    expect(judge(answered(404), of)).toMatchObject({ kind: 'unknown', code: 'gone', named: true });
  });

  it('does not hide a bug behind an outcome', () => {
    const of = contract({ outcome: [rule('response.status == 1', 'rejected')] });
    const evaluator = {
      ...evaluatorFor(of),
      holds: () => {
        throw new TypeError('a bug');
      },
    };
    expect(() => judge(answered(200), of, { evaluator })).toThrow('a bug');
  });
});

describe('refusals that are believed only where repeating is safe', () => {
  it('E07: 503 and 429 are definite for a remembered key and natural, unknown for none and lookup-only', () => {
    // E07: "503 and 429 count as definite for remembered keys and `natural`."
    for (const [status, kind] of [
      [503, 'unavailable'],
      [429, 'throttled'],
    ] as const) {
      expect(judge(answered(status)).kind).toBe(kind);
      expect(judge(answered(status), contract({ idempotency: { kind: 'natural' } })).kind).toBe(kind);
      expect(verdict(answered(status), NONE)).toBe(`unknown http-${status}`);
      expect(verdict(answered(status), contract({ idempotency: { kind: 'none' }, reconcile: RECONCILE }))).toBe(
        `unknown http-${status}`,
      );
    }
  });

  it("E07: the action's own outcome may say otherwise", () => {
    // E07: "for `none` and lookup-only they are unknown unless the action's own `outcome` says otherwise."
    const of = contract({ idempotency: { kind: 'none' }, outcome: [rule('response.status == 503', 'unavailable')] });
    expect(judge(answered(503), of)).toMatchObject({ kind: 'unavailable', named: true });
  });

  it('E07: a key that the provider has forgotten counts as none', () => {
    // E07: "503 and 429 count as definite for remembered keys and `natural`."
    expect(judge(answered(503), contract(), { nowMs: T0 + 24 * HOUR }).kind).toBe('unavailable');
    expect(judge(answered(503), contract(), { nowMs: T0 + 24 * HOUR + 1 }).kind).toBe('unknown');
  });

  it('E07: a connection that was never made is definite for everybody', () => {
    // E07: "`idempotency: none` without reconcile is never sent again after a sending whose outcome is not definite."
    expect(verdict({ kind: 'broken', byteWritten: false, reason: 'ECONNREFUSED' }, NONE)).toBe(
      'unavailable unreachable',
    );
  });
});

describe('what a function says', () => {
  const says = (
    outcome: Outcome['kind'],
    patch: Partial<Extract<AttemptReport, { kind: 'declared' }>> = {},
  ): AttemptReport => ({
    kind: 'declared',
    outcome,
    code: null,
    afterMs: null,
    data: { id: 1 },
    ...patch,
  });

  it('is its outcome', () => {
    expect(judge(says('rejected', { code: 'declined' }))).toMatchObject({
      kind: 'rejected',
      code: 'declined',
      named: false,
      output: { id: 1 },
    });
    expect(judge(says('throttled', { afterMs: 5_000 }))).toMatchObject({ kind: 'throttled', retryAfterMs: 5_000 });
    expect(judge(says('unavailable'))).toMatchObject({ kind: 'unavailable', code: 'unavailable' });
    expect(judge(says('confirmed'))).toMatchObject({ kind: 'confirmed', output: { id: 1 }, externalId: '1' });
  });

  it('is pending only where it can be asked, and never absent', () => {
    expect(verdict(says('pending'))).toBe('unknown pending');
    expect(verdict(says('pending'), contract({ reconcile: RECONCILE }))).toBe('pending pending');
    expect(verdict(says('absent'))).toBe('unknown absent');
  });

  it('E15: is named by a rule about failure, and rules about response do not disturb', () => {
    // E15: "… `rejected` from a later attempt settles the row only if the action's own `outcome` names that answer ("already exists" is not "never happened")."
    const of = contract({
      outcome: [
        rule('response.status == 409', 'confirmed'),
        rule('failure.code == "exists"', 'rejected', 'duplicate'),
        rule('failure.class == "throttled"', 'rejected'),
      ],
    });
    expect(judge(says('rejected', { code: 'exists' }), of)).toMatchObject({
      kind: 'rejected',
      code: 'duplicate',
      named: true,
    });
    expect(judge(says('throttled', { code: 'slow' }), of)).toMatchObject({
      kind: 'rejected',
      code: 'slow',
      named: true,
    });
    expect(judge(says('throttled'), of)).toMatchObject({ kind: 'rejected', code: 'rejected' });
    expect(judge(says('rejected', { code: 'other' }), of)).toMatchObject({ named: false });
    expect(judge(answered(409), of)).toMatchObject({ kind: 'confirmed' });
  });

  it('E12: is UNKNOWN unreadable where the output schema or a rule cannot take it', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const typed = contract({ output: { type: 'string' } });
    expect(verdict(says('confirmed'), typed)).toBe('unknown unreadable');
    const faulty = contract({ outcome: [rule('failure.data.x == 1', 'rejected')] });
    expect(verdict(says('rejected'), faulty)).toBe('unknown unreadable');
  });
});

describe('redaction', () => {
  const of = contract({ redact: ['/card/number', '/tokens/0', '/missing', '/a~1b'] });
  const body = { id: 'ch_1', card: { number: '4242', brand: 'visa' }, tokens: ['t1', 't2'], 'a/b': 1 };
  const hash = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

  it('keeps the values out of output and bytes; the receipt has their hashes', () => {
    const outcome = judge(answered(200, body), of);
    expect(outcome.output).toEqual({ id: 'ch_1', card: { brand: 'visa' }, tokens: [null, 't2'] });
    const kept = Buffer.from(outcome.resultBase64, 'base64').toString();
    expect(JSON.parse(kept)).toEqual({
      id: 'ch_1',
      card: { number: hash('"4242"'), brand: 'visa' },
      tokens: [hash('"t1"'), 't2'],
      'a/b': hash('1'),
    });
    expect(kept).not.toContain('4242');
  });

  it('asks the output schema about the whole answer', () => {
    const typed = contract({
      ...of,
      output: { type: 'object', required: ['card'], properties: { card: { type: 'object', required: ['number'] } } },
    });
    expect(judge(answered(200, body), typed).kind).toBe('confirmed');
  });

  it('keeps only a hash of bytes that could not be read', () => {
    const outcome = judge(cutOff(200), of);
    expect(Buffer.from(outcome.resultBase64, 'base64').toString()).toBe(hash('<html'));
  });

  it('can take the whole body, and holds for what functions say', () => {
    const whole = contract({ redact: [''] });
    expect(judge(answered(200, { id: 1 }), whole)).toMatchObject({ kind: 'confirmed', output: null, externalId: null });
    const declared = judge(
      { kind: 'declared', outcome: 'rejected', code: 'x', afterMs: null, data: { card: { number: '4242' } } },
      of,
    );
    expect(JSON.stringify(declared)).not.toContain('4242');
    expect(declared.output).toEqual({ card: {} });
  });

  it('treats __proto__ as plain data', () => {
    const hostile = JSON.parse('{"__proto__":{"secret":1},"id":"x"}');
    const outcome = judge(answered(200, hostile), contract({ redact: ['/__proto__/secret'] }));
    expect(JSON.stringify(outcome.output)).toBe('{"__proto__":{},"id":"x"}');
  });
});

describe('a read', () => {
  const read = contract({ effect: 'read', idempotency: null, outcome: [] });
  const judgeRead = (report: AttemptReport): string => {
    const { kind, code } = judge(report, read, { effect: null });
    return `${kind} ${code}`;
  };

  it('is judged by the rules of its action, too, which see no effect', () => {
    const ruled = { ...read, outcome: [rule('response.body.gone == true', 'rejected', 'gone')] };
    expect(judge(answered(200, { gone: true }), ruled, { effect: null })).toMatchObject({
      kind: 'rejected',
      code: 'gone',
    });
  });

  it('may be asked again freely: what is not definite counts as unavailable', () => {
    expect(judgeRead({ kind: 'broken', byteWritten: true, reason: 'reset' })).toBe('unavailable no-answer');
    expect(judgeRead(answered(500))).toBe('unavailable http-500');
    expect(judgeRead(answered(503))).toBe('unavailable http-503');
    expect(judgeRead(answered(429))).toBe('throttled http-429');
    expect(judgeRead(answered(404))).toBe('rejected http-404');
  });

  it('stays unreadable where asking again would not help', () => {
    expect(judgeRead(cutOff(200))).toBe('unknown unreadable');
  });
});
