import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  BIRTH_STATES,
  canMove,
  canStore,
  EFFECT_MOVES,
  isOpen,
  isSettled,
  moveEffect,
  STORED_MOVES,
  touchEffect,
} from '../../src/decision/effect-lifecycle.ts';
import { EFFECT_STATES, type EffectState } from '../../src/model/statuses.ts';
import { authorized, requested, T0 } from './ledger-fixtures.ts';

/** 3-semantics, "Effect states", retyped by hand: the table must be this and nothing else. */
const DESIGN: Readonly<Record<EffectState, readonly EffectState[]>> = {
  PROPOSED: ['AUTHORIZED', 'REFUSED', 'CANCELLED', 'CONFIRMED', 'FAILED'],
  AUTHORIZED: ['REQUESTED', 'CANCELLED', 'FAILED', 'UNKNOWN'],
  REQUESTED: ['CONFIRMED', 'FAILED', 'UNKNOWN', 'AUTHORIZED'],
  UNKNOWN: ['CONFIRMED', 'FAILED', 'ABSENT', 'AUTHORIZED', 'REQUESTED'],
  CONFIRMED: [],
  FAILED: ['WAIVED', 'CONFIRMED'],
  ABSENT: ['CONFIRMED'],
  REFUSED: ['WAIVED'],
  CANCELLED: [],
  WAIVED: [],
};
const state = fc.constantFrom(...EFFECT_STATES);

describe('the transition table of effects', () => {
  it('has exactly the moves of the design, each with its reason', () => {
    for (const from of EFFECT_STATES) {
      const moves = EFFECT_MOVES.filter((move) => move.from === from);
      expect(moves.map((move) => move.to).sort()).toEqual([...DESIGN[from]].sort());
      expect(moves.every((move) => move.why.length > 10)).toBe(true);
    }
  });

  it('P14 has one move that is never made together with another: into the doubt about lost commits', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const alone = EFFECT_MOVES.filter((move) => move.alone === true).map(({ from, to }) => `${from}>${to}`);
    expect(alone).toEqual(['AUTHORIZED>UNKNOWN']);
  });

  it('answers canMove for every pair of states as the table says', () => {
    fc.assert(fc.property(state, state, (from, to) => canMove(from, to) === DESIGN[from].includes(to)));
  });

  it('calls four states open and the six others settled', () => {
    expect(EFFECT_STATES.filter(isOpen)).toEqual(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN']);
    expect(EFFECT_STATES.filter(isSettled)).toEqual([
      'CONFIRMED',
      'FAILED',
      'ABSENT',
      'REFUSED',
      'CANCELLED',
      'WAIVED',
    ]);
  });

  it('never lets a settled row change but by a waiver or a late proof', () => {
    const moves = EFFECT_MOVES.filter((move) => isSettled(move.from)).map((move) => `${move.from}>${move.to}`);
    expect(moves.sort()).toEqual(['ABSENT>CONFIRMED', 'FAILED>CONFIRMED', 'FAILED>WAIVED', 'REFUSED>WAIVED']);
  });

  it('lets every open state reach a settled one', () => {
    const reaches = (from: EffectState): boolean =>
      EFFECT_MOVES.some((move) => move.from === from && isSettled(move.to));
    expect(EFFECT_STATES.filter((from) => isOpen(from) && !reaches(from))).toEqual([]);
  });

  it('bears rows only in states that need no history', () => {
    expect([...BIRTH_STATES]).toEqual(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'CONFIRMED']);
  });
});

describe('what one commit may do to a stored row', () => {
  it('stores every single move of the table', () => {
    expect(EFFECT_MOVES.filter((move) => !canStore(move.from, move.to))).toEqual([]);
  });

  it('stores a retry and its next sending in one commit', () => {
    expect(canStore('REQUESTED', 'REQUESTED')).toBe(true);
    expect(canStore('PROPOSED', 'REQUESTED')).toBe(true);
    expect(canStore('REQUESTED', 'ABSENT')).toBe(true);
  });

  it('never passes through a sending: what was not requested is not confirmed, and a settled row stays', () => {
    expect(canStore('AUTHORIZED', 'CONFIRMED')).toBe(false);
    expect(canStore('PROPOSED', 'UNKNOWN')).toBe(false);
    expect(canStore('AUTHORIZED', 'ABSENT')).toBe(false);
    expect(canStore('CONFIRMED', 'CONFIRMED')).toBe(false);
    expect(canStore('CANCELLED', 'AUTHORIZED')).toBe(false);
    expect(canStore('ABSENT', 'WAIVED')).toBe(false);
  });

  it('lets an open row change its numbers and no settled one', () => {
    const same = STORED_MOVES.filter((move) => move.from === move.to).map((move) => move.from);
    expect(same).toEqual(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN']);
  });

  it('is the same as walking the table with AUTHORIZED and UNKNOWN as stations', () => {
    const walk = (from: EffectState, to: EffectState): boolean => {
      const seen = new Set<EffectState>();
      const next = (at: EffectState): boolean =>
        DESIGN[at].some((reached) => {
          const isAlone = at === 'AUTHORIZED' && reached === 'UNKNOWN';
          if (isAlone) return from === at && reached === to;
          if (reached === to) return true;
          if ((reached !== 'AUTHORIZED' && reached !== 'UNKNOWN') || seen.has(reached)) return false;
          seen.add(reached);
          return next(reached);
        });
      return (from === to && isOpen(from)) || next(from);
    };
    fc.assert(
      fc.property(state, state, (from, to) => canStore(from, to) === walk(from, to)),
      { numRuns: 500 },
    );
  });
});

describe('moveEffect', () => {
  it('refuses a move that the table does not have', () => {
    expect(() => moveEffect(authorized(), 'CONFIRMED', { settledAtMs: T0 })).toThrow('not in the table');
    const refused = (to: EffectState) => () =>
      moveEffect({ ...authorized(), state: 'CONFIRMED' }, to, { settledAtMs: T0 });
    for (const to of EFFECT_STATES) expect(refused(to)).toThrow('not in the table');
  });

  it('raises the attempt with REQUESTED and with nothing else', () => {
    expect(() => moveEffect(authorized(), 'REQUESTED', {})).toThrow('rises with REQUESTED');
    expect(() => moveEffect(requested(), 'UNKNOWN', { attempt: 2, doubt: 'review' })).toThrow('rises with REQUESTED');
    expect(requested().attempt).toBe(1);
  });

  it('gives a row a settling time exactly when it is settled', () => {
    expect(() => moveEffect(requested(), 'CONFIRMED', {})).toThrow('settling time');
    expect(() => moveEffect(requested(), 'AUTHORIZED', { settledAtMs: T0 })).toThrow('settling time');
    expect(moveEffect(requested(), 'CONFIRMED', { settledAtMs: T0 }).state).toBe('CONFIRMED');
  });

  it('leaves no doubt on a row that is not UNKNOWN', () => {
    expect(() => moveEffect(requested(), 'AUTHORIZED', { doubt: 'query' })).toThrow('only an UNKNOWN row is in doubt');
  });

  it('never touches identity, request or key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EFFECT_MOVES), (move) => {
        const before = { ...authorized(), state: move.from };
        const settledAtMs = isSettled(move.to) ? T0 : null;
        const after = moveEffect(before, move.to, {
          attempt: move.to === 'REQUESTED' ? 1 : 0,
          settledAtMs,
          doubt: null,
        });
        expect({ key: after.key, request: after.request, hash: after.requestHash, step: after.step }).toEqual({
          key: before.key,
          request: before.request,
          hash: before.requestHash,
          step: before.step,
        });
      }),
    );
  });
});

describe('touchEffect', () => {
  it('changes the numbers of an open row', () => {
    expect(touchEffect(authorized(), { notBeforeMs: 5 }).notBeforeMs).toBe(5);
  });

  it('refuses a settled row, an attempt and a settling', () => {
    const settled = moveEffect(requested(), 'CONFIRMED', { settledAtMs: T0 });
    expect(() => touchEffect(settled, { code: 'x' })).toThrow('never changes');
    expect(() => touchEffect(authorized(), { attempt: 1 })).toThrow('only a move');
    expect(() => touchEffect(authorized(), { settledAtMs: T0 })).toThrow('only a move');
  });
});
