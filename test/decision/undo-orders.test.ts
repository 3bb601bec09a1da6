import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, workflow } from './support/play.ts';
import type { Word } from './support/provider.ts';

const order = (name: string, more = ''): string => `compensation: { order: ${name}${more} }`;
const HANGING = { 'undo.a': ['hang'], 'undo.b': ['hang'], 'undo.c': ['hang'], 'undo.e': ['hang'] } as const;

/** Plays until the run is undone, every undo in flight for as long as the story wants. */
function undoing(steps: string, head: string, script: Readonly<Record<string, readonly Word[]>> = {}): Play {
  const run = new Play(workflow(steps, head), { script: { ...HANGING, 'do.d': ['declined'], ...script } }).drive();
  expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  return run;
}

/** Steps whose undo is under way. */
const asked = (run: Play): readonly string[] =>
  [...run.state.effects.values()]
    .filter(({ compensates, state }) => compensates !== null && state === 'REQUESTED')
    .map(({ step }) => step);

/** The world answers the undo of one step. */
function undone(run: Play, step: string, word: 'ok' | 'declined' = 'ok'): void {
  const { key, attempt } = run.rowOf(step, 'undo');
  const kind = word === 'ok' ? 'confirmed' : 'rejected';
  const outcome = { kind, code: word === 'ok' ? null : word, message: word, output: null, named: true } as const;
  const more = { retryAfterMs: null, externalId: null, resultBase64: '', sent: true };
  run.decide([{ type: 'attempt.settled', effectKey: key, attempt, outcome: { ...outcome, ...more } }]);
  expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
}

describe('the order graph', () => {
  it('R07 a compensation starts when those of all steps that read its step’s output are confirmed, and no later', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const run = undoing(
      `
  - { id: a, call: do.a }
  - { id: b, call: do.b, with: { of: =steps.a.output } }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`,
      order('graph'),
    );
    expect(asked(run)).toEqual(['c', 'b']);
    undone(run, 'b');
    expect(asked(run)).toEqual(['c', 'a']);
    undone(run, 'a');
    expect(run.state.status).toBe('COMPENSATING');
    undone(run, 'c');
    expect(run.state.status).toBe('COMPENSATED');
  });

  it.each([
    ['a var', '- { id: s, set: { n: =steps.a.output } }', 'with: { of: =vars.n }'],
    ['the output of a group', '- { id: s, wait: 0s }', 'with: { of: =steps.g.output }'],
    ['its own condition', '- { id: s, wait: 0s }', 'when: "steps.a.code == null"'],
    ['all steps', '- { id: s, wait: 0s }', 'with: { of: =steps }'],
    ['all vars', '- { id: s, set: { n: =steps.a.output } }', 'with: { of: =vars }'],
    ['what it acts on', '- { id: s, wait: 0s }', 'object: "${ string(steps.a.attempts) }"'],
  ])('R07 reading it by %s is reading it', (_way, between, reads) => {
    // R07: "derived statically"
    const run = undoing(
      `
  - { id: g, scope: [{ id: a, call: do.a }] }
  ${between}
  - { id: b, call: do.b, ${reads} }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`,
      `${order('graph')}\nvars: { n: {} }`,
    );
    expect(asked(run)).toEqual(['c', 'b']);
  });

  it('R07 what is done because of it, inside a choice that reads it, is undone before it', () => {
    // R07: "derived statically"
    const run = undoing(
      `
  - { id: a, call: do.a }
  - { choose: [{ when: "steps.a.code == null", steps: [{ id: b, call: do.b }] }, { else: [] }] }
  - { id: d, call: do.d }`,
      order('graph'),
    );
    expect(asked(run)).toEqual(['b']);
  });

  it.each(['graph', 'parallel'])(
    'R07 `after` names what comes first, a group with all that is in it, in %s',
    (name) => {
      // R07: "and those its own `after` names, are confirmed"
      const run = undoing(
        `
  - { id: a, call: do.a, compensate: { call: undo.a, with: { key: =effect.key }, after: [g] } }
  - { id: b, call: do.b }
  - { id: g, scope: [{ id: c, call: do.c }, { id: e, call: do.e }] }
  - { id: d, call: do.d }`,
        order(name),
      );
      expect(asked(run)).toEqual(['e', 'c', 'b']);
      undone(run, 'c');
      expect(asked(run)).not.toContain('a');
      undone(run, 'e');
      expect(asked(run)).toContain('a');
    },
  );
});

const FOUR = `
  - { id: a, call: do.a }
  - { id: b, call: do.b }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`;

describe('the order parallel', () => {
  it('requests all at once', () => {
    expect(asked(undoing(FOUR, order('parallel')))).toEqual(['c', 'b', 'a']);
  });

  it('R16 under `hold` a refused one stops what is not requested yet; what is in flight settles', () => {
    // R16: "Refused for good under `hold`: HELD, the rest untouched"
    const steps = FOUR.replace(
      'call: do.a',
      'call: do.a, compensate: { call: undo.a, with: { key: =effect.key }, after: [b] }',
    );
    const run = undoing(steps, order('parallel'));
    undone(run, 'c', 'declined');
    expect([asked(run), run.incidents]).toEqual([['b'], ['compensation']]);
    undone(run, 'b');
    expect([run.ledger()['undo a'], run.state.status]).toEqual(['PROPOSED', 'HELD']);
    expect(run.resolve(run.rowOf('c', 'undo'), 'undone')).toMatchObject({ outcome: 'applied' });
    expect(asked(run)).toEqual(['a']);
  });

  it.each(['graph', 'parallel'])('R07 `after` names what was done earlier, too, in %s', (name) => {
    // R07: "and those its own `after` names, are confirmed"
    const run = undoing(
      `
  - { id: a, call: do.a }
  - { id: b, call: do.b, compensate: { call: undo.b, with: { key: =effect.key }, after: [a] } }
  - { id: d, call: do.d }`,
      order(name),
    );
    expect(asked(run)).toEqual(['a']);
    undone(run, 'a');
    expect(asked(run)).toEqual(['b']);
    undone(run, 'b');
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R07 what waits for one of those that await each other keeps its place behind it', () => {
    // R07: "and those its own `after` names, are confirmed"
    const run = undoing(
      `
  - { id: a, call: do.a, compensate: { call: undo.a, with: { key: =effect.key }, after: [b] } }
  - { id: b, call: do.b, compensate: { call: undo.b, with: { key: =effect.key }, after: [a] } }
  - { id: c, call: do.c, compensate: { call: undo.c, with: { key: =effect.key }, after: [a] } }
  - { id: d, call: do.d }`,
      order('parallel'),
    );
    expect(asked(run)).toEqual(['b']);
    undone(run, 'b');
    expect(asked(run)).toEqual(['a']);
    undone(run, 'a');
    expect(asked(run)).toEqual(['c']);
  });

  it('R07 undos that await each other begin with what was done last', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const run = undoing(
      `
  - { id: a, call: do.a }
  - { id: b, call: do.b, with: { of: =steps.a.output }, compensate: { call: undo.b, with: { key: =effect.key }, after: [a] } }
  - { id: d, call: do.d }`,
      order('graph'),
    );
    expect(asked(run)).toEqual(['b']);
    undone(run, 'b');
    expect(asked(run)).toEqual(['a']);
    undone(run, 'a');
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R17 under `continue` only what must come after a refused one is left, then HELD', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const steps = FOUR.replace(
      'call: do.a',
      'call: do.a, compensate: { call: undo.a, with: { key: =effect.key }, after: [c] }',
    );
    const run = undoing(steps, order('parallel', ', onFailure: continue'));
    undone(run, 'c', 'declined');
    expect([asked(run), run.incidents]).toEqual([['b'], []]);
    undone(run, 'b');
    expect([run.ledger()['undo a'], run.state.status, run.incidents]).toEqual(['PROPOSED', 'HELD', ['compensation']]);
    expect(run.resolve(run.rowOf('c', 'undo'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(asked(run)).toEqual(['a']);
  });

  it('R14 a crash while several are in flight loses none and repeats none', () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const run = undoing(FOUR, order('parallel'), { 'undo.b': ['lost-done', 'ok'] });
    run.crash().crash();
    for (const name of ['undo.a', 'undo.b', 'undo.c']) run.provider.says(name, 'ok');
    run.drive().wait('1h');
    expect([run.state.status, run.happened.toSorted()]).toEqual([
      'COMPENSATED',
      ['do.a', 'do.b', 'do.c', 'undo.a', 'undo.b', 'undo.c'],
    ]);
  });
});

/** Three scopes, the innermost and the outermost with branches; what is done inside reads what was done around it. */
const NESTED = `
  - id: outer
    scope:
      - { id: a, call: do.a }
      - id: fork
        parallel:
          one:
            - id: middle
              scope:
                - { id: b, call: do.b, with: { of: =steps.a.output } }
                - id: inner
                  scope:
                    - id: split
                      parallel:
                        x: [{ id: c, call: do.c, with: { of: =steps.b.output } }]
                        y: [{ id: e, call: do.e, with: { of: =steps.b.output } }]
          two: [{ id: w, call: do.d, with: { of: =steps.a.output } }]
  - { id: z, call: do.a }`;
const NESTED_SCRIPT = { 'do.a': ['ok', 'declined'], 'undo.d': ['hang'] } as const;

describe('three nested scopes with parallel branches undo in the order of R06 and R07', () => {
  it('R06 what was confirmed last is undone first, whichever scope and branch it stands in', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    const run = undoing(NESTED, order('reverse'), { ...NESTED_SCRIPT, 'do.c': ['hang'], 'do.d': ['hang'] });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.e']);
    for (const late of ['do.d', 'do.c']) {
      run.provider.says(late, 'ok');
      run.drive();
    }
    for (const step of ['c', 'w', 'e', 'b', 'a']) {
      expect(asked(run)).toEqual([step]);
      undone(run, step);
    }
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R07 what has read a step is undone before it, across scopes and branches, and the others side by side', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const run = undoing(NESTED, order('graph'), { ...NESTED_SCRIPT, 'do.d': ['ok'] });
    const expected = [['c', 'e', 'w'], ['e', 'w'], ['b', 'w'], ['w'], ['a']];
    for (const [at, step] of ['c', 'e', 'b', 'w', 'a'].entries()) {
      expect(asked(run).toSorted()).toEqual(expected[at]);
      undone(run, step);
    }
    expect(run.state.status).toBe('COMPENSATED');
  });
});

describe('the order of a scope', () => {
  it('holds among its own steps, that around it between it and others', () => {
    const run = undoing(
      `
  - { id: e, call: do.e }
  - { id: s, scope: [{ id: a, call: do.a }, { id: b, call: do.b }], compensation: { order: parallel } }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`,
      order('reverse'),
    );
    expect(asked(run)).toEqual(['c']);
    undone(run, 'c');
    expect(asked(run)).toEqual(['b', 'a']);
    undone(run, 'a');
    expect(asked(run)).toEqual(['b']);
    undone(run, 'b');
    expect(asked(run)).toEqual(['e']);
  });

  it('R01 reverse in a scope of a parallel file: never two of the scope at once, also when a person retries one', () => {
    // R01: "Never two at once within a plan."
    const run = undoing(
      `
  - id: s
    scope: [{ id: a, call: do.a }, { id: b, call: do.b }, { id: c, call: do.c }]
    compensation: { order: reverse, onFailure: continue }
  - { id: e, call: do.e }
  - { id: d, call: do.d }`,
      order('parallel'),
    );
    expect(asked(run)).toEqual(['e', 'c']);
    undone(run, 'c', 'declined');
    expect(asked(run)).toEqual(['e', 'b']);
    run.resolve(run.rowOf('c', 'undo'), 'retry');
    expect(asked(run)).toEqual(['e', 'b']);
    undone(run, 'b');
    expect(asked(run)).toEqual(['e', 'c']);
  });

  it('R21 a scope that is undone while the run goes on keeps to its order', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const run = undoing(
      `
  - id: s
    scope: [{ id: a, call: do.a }, { id: b, call: do.b }, { id: d, call: do.d }]
    compensation: { order: parallel }
    catch: [{ undo: true }]
  - { id: c, call: do.c }`,
      order('reverse'),
    );
    expect(asked(run)).toEqual(['b', 'a']);
    undone(run, 'a');
    undone(run, 'b');
    expect([run.state.phase, run.ledger()['c']]).toEqual(['forward', 'REQUESTED']);
  });
});
