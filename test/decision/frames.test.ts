import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { frameKey, framesOf, isInVisit, sameFrames } from '../../src/decision/frames.ts';

describe('frames', () => {
  it('E01: a step that was never jumped back to has no frames', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    expect(framesOf(['main', 'pick$branch0'], { visits: { main: 0 } })).toEqual([]);
  });

  it('E01: each enclosing list that was jumped back counts, outermost first', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    expect(framesOf(['main', 'pick$branch0'], { visits: { main: 2, pick$branch0: 1 } })).toEqual([
      ['v', 2],
      ['v', 1],
    ]);
    expect(framesOf(['main', 'pick$branch0'], { visits: { main: 2, pick$branch0: 0 } })).toEqual([['v', 2]]);
  });

  it('E01: visit 1 of an inner list is not visit 1 of the outer one', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    const inner = framesOf(['main', 'pick$branch0'], { visits: { main: 0, pick$branch0: 1 } });
    expect(inner).toEqual([
      ['v', 0],
      ['v', 1],
    ]);
    expect(sameFrames(inner, framesOf(['main', 'pick$branch0'], { visits: { main: 1 } }))).toBe(false);
  });

  it('E01: different visits of the same lists never share frames', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it."
    const lists = ['main', 'a$branch0', 'b$catch0'];
    const visits = fc.record({ main: fc.nat(3), a$branch0: fc.nat(3), b$catch0: fc.nat(3) });
    fc.assert(
      fc.property(visits, visits, (left, right) => {
        const same = lists.every((list) => left[list as 'main'] === right[list as 'main']);
        return sameFrames(framesOf(lists, { visits: left }), framesOf(lists, { visits: right })) === same;
      }),
    );
  });

  it('E01: no two turns and visits of nested lists share frames, and frames tell which visit they lie in', () => {
    // E01: "Frames are tagged (`["m", itemKey]`, `["r", n]`, `["v", n]`), zeros left out."
    const lists = ['main', 'r$turn', 'r2$turn'];
    const counts = fc.record({
      visits: fc.record({ main: fc.nat(2), r$turn: fc.nat(2), r2$turn: fc.nat(2) }),
      turns: fc.record({ r$turn: fc.nat(2), r2$turn: fc.nat(2) }).map(({ r$turn, r2$turn }) => ({
        r$turn: { no: r$turn, outputs: [] },
        r2$turn: { no: r2$turn, outputs: [] },
      })),
    });
    const text = (value: unknown): string => JSON.stringify(value);
    fc.assert(
      fc.property(counts, counts, (left, right) => {
        const frames = [framesOf(lists, left), framesOf(lists, right)] as const;
        const outer = lists.slice(0, 2);
        const around = ({ visits, turns }: typeof left): unknown => [visits.main, visits.r$turn, turns.r$turn];
        const isAround = text(around(left)) === text(around(right));
        expect(sameFrames(...frames)).toBe(text(left) === text(right));
        expect(isInVisit(frames[0], framesOf(outer, right), outer)).toBe(isAround);
      }),
    );
  });

  it('E01: a turn stands before the visit of its list, zeros outside of it keep their place', () => {
    // E01: "Frames are tagged (`["m", itemKey]`, `["r", n]`, `["v", n]`), zeros left out."
    const turns = { r$turn: { no: 2, outputs: [] } };
    expect(framesOf(['main', 'r$turn'], { visits: {}, turns })).toEqual([
      ['v', 0],
      ['r', 2],
    ]);
    expect(framesOf(['main', 'r$turn'], { visits: { r$turn: 1 } })).toEqual([
      ['v', 0],
      ['r', 0],
      ['v', 1],
    ]);
  });

  it('takes no count from the prototype of the visits', () => {
    expect(framesOf(['constructor', '__proto__'], { visits: {} })).toEqual([]);
  });

  it('gives a text that tells map items, turns and visits apart', () => {
    expect(frameKey([['m', '1']])).not.toBe(frameKey([['r', 1]]));
    expect(frameKey([])).toBe('[]');
  });
});
