import { describe, expect, it } from 'vitest';
import { Play, workflow } from './support/play.ts';

const FOUR = workflow(`
  - { id: a, call: do.a }
  - { id: b, call: do.b }
  - { id: c, call: do.c }
  - { id: d, call: do.d }
`);

describe('compensation', () => {
  it('R01 reverse: A, B, C confirmed in this completion order, D rejected: C first, B only after C is confirmed, A only after B', () => {
    const run = new Play(FOUR, { script: { 'do.d': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });
});
