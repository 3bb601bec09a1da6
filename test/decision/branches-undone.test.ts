import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, type Setting, workflow } from './support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

const HANGING = { 'undo.a': ['hang'], 'undo.b': ['hang'], 'undo.c': ['hang'], 'undo.e': ['hang'] } as const;

/** Plays until a run whose last step is refused is undone in the order `graph`, every undo in flight. */
function undoing(steps: string): Play {
  const text = workflow(`${steps}\n  - { id: d, call: do.d }`, 'compensation: { order: graph }');
  return new Play(text, { script: { ...HANGING, 'do.d': ['declined'] } }).drive();
}

/** Undos that are under way, by step and item. */
const asked = (run: Play): readonly string[] =>
  [...run.state.effects.values()]
    .filter(({ compensates, state }) => compensates !== null && state === 'REQUESTED')
    .map(({ step, frames }) => [step, ...frames.flatMap(([kind, of]) => (kind === 'm' ? [String(of)] : []))].join(' '));

/** The world answers one undo. */
function undone(run: Play, action: string): void {
  run.provider.says(action, 'ok');
  const answer = run.answerNext();
  if (answer !== null) run.decide([answer]);
  run.provider.says(action, 'hang');
}

describe('the order graph over branches', () => {
  it('R07 what reads across the join is undone first; branches that do not read each other are undone side by side', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const run = undoing(`
  - id: fork
    parallel:
      x: [{ id: a, call: do.a }, { id: b, call: do.b, with: { of: =steps.a.output } }]
      y: [{ id: c, call: do.c }]
  - { id: e, call: do.e, with: { of: =steps.b.output } }`);
    expect([...asked(run)].sort()).toEqual(['c', 'e']);
    undone(run, 'undo.e');
    expect([...asked(run)].sort()).toEqual(['b', 'c']);
    undone(run, 'undo.b');
    expect([...asked(run)].sort()).toEqual(['a', 'c']);
    undone(run, 'undo.c');
    undone(run, 'undo.a');
    expect([asked(run), run.state.status]).toEqual([[], 'COMPENSATED']);
    expect(faultsOf(run)).toEqual([]);
  });

  it('R07 whoever reads the output of the parallel step reads all of its branches', () => {
    // R07: "derived statically"
    const run = undoing(`
  - { id: fork, parallel: { x: [{ id: a, call: do.a }], y: [{ id: c, call: do.c }] } }
  - { id: e, call: do.e, with: { of: =steps.fork.output } }`);
    expect(asked(run)).toEqual(['e']);
    undone(run, 'undo.e');
    expect([...asked(run)].sort()).toEqual(['a', 'c']);
  });

  it('R07 `after` holds across branches', () => {
    // R07: "and those its own `after` names"
    const run = undoing(`
  - id: fork
    parallel:
      x: [{ id: a, call: do.a, compensate: { call: undo.a, after: [c] } }]
      y: [{ id: c, call: do.c }]`);
    expect(asked(run)).toEqual(['c']);
    undone(run, 'undo.c');
    expect(asked(run)).toEqual(['a']);
  });

  it('R09 items are undone side by side, what reads within an item before what it reads', () => {
    // R09: "each item with a confirmed effect is compensated once, by item key"
    const run = undoing(`
  - id: each
    map: '["x", "y"]'
    key: item
    steps: [{ id: a, call: do.a }, { id: b, call: do.b, with: { of: =steps.a.output } }]`);
    expect(asked(run)).toEqual(['b y', 'b x']);
    undone(run, 'undo.b');
    undone(run, 'undo.b');
    expect([...asked(run)].sort()).toEqual(['a x', 'a y']);
    undone(run, 'undo.a');
    undone(run, 'undo.a');
    expect([run.state.status, run.provider.happened.slice(4)]).toEqual([
      'COMPENSATED',
      ['undo.b', 'undo.b', 'undo.a', 'undo.a'],
    ]);
    expect(faultsOf(run)).toEqual([]);
  });
});

describe('a fork inside finally', () => {
  const CLEAN = '{ id: c, call: do.c }';
  const play = (fork: string, script: Setting['script'] = {}): Play =>
    new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }', `finally:\n  - { id: fork, ${fork} }`), {
      script,
    }).drive();
  const failed = (run: Play): unknown => run.head().failure;

  it('does its branches side by side, once, and the run ends when all are over', () => {
    const run = play(`parallel: { x: [${CLEAN}], y: [{ id: d, call: do.d }, { id: e, call: do.e }] }`, {
      'do.b': ['declined'],
      'do.d': ['hang'],
    });
    expect([run.happened, run.state.phase, run.state.status]).toEqual([
      ['do.a', 'undo.a', 'do.c'],
      'finally',
      'RUNNING',
    ]);
    run.provider.says('do.d', 'ok');
    run.crash().drive().wait('1h');
    expect([run.happened.slice(3), run.state.status]).toEqual([['do.d', 'do.e'], 'COMPENSATED']);
    expect(faultsOf(run)).toEqual([]);
  });

  it('a branch that fails stops the others, changes nothing of the end and undoes nothing', () => {
    const run = play(`parallel: { x: [${CLEAN}], y: [{ id: d, call: do.d }] }`, { 'do.d': ['declined'] });
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b', 'do.c'], 'COMPLETED']);
    expect((failed(run) as JsonObject)['finallyFailed']).toMatchObject({ code: 'declined' });
    expect(faultsOf(run)).toEqual([]);
  });

  it.each([
    ['a race', `parallel: { x: [${CLEAN}], y: [{ id: d, call: do.d }] }, join: any`, ['do.c', 'do.d']],
    [
      'an item that may fail',
      `map: '["x", "y"]', key: item, tolerate: 1, steps: [{ id: d, call: do.d }, ${CLEAN}]`,
      ['do.d', 'do.d', 'do.c'],
    ],
  ])('%s comes to its end, and nothing that finally did is undone', (_what, fork, happened) => {
    const run = play(fork, { 'do.c': ['declined', 'ok'] });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.happened.slice(2)).toEqual(fork.startsWith('map') ? happened : ['do.d']);
    expect(faultsOf(run)).toEqual([]);
  });
});
