import { describe, expect, it } from 'vitest';
import { planCompensation } from '../../src/decision/compensation-plan.ts';
import { Ledger } from '../../src/decision/ledger.ts';
import { undoOrderOf } from '../../src/decision/undo-order.ts';
import { undoRounds } from '../../src/decision/undo-rounds.ts';
import { Play, workflow } from './support/play.ts';

const STEPS = `
  - { id: a, call: do.a }
  - { id: b, call: do.b, with: { of: =steps.a.output } }
  - { id: c, call: do.c }`;

/** In which round each step is undone, of a run that has done them all. */
function rounds(head: string, refused: string | null = null): Readonly<Record<string, number | undefined>> {
  const { compiled, state } = new Play(workflow(STEPS, head)).drive();
  const effects = [...state.effects.values()];
  const source = { program: compiled, run: state.run, revision: state.revision, effects, failure: null };
  const plan = planCompensation({ ...source, ledger: Ledger.of(state.effects) });
  if (plan.kind !== 'plan') throw new Error(plan.kind);
  const rows = plan.keys.flatMap((key) => plan.rows.find((row) => row.key === key) ?? []);
  const now = rows.map((row) => (row.step === refused ? { ...row, state: 'FAILED' as const } : row));
  const found = undoRounds(now, undoOrderOf(compiled));
  return Object.fromEntries(rows.map(({ key, step }) => [step, found.get(key)]));
}

describe('the rounds of a plan', () => {
  it('R01: are as many as there are undos in reverse order', () => {
    // R01: "`reverse`: A, B, C confirmed in this completion order, D rejected: C's compensation is requested first, B's only after C's is confirmed, A's only …"
    expect(rounds('')).toEqual({ c: 1, b: 2, a: 3 });
  });

  it('R07: have side by side what nothing holds apart, and what read an output before what gave it', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    expect(rounds('compensation: { order: graph }')).toEqual({ c: 1, b: 1, a: 2 });
    expect(rounds('compensation: { order: parallel }')).toEqual({ c: 1, b: 1, a: 1 });
  });

  it('R17: are not told of what was refused, nor of what must come after it', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    expect(rounds('compensation: { order: graph }', 'b')).toEqual({ c: 1, b: undefined, a: undefined });
  });

  it('are not told of a plan whose walk would take too long', () => {
    const { compiled } = new Play(workflow(STEPS, 'compensation: { order: graph }')).drive();
    const row = { key: 'k', step: 'a', state: 'PROPOSED' } as never;
    expect(
      undoRounds(
        Array.from({ length: 1_001 }, () => row),
        undoOrderOf(compiled),
      ).size,
    ).toBe(0);
  });
});
