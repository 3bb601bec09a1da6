import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/testing/random.ts';

describe('seeded randomness', () => {
  const drawn = (seed: number): readonly number[] => {
    const random = createRandom(seed);
    return Array.from({ length: 200 }, () => random.below(6));
  };

  it('gives the same run for the same seed, and another for another', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  it('reaches every whole number below the limit, and none else', () => {
    expect([...new Set(drawn(7))].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('picks each item, and is in [0, 1)', () => {
    const random = createRandom(1);
    const picked = Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c']));
    expect(new Set(picked)).toEqual(new Set(['a', 'b', 'c']));
    for (let draw = 0; draw < 1_000; draw += 1) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});
