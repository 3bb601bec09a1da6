import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { frameKey, framesOf, sameFrames } from '../../src/decision/frames.ts';

describe('frames', () => {
  it('E01: a step that was never jumped back to has no frames', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    expect(framesOf(['main', 'pick$branch0'], { main: 0 })).toEqual([]);
  });

  it('E01: each enclosing list that was jumped back counts, outermost first', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    expect(framesOf(['main', 'pick$branch0'], { main: 2, pick$branch0: 1 })).toEqual([
      ['v', 2],
      ['v', 1],
    ]);
    expect(framesOf(['main', 'pick$branch0'], { main: 2, pick$branch0: 0 })).toEqual([['v', 2]]);
  });

  it('E01: visit 1 of an inner list is not visit 1 of the outer one', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    const inner = framesOf(['main', 'pick$branch0'], { main: 0, pick$branch0: 1 });
    expect(inner).toEqual([
      ['v', 0],
      ['v', 1],
    ]);
    expect(sameFrames(inner, framesOf(['main', 'pick$branch0'], { main: 1 }))).toBe(false);
  });

  it('E01: different visits of the same lists never share frames', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    const lists = ['main', 'a$branch0', 'b$catch0'];
    const visits = fc.record({ main: fc.nat(3), a$branch0: fc.nat(3), b$catch0: fc.nat(3) });
    fc.assert(
      fc.property(visits, visits, (left, right) => {
        const same = lists.every((list) => left[list as 'main'] === right[list as 'main']);
        return sameFrames(framesOf(lists, left), framesOf(lists, right)) === same;
      }),
    );
  });

  it('takes no count from the prototype of the visits', () => {
    expect(framesOf(['constructor', '__proto__'], {})).toEqual([]);
  });

  it('gives a text that tells map items, turns and visits apart', () => {
    expect(frameKey([['m', '1']])).not.toBe(frameKey([['r', 1]]));
    expect(frameKey([])).toBe('[]');
  });
});
