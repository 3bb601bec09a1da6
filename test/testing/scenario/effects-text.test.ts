import { describe, expect, it } from 'vitest';
import { effectsText, readEffects } from '../../../src/testing/scenario/effects-text.ts';
import { followEffects } from '../../../src/testing/scenario/follow-effects.ts';

function follow(text: string, happened: readonly string[]) {
  const reading = readEffects(text);
  if (!reading.ok) throw new Error(reading.message);
  return followEffects(reading.pattern, happened, (one, name) => one === name);
}

describe('an effects text', () => {
  it.each([
    ['a, b', ['a', 'b']],
    ['-', []],
    ['a x3', ['a', 'a', 'a']],
    ['a x2, b', ['a', 'a', 'b']],
    ['{a ; b}', ['b', 'a']],
    ['{a ; b}', ['a', 'b']],
    ['{a, b ; c}', ['a', 'c', 'b']],
    ['{a, b ; c, d}, e', ['c', 'a', 'b', 'd', 'e']],
    ['a, {b ; {c ; d}}, e', ['a', 'd', 'b', 'c', 'e']],
    ['{a ; a, b}', ['a', 'b', 'a']],
    ['undo pay, pay#2', ['undo pay', 'pay#2']],
  ])('%s takes %j', (text, happened) => {
    expect(follow(text, happened)).toBeNull();
  });

  it.each([
    ['a, b', ['b', 'a'], 0, ['a']],
    ['a, b', ['a'], 1, ['b']],
    ['a', ['a', 'a'], 1, []],
    ['-', ['a'], 0, []],
    ['a x3', ['a', 'a'], 2, ['a']],
    ['{a ; b}, c', ['a', 'c'], 1, ['b']],
    ['{a, b ; c}', ['b'], 0, ['a', 'c']],
    ['{a ; b}', ['a', 'b', 'a'], 2, []],
  ])('%s leaves %j at %d, where %j could have come', (text, happened, index, expected) => {
    expect(follow(text, happened)).toEqual({ index, expected });
  });

  it.each([
    ['a, , b', 'a name is missing', [3, 4]],
    ['a,', 'a name is missing', [1, 2]],
    ['{a ; b', '`{` is never closed', [0, 1]],
    ['a } b', '`}` has no place here', [2, 3]],
    ['a ; b', '`;` has no place here', [2, 3]],
    ['a x10001', 'at most x10000', [0, 8]],
  ])('%s is told with its place', (text, message, at) => {
    expect(readEffects(text)).toEqual({ ok: false, message, at });
  });

  it('knows where each name stands', () => {
    const reading = readEffects('a x2, {undo b ; c}');
    expect(reading.ok && reading.names).toEqual([
      { name: 'a', at: [0, 1] },
      { name: 'undo b', at: [7, 13] },
      { name: 'c', at: [16, 17] },
    ]);
  });

  it('is made from names: nothing is a dash, the same again is counted', () => {
    expect(effectsText([])).toBe('-');
    expect(effectsText(['a', 'a', 'b', 'a'])).toBe('a x2, b, a');
  });
});
