import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { findUnstorable, STORABLE_BYTES_MAX, STORABLE_DEPTH_MAX } from '../../src/model/storable.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('P11: what JSON or PostgreSQL cannot hold is refused at the edge with the pointer named', () => {
  it('P11 a NUL is found in values and keys, with a pointer that can itself be stored', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable({ a: { name: 'a\0b' } })).toEqual({ pointer: '/a/name', reason: 'a NUL character (U+0000)' });
    expect(findUnstorable({ 'k\0': 1 })).toEqual({
      pointer: '/k\\u0000',
      reason: 'a key with a NUL character (U+0000)',
    });
  });

  it('P11 half an emoji is found, a whole one is left alone', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable({ text: 'ok \ud83d\ude00', '\ud83d\ude00': 1 })).toBeNull();
    expect(findUnstorable(['\ud83d'])).toEqual({
      pointer: '/0',
      reason: 'half of a surrogate pair, which is no character',
    });
    expect(findUnstorable(['x', '\ude00'])?.pointer).toBe('/1');
    expect(findUnstorable('😀'.repeat(70).slice(0, 139))?.pointer).toBe('');
    expect(findUnstorable({ 'a\ud83d': 1 })).toEqual({
      pointer: '/a\\ud83d',
      reason: expect.stringContaining('a key with half'),
    });
  });

  it('P11 NaN, infinity and whole numbers beyond 2^53 are found', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable({ a: Number.NaN })?.pointer).toBe('/a');
    expect(findUnstorable([Number.POSITIVE_INFINITY])?.pointer).toBe('/0');
    expect(findUnstorable(2 ** 53)?.reason).toContain('2^53');
    expect(findUnstorable(-(2 ** 53))?.reason).toContain('2^53');
    expect([2 ** 53 - 1, -(2 ** 53) + 1, 0.1, 1e-300, -0].map(findUnstorable)).toEqual([null, null, null, null, null]);
  });

  it('P11 nesting is counted in lists and maps alike', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable(nested(STORABLE_DEPTH_MAX))).toBeNull();
    expect(findUnstorable(nested(STORABLE_DEPTH_MAX + 1))?.reason).toBe('nested deeper than 64');
  });

  it('P11 size is counted in bytes of JSON, escapes included', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable('x'.repeat(STORABLE_BYTES_MAX - 2))).toBeNull();
    expect(findUnstorable('x'.repeat(STORABLE_BYTES_MAX - 1))?.reason).toContain('262144 bytes');
    expect(findUnstorable('é'.repeat(STORABLE_BYTES_MAX / 2))?.reason).toContain('262144 bytes');
    expect(findUnstorable('\n'.repeat(STORABLE_BYTES_MAX / 2))?.reason).toContain('262144 bytes');
    expect(findUnstorable('x'.repeat(STORABLE_BYTES_MAX * 4))?.reason).toContain('262144 bytes');
    expect(findUnstorable(Array(STORABLE_BYTES_MAX / 4).fill('ab'))?.reason).toContain('262144 bytes');
    expect(findUnstorable(Array(STORABLE_BYTES_MAX / 4).fill(true))?.reason).toContain('262144 bytes');
    expect(findUnstorable(Array(STORABLE_BYTES_MAX / 4).fill(null))?.reason).toContain('262144 bytes');
  });

  it('P11 __proto__ and constructor are plain data', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable(JSON.parse('{"__proto__": {"a": 1}, "constructor": [null]}'))).toBeNull();
    expect(findUnstorable(JSON.parse('{"__proto__": {"a": "\\u0000"}}'))?.pointer).toBe('/__proto__/a');
  });

  it('P11 what is no JSON at all is found, and a value that holds itself ends', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const loop: unknown[] = [];
    loop.push(loop);
    expect(findUnstorable(loop)?.reason).toBe('nested deeper than 64');
    for (const value of [undefined, 1n, Symbol('x'), () => 1]) expect(findUnstorable({ a: value })?.pointer).toBe('/a');
    expect(findUnstorable({ at: new Date(0) })).toEqual({ pointer: '/at', reason: 'an object of a class is not JSON' });
    expect(findUnstorable(Object.assign(Object.create(null), { a: 1 }))).toBeNull();
    expect(findUnstorable(Object.assign([1], { 2: 2 }))?.pointer).toBe('/1');
  });

  it('P11 pointers escape ~ and /', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(findUnstorable({ 'a/b~c': [Number.NaN] })?.pointer).toBe('/a~1b~0c/0');
  });

  it('P11 every JSON value within the bounds is left alone, and one bad leaf in it is found', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const bad =
          /\\u0000|\\ud[89a-f]/i.test(text) ||
          JSON.stringify(value, (_, item) =>
            typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item) ? 'BIG' : item,
          ).includes('BIG');
        fc.pre(!bad);
        expect(findUnstorable(value)).toBeNull();
        expect(findUnstorable({ deep: [value, '\0'] })?.pointer).toBe('/deep/1');
      }),
    );
  });
});
