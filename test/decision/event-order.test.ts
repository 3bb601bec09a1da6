import { describe, expect, it } from 'vitest';
import { Play, T0, workflow } from './support/play.ts';

const EVENTS = `vars: { seen: { type: array, default: [] } }
events:
  state: { sequence: event.data.no }
  order: { sequence: event.data.no, by: event.data.id }
  go: {}`;
const AWAITS = ['e', 'f', 'g'].map((id) => `  - { id: ${id}, await: state }`).join('\n');

const answersOf = (run: Play): readonly (readonly [string, string | null])[] =>
  run.commits
    .flatMap(({ inbox }) => inbox)
    .filter(({ source }) => source.startsWith('signal'))
    .map(({ eventId, outcome }) => [eventId, outcome]);

describe('events with a number of their sender', () => {
  it('V03 a lower or equal number than the last applied is stale and ignored, and its sender is told', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const run = new Play(workflow(AWAITS, EVENTS));
    expect(run.signal('state', { no: 5 })).toMatchObject({ outcome: 'applied' });
    for (const no of [5, 4])
      expect(run.signal('state', { no })).toMatchObject({
        outcome: 'stale',
        code: 'sequence',
        consumed: true,
        detail: { rule: 'V03', sequence: no, last: 5 },
      });
    expect(run.output('f')).toBeUndefined();
    expect(run.signal('state', { no: 6 })).toMatchObject({ outcome: 'applied' });
    expect(run.output('f')).toEqual({ no: 6 });
  });

  it('V03 the last applied number outlives the process, and a run without numbers notes none', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const run = new Play(workflow(AWAITS, EVENTS));
    run.signal('state', { no: 7 });
    run.crash();
    expect(run.state.control.sequences).toEqual({ state: 7 });
    expect(run.signal('state', { no: 7 })).toMatchObject({ outcome: 'stale' });
    const plain = new Play(workflow('  - { id: e, await: go }\n  - { id: f, await: go }', EVENTS));
    plain.signal('go');
    expect(plain.state.control).not.toHaveProperty('sequences');
  });

  it('V03 events that came early are applied in the order of their numbers, not of their receipt', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const run = new Play(workflow(`  - { id: w, wait: 1m }\n${AWAITS}`, EVENTS));
    for (const no of [3, 1, 2])
      expect(run.signal('state', { no }, { id: `n${no}` })).toMatchObject({ outcome: 'kept' });
    run.wait('1m');
    expect(['e', 'f', 'g'].map((id) => run.output(id))).toEqual([{ no: 1 }, { no: 2 }, { no: 3 }]);
  });

  it('V03 what is kept with a number that is not higher than that of the one applied is answered stale at once', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const steps = "  - { id: e, await: state, where: 'event.data.no > 4' }\n  - { id: f, await: go }";
    const run = new Play(workflow(steps, EVENTS));
    expect(run.signal('state', { no: 3 }, { id: 'three' })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('state', { no: 9 }, { id: 'nine' })).toMatchObject({ outcome: 'applied' });
    expect(answersOf(run)).toEqual([
      ['three', 'kept'],
      ['three', 'stale'],
      ['nine', 'applied'],
    ]);
    expect([...run.state.timers.keys()]).toEqual([]);
  });

  it('V03 of the kept ones the least number that the step takes is taken; one that it does not take is passed over', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const steps =
      "  - { id: w, wait: 1m }\n  - { id: e, await: state, where: 'event.data.ok' }\n  - { id: f, await: go }";
    const run = new Play(workflow(steps, EVENTS));
    run.signal('state', { no: 3, ok: true });
    run.signal('state', { no: 1, ok: false });
    run.signal('state', { no: 2, ok: true });
    run.wait('1m');
    expect(run.output('e')).toEqual({ no: 2, ok: true });
  });

  it('V03 each `by` value has an order of its own', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const steps = ['e', 'f'].map((id) => `  - { id: ${id}, await: order }`).join('\n');
    const run = new Play(workflow(steps, EVENTS));
    expect(run.signal('order', { id: 'x', no: 9 })).toMatchObject({ outcome: 'applied' });
    expect(run.signal('order', { id: 'x', no: 8 })).toMatchObject({ outcome: 'stale' });
    expect(run.signal('order', { id: 'y', no: 1 })).toMatchObject({ outcome: 'applied' });
  });

  it('V03 a handler sees the number, and an older event after it is stale, though a cancel is recorded meanwhile', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const on = "on: [{ event: state, set: { seen: '${ vars.seen + [event.sequence] }' } }]";
    const run = new Play(workflow(`  - { id: p, call: do.a, pivot: true, ${on} }`, EVENTS), {
      script: { 'do.a': ['hang'] },
    });
    run.cancel();
    expect(run.signal('state', { no: 2 }, { atMs: T0 })).toMatchObject({ outcome: 'applied' });
    expect(run.signal('state', { no: 1 }, { atMs: T0 })).toMatchObject({ outcome: 'stale' });
    expect(run.state.snapshot.data.vars).toEqual({ seen: [2] });
  });

  it.each([
    ['no number', {}],
    ['a text', { no: '3' }],
    ['a part of a number', { no: 1.5 }],
  ])('V03 an event with %s has no place in the order and is refused', (_what, data) => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const run = new Play(workflow(AWAITS, EVENTS));
    expect(run.signal('state', data)).toMatchObject({ outcome: 'refused', code: 'unordered', consumed: true });
    expect(run.output('e')).toBeUndefined();
  });
});
