import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, workflow } from './support/play.ts';

const VARS = 'vars: { n: { type: integer, default: 0 } }';
const COUNT = '{ id: count, set: { n: "${ vars.n + 1 }" } }';

/** Two calls, `x` and one that is counted, again and again, and a call behind it. */
const again = (ends: string, more = '', steps = `{ id: a, call: do.a }, ${COUNT}, { id: b, call: do.b }`): string =>
  workflow(`  - { id: r, repeat: 3, ${ends}, steps: [${steps}]${more} }\n  - { id: c, call: do.c }`, VARS);

describe('a repeat', () => {
  it('asks `until` after each turn, and its output is the list of what its turns gave', () => {
    const run = new Play(again('until: vars.n >= 2')).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.a', 'do.b', 'do.c']);
    expect(run.output('r')).toEqual([expect.anything(), run.output('b')]);
    expect(run.state.snapshot.data.turns).toEqual({ r$turn: { no: 1, outputs: [] } });
    expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  });

  it('asks `while` before each turn, so that there may be none', () => {
    expect(new Play(again('while: vars.n < 2')).drive().happened).toHaveLength(5);
    const none = new Play(again('while: vars.n < 0')).drive();
    expect([none.happened, none.output('r')]).toEqual([['do.c'], []]);
  });

  it.each(['until: vars.n > 9', 'while: vars.n < 9'])('fails with `limit` after its last turn, with %s', (ends) => {
    const run = new Play(again(ends, ', catch: [{ on: [limit] }]')).drive();
    expect(run.happened.filter((name) => name === 'do.a')).toHaveLength(3);
    expect(run.happened.at(-1)).toBe('do.c');
    expect(run.state.snapshot.data.steps['r']).toMatchObject({ code: 'limit' });
  });

  it('takes what is needed in exactly as many turns as it has for done', () => {
    expect(new Play(again('until: vars.n == 3')).drive().state.status).toBe('COMPLETED');
    expect(new Play(again('while: vars.n < 3')).drive().state.status).toBe('COMPLETED');
  });

  it('E01 each turn is an act of its own: no two share a key, also with jumps back inside a turn', () => {
    // E01: "Frames are tagged (`["m", itemKey]`, `["r", n]`, `["v", n]`), zeros left out."
    const steps = `{ id: a, call: do.a }, ${COUNT}, { id: j, when: "vars.n == 1", set: { n: 2 }, next: a, maxJumps: 1 }`;
    const run = new Play(again('until: vars.n >= 4', '', steps)).drive();
    expect(run.happened).toEqual(['do.a', 'do.a', 'do.a', 'do.c']);
    expect(new Set(run.provider.keys).size).toBe(4);
    const frames = [...run.state.effects.values()].map((row) => row.frames);
    expect(frames).toEqual([
      [],
      [
        ['v', 0],
        ['r', 0],
        ['v', 1],
      ],
      [
        ['v', 0],
        ['r', 1],
      ],
      [],
    ]);
  });

  it('forgets at each turn what the turn before it has left in its steps', () => {
    const steps = `{ id: a, call: do.a, with: { seen: "\${ or(steps.b.output.id, 'none') }" } }, ${COUNT}, { id: b, call: do.b }`;
    const run = new Play(again('until: vars.n >= 2', '', steps)).drive();
    const seen = [...run.state.effects.values()].filter(({ step }) => step === 'a').map(({ request }) => request);
    expect(seen).toHaveLength(2);
    expect(seen.every((request) => request.includes('"seen":"none"'))).toBe(true);
  });

  it('R01 all of its turns are undone in reverse', () => {
    // R01: "C's compensation is requested first, B's only after C's is confirmed, A's only after B's."
    const run = new Play(again('until: vars.n >= 2'), { script: { 'do.c': ['declined'] } }).drive();
    expect(run.happened.slice(4)).toEqual(['undo.b', 'undo.a', 'undo.b', 'undo.a']);
    expect(new Set(run.provider.keys).size).toBe(9);
  });

  it('R21 its catch with `undo: true` undoes the turns of this visit, however many there were', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const script = { 'do.b': ['ok', 'declined'] } as const;
    const run = new Play(again('until: vars.n >= 3', ', catch: [{ undo: true }]'), { script }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.a', 'undo.a', 'undo.b', 'undo.a', 'do.c']);
  });

  it('has one time for all of its turns', () => {
    const steps = `{ id: w, wait: 40s }, ${COUNT}`;
    const run = new Play(again('until: vars.n >= 3', ', timeout: 1m, catch: [{ on: [timeout] }]', steps)).drive();
    run.wait('10m');
    expect([run.happened, run.state.snapshot.data.vars]).toEqual([['do.c'], { n: 1 }]);
  });

  it('E02 a held repeat that is tried again is told what was done, and does anew only what failed', () => {
    // E02: "Same key + same hash: the recorded outcome."
    const text = `${again('until: vars.n >= 9')}onFailure: hold\n`.replace('repeat: 3', 'repeat: 2');
    const run = new Play(text).drive();
    expect([run.state.status, run.happened.length]).toEqual(['HELD', 4]);
    expect(run.retry('r')).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.happened.length]).toEqual(['HELD', 4]);
  });

  it('says that its end cannot be computed', () => {
    const run = new Play(again('until: input.gone', ', catch: [{ on: [expression] }]')).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c']);
    const none = new Play(again('while: input.gone', ', catch: [{ on: [expression] }]')).drive();
    expect(none.happened).toEqual(['do.c']);
  });

  it('R14 a crash at each boundary leaves the same ledger, one effect each', () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const play = (): Play => new Play(again('until: vars.n >= 2'), { script: { 'do.c': ['named'] } });
    const whole = play().drive();
    for (let boundary = 0; boundary <= whole.calls.length; boundary += 1) {
      const run = play();
      for (let answered = 0; answered < boundary; answered += 1) {
        const input = run.answerNext();
        if (input !== null) run.decide([input]);
      }
      run.crash().crash().drive().wait('1h');
      expect([run.happened, run.state.status, run.ledger()]).toEqual([whole.happened, 'COMPENSATED', whole.ledger()]);
    }
  });
});
