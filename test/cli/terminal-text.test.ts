import { describe, expect, it } from 'vitest';
import { cellWidth, cutTo, terminalJson, terminalText } from '../../src/cli/terminal-text.ts';

/** A cleared screen, a C1 sequence, a bell, turned reading, line ends of Unicode, half an emoji. */
const HOSTILE = ['\u001b[2J', '\u009b2J', '\u0007', '\u202e', '\u2066', '\u2028', '\u0085', '\ud83d'];

describe('text from outside', () => {
  it.each(HOSTILE.map((text) => [JSON.stringify(text), text]))(
    'does nothing on a terminal and is seen: %s',
    (_, text) => {
      const shown = terminalText(`a${text}b`);
      expect(shown).toContain('�');
      expect(shown).not.toContain(text.slice(0, 1));
    },
  );

  it('stays one line', () => {
    expect(terminalText('a\nb\tc\rd')).toBe('a b c�d');
  });

  it('leaves every other script alone', () => {
    expect(terminalText('日本 عربي é 👍')).toBe('日本 عربي é 👍');
  });

  it('as JSON is the same value, whose characters cannot act on a terminal', () => {
    for (const text of HOSTILE) {
      const json = terminalJson({ [text]: [text] }, 2);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
      expect(json).not.toContain(text);
    }
  });
});

describe('the width of text', () => {
  it('counts wide characters twice and combining ones not at all', () => {
    expect([cellWidth('日本'), cellWidth('e\u0301'), cellWidth('✔')]).toEqual([4, 1, 1]);
  });

  it('is never exceeded by a cut, which does not split a wide character', () => {
    expect([cutTo('日本語', 4), cutTo('abcdef', 4), cutTo('abcd', 4)]).toEqual(['日…', 'abc…', 'abcd']);
  });
});
