import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { readJson } from '../../src/model/read-json.ts';

const read = (text: string): Json => readJson(text, '--input');

describe('reading JSON from outside', () => {
  it('gives what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, (_, part: unknown) =>
          typeof part === 'number' && Math.abs(part) > Number.MAX_SAFE_INTEGER ? 1 : part,
        );
        expect(JSON.stringify(read(text))).toBe(text);
      }),
    );
  });

  it.each([
    [
      '{"account": 9007199254740993}',
      '--input: /account holds 9007199254740993, which cannot be kept exactly: send it as a text',
    ],
    [
      '{"a": [1, {"b/c": 100000000000000001}]}',
      '--input: /a/1/b~1c holds 100000000000000001, which cannot be kept exactly: send it as a text',
    ],
    ['[1e400]', '--input: /0 holds 1e400, which cannot be kept exactly: send it as a text'],
    ['{"a": 1e-400}', '--input: /a holds 1e-400, which cannot be kept exactly: send it as a text'],
    ['[-0.1E-999]', '--input: /0 holds -0.1E-999, which cannot be kept exactly: send it as a text'],
    ['1e17', '--input: / holds 1e17, which cannot be kept exactly: send it as a text'],
    ['{"a": 1, "a": 2}', '--input: /a is there twice'],
    ['{"a": {"b": 1, "\\u0062": 2}}', '--input: /a/b is there twice'],
  ])('refuses %s with its place', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('refuses what is no JSON', () => {
    expect(() => read('{a: 1}')).toThrow(/^--input is not JSON/);
  });

  it('takes every way to write zero', () => {
    expect(read('[0, 0.0, 0e5, 0.00E-999]')).toEqual([0, 0, 0, 0]);
  });

  it('lets digits in texts and the largest exact numbers pass', () => {
    expect(read('{"9007199254740993": "9007199254740993", "n": 9007199254740991, "x": 0.1}')).toEqual({
      '9007199254740993': '9007199254740993',
      n: 9007199254740991,
      x: 0.1,
    });
  });
});
