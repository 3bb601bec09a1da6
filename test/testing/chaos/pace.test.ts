import { expect, it } from 'vitest';
import { paceOf } from '../../../src/testing/chaos/pace.ts';

it('a quiet machine has the pace 1, a slow one as many times more as it is slower, 8 at most; one start that took long says nothing', () => {
  expect(paceOf([40, 45, 50])).toBe(1);
  expect(paceOf([40, 2_000, 50])).toBe(1);
  expect(paceOf([230, 220, 225])).toBe(3);
  expect(paceOf([9_000, 9_000, 9_000])).toBe(8);
  expect(paceOf([0])).toBe(1);
});
