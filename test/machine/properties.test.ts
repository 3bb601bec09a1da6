import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { checkSnapshot } from '../../src/machine/advance.ts';
import { lower } from '../../src/machine/lower.ts';
import type { Machine, MachineState } from '../../src/model/machine.ts';
import { Driver } from './support/driver.ts';
import { definitionFrom, eventFrom, Tape, tapes } from './support/arbitrary.ts';

function statesOf(state: MachineState): readonly MachineState[] {
  return [state, ...state.states.flatMap(statesOf)];
}

/** States that can be entered from the root's initial by edges, and everything around them. */
function reachable(machine: Machine): ReadonlySet<string> {
  const all = new Map(statesOf(machine.root).map((state) => [state.id, state] as const));
  const parents = new Map(
    statesOf(machine.root).flatMap((state) => state.states.map((child) => [child.id, state.id] as const)),
  );
  const reached = new Set<string>();
  const open = [machine.root.id];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    const state = all.get(id);
    const parent = parents.get(id);
    const next = [state?.initial ?? null, parent ?? null, ...(state?.edges.map((edge) => edge.target) ?? [])];
    open.push(...next.filter((one) => one !== null));
  }
  return reached;
}

describe('random definitions', () => {
  it('lower to plain JSON in which every id is unique and every target and initial exists', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const machine = lower(definitionFrom(tape));
        const text = JSON.stringify(machine);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        const states = statesOf(machine.root);
        const ids = new Set(states.map((state) => state.id));
        expect(ids.size).toBe(states.length);
        const targets = states.flatMap((state) =>
          state.edges.flatMap((edge) => (edge.target === null ? [] : [edge.target])),
        );
        expect(targets.filter((target) => !ids.has(target))).toEqual([]);
        const misfits = states.filter(
          (state) => (state.kind === 'compound') !== state.states.some((child) => child.id === state.initial),
        );
        expect(misfits.map((state) => state.id)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('lower to machines in which every state can be reached where every step can', () => {
    let alive = 0;
    fc.assert(
      fc.property(tapes, (tape) => {
        const machine = lower(definitionFrom(tape));
        const reached = reachable(machine);
        const missing = statesOf(machine.root).filter((state) => state.step !== null && !reached.has(state.id));
        // Lint refuses a step that nothing leads to; what only such a step leads to is as dead as it.
        if (missing.some((state) => state.role === 'active')) return;
        alive += 1;
        expect(missing.map((state) => state.id)).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(alive).toBeGreaterThan(50);
  });

  it('lower the same way twice', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const definition = definitionFrom(tape);
        expect(JSON.stringify(lower(definition))).toBe(JSON.stringify(lower(definition)));
      }),
      { numRuns: 50 },
    );
  });
});

describe('random walks', () => {
  it('rest only where a machine can rest, keep a snapshot that passes its own check, and never lose a failure', () => {
    fc.assert(
      fc.property(tapes, tapes, (tape, events) => {
        const run = new Driver(definitionFrom(tape), { flag: true });
        for (let count = 0; count < 25; count += 1) {
          checkSnapshot(run.compiled, JSON.parse(JSON.stringify(run.snapshot)));
          const isEnded = run.value === '$completed' || run.value === '$ended';
          expect(run.data.ending !== null || !isEnded).toBe(true);
          if (run.at.endsWith('$held') && !run.at.startsWith('$')) expect(run.data.failing).not.toBeNull();
          if (typeof run.value === 'string') expect(run.data.caught).toEqual({});
          run.give(eventFrom(events, run));
        }
      }),
      { numRuns: 120 },
    );
  });

  it('say every state that is left and entered, so that the place can be followed from them alone', () => {
    fc.assert(
      fc.property(tapes, tapes, (tape, events) => {
        const run = new Driver(definitionFrom(tape), { flag: true });
        const place = new Set(run.last.entered.filter((id) => !run.last.left.includes(id)));
        for (let count = 0; count < 15; count += 1) {
          run.give(eventFrom(events, run));
          const net = new Map<string, number>();
          for (const id of run.last.left) net.set(id, (net.get(id) ?? 0) - 1);
          for (const id of run.last.entered) net.set(id, (net.get(id) ?? 0) + 1);
          for (const [id, change] of net) {
            if (change > 0) place.add(id);
            if (change < 0) place.delete(id);
          }
          expect(place.has(run.at)).toBe(true);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('give the same for the same, on any compiled copy', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9_999), { maxLength: 80 }), tapes, (numbers, events) => {
        const one = new Driver(definitionFrom(tapeOf(numbers)), { flag: true });
        const two = new Driver(definitionFrom(tapeOf(numbers)), { flag: true });
        for (let count = 0; count < 10; count += 1) {
          const event = eventFrom(events, one);
          expect(two.give(event).last).toEqual(one.give(event).last);
        }
      }),
      { numRuns: 50 },
    );
  });
});

function tapeOf(numbers: readonly number[]): Tape {
  return new Tape(numbers);
}
