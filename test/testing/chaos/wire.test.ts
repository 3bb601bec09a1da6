import { describe, expect, it } from 'vitest';
import {
  isDone,
  isRequest,
  queryMessage,
  startupBytes,
  startupMessage,
  wholeMessages,
} from '../../../src/testing/chaos/wire.ts';

/** A message of PostgreSQL: its letter, its length, its text. */
function message(letter: string, text = ''): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 0);
  head.writeInt32BE(4 + Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

describe('messages of PostgreSQL', () => {
  it('whole ones are told from one that is still on its way, wherever the bytes were cut', () => {
    const whole = Buffer.concat([message('P', 'INSERT'), message('B'), message('S')]);
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const { letters, bytes } = wholeMessages(whole.subarray(0, cut));
      expect('PBS'.startsWith(letters)).toBe(true);
      expect(bytes).toBe([0, 11, 16, 21][letters.length]);
      expect(bytes).toBeLessThanOrEqual(cut);
    }
    expect(wholeMessages(whole)).toEqual({ letters: 'PBS', bytes: 21 });
  });

  it('a client has asked once it says Sync, Query or goodbye', () => {
    expect(['PB', 'PBE', ''].filter((letters) => isRequest({ letters, bytes: 0 }))).toEqual([]);
    expect(['PBES', 'Q', 'X'].filter((letters) => isRequest({ letters, bytes: 0 }))).toEqual(['PBES', 'Q', 'X']);
  });

  it('a server has done it once a command is complete and it is ready again: an error alone is no answer to lose', () => {
    expect(isDone({ letters: '12DCZ', bytes: 0 })).toBe(true);
    expect(['12D', 'EZ', 'C'].filter((letters) => isDone({ letters, bytes: 0 }))).toEqual([]);
  });

  it('a session begins with a message without a letter, whose length is its first four bytes', () => {
    const first = startupMessage('pawl', 'shop');
    expect(startupBytes(first)).toBe(first.length);
    expect(startupBytes(first.subarray(0, 3))).toBeNull();
    expect(first.subarray(8).toString()).toBe('user\0pawl\0database\0shop\0\0');
    expect(first.readInt32BE(4)).toBe(0x3_0000);
  });

  it('a query is one whole message that asks', () => {
    const query = queryMessage('SELECT 1');
    expect(wholeMessages(query)).toEqual({ letters: 'Q', bytes: query.length });
    expect(query.subarray(5).toString()).toBe('SELECT 1\0');
  });
});
