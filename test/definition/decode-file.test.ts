import { describe, expect, it } from 'vitest';
import { decodeFile } from '../../src/definition/decode-file.ts';

describe('the bytes of a file', () => {
  it.each(['', 'a: ü€😀\n', '\uFEFFa: 1\r\n', 'a: \uFFFD and \uFFFD\n'])('that are UTF-8 are its text: %j', (text) => {
    expect(decodeFile(Buffer.from(text), 'f')).toEqual({ text, problem: null });
  });

  it.each<[string, Buffer, number, number, string]>([
    ['Latin 1', Buffer.from('a: 1\r\nb: caf\xe9\n', 'latin1'), 2, 7, 'byte 13, 0xE9,'],
    ['UTF-16', Buffer.from('\uFEFFa: 1\n', 'utf16le'), 1, 1, 'byte 1, 0xFF,'],
    ['a character cut off', Buffer.from('a: 😀').subarray(0, 5), 1, 4, 'byte 4, 0xF0,'],
    [
      'a byte after a real U+FFFD',
      Buffer.concat([Buffer.from('\uFEFFa: \uFFFD\n\uFFFD€'), Buffer.of(0xc0)]),
      2,
      3,
      'byte 17, 0xC0,',
    ],
  ])('that are none are told once, at the first: %s', (_name, bytes, line, column, said) => {
    const { problem } = decodeFile(bytes, 'f');
    expect(problem).toMatchObject({ code: 'PAWL-019', file: 'f', range: { line, column } });
    expect(problem?.message).toContain(said);
  });
});
