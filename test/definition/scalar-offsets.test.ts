import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type NodeStyle, scalarOffsets } from '../../src/definition/scalar-offsets.ts';

/** A scalar as it is written, with `⟦` before the source of the letter `@` of its text. */
const SCALARS: readonly (readonly [why: string, style: NodeStyle, source: string])[] = [
  ['a plain text', 'plain', 'ab ⟦@'],
  ['a plain text over two lines', 'plain', 'ab\n    c ⟦@'],
  ['a plain text with an empty line', 'plain', 'ab\n\n    c⟦@'],
  ['single quotes with a doubled one', 'single', "'it''s ⟦@'"],
  ['single quotes over two lines', 'single', "'one  \n   two ⟦@'"],
  ['an escape of two letters', 'double', '"a\\t\\"b⟦@"'],
  ['an escape of two digits', 'double', '"\\x41⟦@"'],
  ['an escape of four digits', 'double', '"\\u00e4⟦@"'],
  ['an escape of eight digits', 'double', '"\\U000000e4⟦@"'],
  ['an escape of eight digits for two units', 'double', '"\\U0001F642⟦@"'],
  ['an escaped line end', 'double', '"one\\\n   \t two⟦@"'],
  ['double quotes over two lines', 'double', '"one\n   two⟦@"'],
  ['a letter of two units before it', 'double', '"🙂⟦@"'],
  ['a literal', 'literal', '|\n  one\n    two\n  ⟦@\n'],
  ['a literal with an empty line first', 'literal', '|\n\n  one ⟦@\n'],
  ['a folded text', 'folded', '>-\n  one\n  two\n\n  ⟦@\n'],
];

describe('offsets in a scalar', () => {
  it.each(SCALARS)('lead to the letter in the source: %s', (_why, style, marked) => {
    const source = marked.replace('⟦', '');
    const text: unknown = parse(source);
    if (typeof text !== 'string') throw new Error('a scalar is a text');
    const offsets = scalarOffsets(source, text, style);
    expect(offsets).toHaveLength(text.length + 1);
    expect(offsets[text.indexOf('@')]).toBe(marked.indexOf('⟦'));
  });

  it('of an escape are those of its backslash, also for its second unit', () => {
    expect(scalarOffsets('"\\U0001F642x"', '🙂x', 'double')).toEqual([1, 1, 11, 12]);
  });

  it('of a block that says its indentation keep the blanks beyond it', () => {
    expect(scalarOffsets('|1\n  a\n', ' a\n', 'literal')).toEqual([4, 5, 6, 7]);
  });

  it('of a block without a letter end with it', () => {
    expect(scalarOffsets('|+\n\n', '\n', 'literal')).toEqual([3, 4]);
  });
});
