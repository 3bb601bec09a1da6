import { describe, expect, it } from 'vitest';
import { counted, spanWords, timeWords } from '../../src/cli/time-words.ts';

describe('times for people', () => {
  it.each([
    [0, '0 ms'],
    [210, '210 ms'],
    [3_140, '3.1 s'],
    [59_949, '59.9 s'],
    [60_000, '1 min'],
    [245_000, '4 min 5 s'],
    [3_600_000, '1 h'],
    [7_800_000, '2 h 10 min'],
    [100 * 3_600_000, '4 d 4 h'],
  ])('%i ms is %s', (ms, words) => {
    expect(spanWords(ms)).toBe(words);
  });

  it('say that they are UTC', () => {
    expect(timeWords('2026-11-29T16:26:28.123Z')).toBe('2026-11-29 16:26:28 UTC');
  });

  it('counts in the singular and the plural', () => {
    expect([counted(0, 'effect'), counted(1, 'effect'), counted(2, 'effect')]).toEqual([
      '0 effects',
      '1 effect',
      '2 effects',
    ]);
  });
});
