import { describe, expect, it } from 'vitest';
import { acceptWith } from '../../src/decision/accept-with.ts';
import { Play, workflow } from './support/play.ts';

describe('the `with` of a call', () => {
  const action = { name: 'pay', input: { type: 'object', properties: { currency: { default: 'CHF' } } } };

  it('has the defaults of the action written in, and shows them to the undo as what was sent', () => {
    expect(acceptWith(action, {})).toEqual({ currency: 'CHF' });
    expect(acceptWith(action, { currency: null })).toEqual({ currency: null });
    const text = workflow(
      '  - { id: p, call: pay }\n  - { id: f, fail: { code: no } }',
      '  pay: { function: pay@1, idempotency: natural, input: { type: object, required: [currency], properties: { currency: { type: string, default: CHF } } }, compensate: { call: undo.a, with: { back: =effect.input.currency } } }',
    );
    const run = new Play(text).drive();
    expect(JSON.parse(run.rowOf('p').request)).toMatchObject({ with: { currency: 'CHF' } });
    expect(JSON.parse(run.rowOf('p', 'undo').request)).toMatchObject({ with: { back: 'CHF' } });
  });

  it.each([
    ['a NUL', '${ "a\\u0000b" }'],
    ['more than 256 KiB', `\${ ${Array.from({ length: 300 }, () => 'input.kilo').join(' + ')} }`],
  ])('P11 that cannot be stored is the failure expression of its step, and nothing is sent: %s', (_what, value) => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const text = workflow(`  - { id: a, call: do.a, with: { t: '${value}' } }`, 'input: { type: object }');
    const run = new Play(text, { input: { kilo: 'k'.repeat(1_024) } }).drive();
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'a' });
    expect(JSON.stringify(run.head().failure)).toContain('cannot be stored');
    expect(run.calls).toEqual([]);
  });
});
