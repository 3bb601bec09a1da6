import { describe, expect, it } from 'vitest';
import { parseScript, wordFor, wordText } from '../../src/testing/provider/script.ts';

/** The first words of a script as text. */
function words(script: string | readonly string[], calls = 5): string {
  const parsed = parseScript('charge', script);
  return Array.from({ length: calls }, (_, call) => wordText(wordFor(parsed, call))).join(' ');
}

describe('provider scripts', () => {
  it('give each call its word, and the last one repeats', () => {
    expect(words('lost-done, ok')).toBe('lost-done ok ok ok ok');
    expect(words(['503', '429', 'declined'])).toBe('503 429 declined declined declined');
  });

  it('read what the cases write: how often, and then', () => {
    expect(words('503 x3 then ok')).toBe('503 503 503 ok ok');
    expect(words('hang then lost-not-done x 2 then refused')).toBe('hang lost-not-done lost-not-done refused refused');
  });

  it('say ok where there is no script', () => {
    expect(wordText(wordFor(undefined, 7))).toBe('ok');
  });

  it.each(['', 'ok,', 'fine', '200', '999', 'ok x0', 'ok x20000', 'ok ok'])(
    'refuse %j with the word named',
    (script) => {
      expect(() => parseScript('charge', script)).toThrow(/script of charge: /);
    },
  );
});
