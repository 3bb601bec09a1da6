import { expect, it } from 'vitest';
import { caught } from '../../src/model/caught.ts';

it('what is caught and expected is given back, anything else is thrown on as it is', () => {
  const expected = new RangeError('too far');
  expect(caught(expected, RangeError)).toBe(expected);
  const bug = new TypeError('a bug');
  expect(() => caught(bug, RangeError)).toThrow(bug);
});
