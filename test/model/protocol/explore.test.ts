import { fc } from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { type Emit, explore, type Model } from './explore.ts';
import { layoutOf } from './layout.ts';
import { StateSet } from './state-set.ts';

it('a state is read back from its words as it was written', () => {
  const fields = fc.array(
    fc
      .integer({ min: 0, max: 8 })
      .chain((width) => fc.record({ width: fc.constant(width), value: fc.nat(2 ** width - 1) })),
    { minLength: 1, maxLength: 50 },
  );
  fc.assert(
    fc.property(fields, (chosen) => {
      const layout = layoutOf(chosen.map(({ width }) => width));
      const words = new Uint32Array(layout.words);
      layout.pack(
        Uint8Array.from(chosen, ({ value }) => value),
        words,
      );
      const back = new Uint8Array(chosen.length);
      layout.unpack(words, 0, back);
      expect([...back]).toEqual(chosen.map(({ value }) => value));
    }),
  );
});

it('a set of states numbers them in order of arrival, each once, also beyond its first size', () => {
  const set = new StateSet(2);
  const numbers = new Map<number, number>();
  for (let step = 0; step < 40_000; step += 1) {
    const value = Math.imul(step, 7919) % 10_007;
    const number = set.add(Uint32Array.of(value, value >>> 3));
    expect(number).toBe(numbers.get(value) ?? numbers.size);
    numbers.set(value, number);
  }
  expect(set.size).toBe(numbers.size);
  expect(numbers.size).toBeGreaterThan(4_096);
});

/** A walk over numbers, with the ways out of each. */
function walk(ways: Readonly<Record<number, readonly number[]>>, faults: readonly number[] = []): Model {
  return {
    bits: [4],
    invariants: ['not five'],
    goals: [{ name: 'home', isReached: ([at]) => at === 9 }],
    violations: ([at]) => (at === 5 ? 1 : 0),
    expand(state: Uint8Array, emit: Emit): void {
      for (const to of ways[Number(state[0])] ?? []) {
        if (faults.includes(to)) emit(Uint8Array.of(to), `to ${to}`, 'fault');
        else emit(Uint8Array.of(to), `to ${to}`);
      }
    },
  };
}

it('what is broken is told with the shortest way to it, and how often', () => {
  const found = explore(walk({ 0: [1, 2], 1: [3], 2: [5], 3: [5], 5: [9] }), { statesMax: 100 });
  expect(found).toMatchObject({ states: 6, edges: 6, isCapped: false });
  expect(found.violations).toEqual([{ name: 'not five', states: 1, steps: ['to 2', 'to 5'] }]);
});

it('a state from which a goal is out of reach is told, and a fault is no way to a goal', () => {
  const stuck = explore(walk({ 0: [1, 9], 1: [2], 2: [1] }), { statesMax: 100 });
  expect(stuck.violations).toEqual([{ name: 'home', states: 2, steps: ['to 1'] }]);
  const byFault = explore(walk({ 0: [1], 1: [9] }, [9]), { statesMax: 100 });
  expect(byFault.violations).toEqual([{ name: 'home', states: 2, steps: [] }]);
});

it('an exploration that ends at its limit says so, and nothing of goals', () => {
  const found = explore(walk({ 0: [1], 1: [2], 2: [3] }), { statesMax: 2 });
  expect(found).toMatchObject({ isCapped: true, violations: [] });
});
