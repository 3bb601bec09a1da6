import { expect, it } from 'vitest';
import { elementAt } from '../../src/model/element-at.ts';

it('an element inside a list is given, an index beyond it is a bug', () => {
  expect(elementAt(new Uint32Array([4, 5]), 1)).toBe(5);
  expect(() => elementAt(['a'], 1)).toThrow(expect.objectContaining({ code: 'PAWL_INVARIANT' }));
});
