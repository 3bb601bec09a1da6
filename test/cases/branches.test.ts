import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { stepViews } from '../../src/engine/step-view.ts';
import { checkedRun } from '../decision/support/checked-run.ts';
import { Play, type Setting, workflow } from '../decision/support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

function play(text: string, script: Setting['script'] = {}): Play {
  return new Play(text, { script }).drive();
}

describe('bug 27 a join that has nothing to wait for', () => {
  const fork = (join: string): string =>
    workflow(
      `  - { id: fork, parallel: { slow: [{ id: w, wait: 10s }] }${join} }\n  - { id: charge, call: do.a }`,
      'timeout: 1h',
    );
  const codes = (text: string): readonly string[] =>
    validateWorkflow(text, 'fork.pawl.yaml')
      .problems.filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);

  it('means all branches where nothing is said of it: the next step comes after the slow one', () => {
    const run = play(fork('')).wait('9s');
    expect([run.happened, run.state.status]).toEqual([[], 'WAITING']);
    expect(run.wait('1s').happened).toEqual(['do.a']);
  });

  it.each([
    ['an empty list', ', join: []', 'PAWL-103'],
    ['an empty map', ', join: {}', 'PAWL-102'],
    ['none of them', ', join: { count: 0 }', 'PAWL-270'],
  ])('is refused when the file is checked: %s', (_what, join, code) => {
    expect(codes(fork(''))).toEqual([]);
    expect(codes(fork(join))).toEqual([code]);
  });

  it('a fork without branches is refused, too', () => {
    const [code, ...others] = codes(fork('').replace('slow: [{ id: w, wait: 10s }]', ''));
    expect([code, others]).toEqual(['PAWL-107', ['PAWL-204']]);
  });
});

describe('bug 30 a branch that is well and under way is not shown as failed', () => {
  const more = '  mute: { function: mute@1, idempotency: none, settlesWithin: 1s, timeout: 1s, compensate: none }';
  const fork = (call: string): string =>
    workflow(
      `
  - { id: fork, parallel: { p: [{ id: p, call: ${call} }], q: [{ id: q, call: do.b }] }, siblings: cancel }`,
      more,
    );
  const shown = ({ compiled, state }: Play): Readonly<Record<string, string>> =>
    Object.fromEntries(
      stepViews({ compiled }, state, [...state.effects.values()]).map(({ id, status }) => [id, status]),
    );
  const journal = (run: Play): readonly string[] =>
    run.commits.flatMap(({ transitions }) => transitions.map(({ event }) => `${event.type} ${event.step}`));

  it('it is under way until its own answer comes, then done and undone; why it was stopped is told', () => {
    const run = play(fork('do.a'), { 'do.a': ['hang'], 'do.b': ['declined'] });
    expect(shown(run)).toEqual({ fork: 'active', p: 'active', q: 'failed' });
    expect([run.rowOf('p').state, run.rowOf('p').attempt, run.state.status]).toEqual(['REQUESTED', 1, 'RUNNING']);
    // First the refusal of q, then that the branches of its step are not wanted any more.
    expect(journal(run).slice(-2)).toEqual(['effect q', 'branches fork']);
    run.provider.says('do.a', 'ok');
    run.crash().drive().wait('1h');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'undo.a'], 'COMPENSATED']);
    expect(shown(run)).toMatchObject({ p: 'completed', q: 'failed' });
    expect(run.head().failure).toMatchObject({ code: 'declined', step: 'q', undone: ['p'] });
  });

  it('it is in doubt where nobody knows what became of it, and a person is asked before the run ends', () => {
    const run = play(fork('mute'), { mute: ['hang'], 'do.b': ['declined'] });
    run.provider.says('mute', 'lost-done');
    run.drive();
    expect(shown(run)).toEqual({ fork: 'active', p: 'held', q: 'failed' });
    expect([run.state.status, run.incidents, run.rowOf('p').state]).toEqual(['HELD', ['unknown'], 'UNKNOWN']);
    run.sleep('1m');
    expect(run.resolve(run.rowOf('p'), 'confirmed')).toMatchObject({ outcome: 'applied' });
    run.drive();
    expect([run.rowOf('p').state, run.state.status]).toEqual(['CONFIRMED', 'FAILED']);
    expect(faultsOf(run)).toEqual([]);
  });
});

describe('bug 31 a branch that stands still for a person is not done', () => {
  const REVIEW = "onUnknown: review, review: { from: ['role:operator'] }";
  const three = workflow(
    `
  - id: fork
    parallel: { one: [{ id: a, call: do.a }], two: [{ id: b, call: do.b, ${REVIEW} }], three: [{ id: c, call: do.c }] }
  - { id: d, call: do.d }`,
  );

  it('what comes after the join waits for it, and comes once when the person has said what happened', () => {
    const run = play(three, { 'do.b': ['lost-done'] });
    expect([run.happened, run.state.status, run.incidents]).toEqual([['do.a', 'do.b', 'do.c'], 'HELD', ['unknown']]);
    expect(run.state.control.incidents).toMatchObject([{ step: 'b', from: ['role:operator'], sinceMs: run.nowMs }]);
    run.crash().wait('1d');
    expect([run.happened.length, run.state.status]).toEqual([3, 'HELD']);
    run.resolve(run.rowOf('b'), 'confirmed', { output: { id: 'B-1' } });
    run.drive();
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b', 'do.c', 'do.d'], 'COMPLETED']);
    expect(faultsOf(run)).toEqual([]);
  });
});

describe('bug 32 one branch fails, and what the other one has done is undone', () => {
  const saga = workflow(
    `
  - id: saga
    scope: [{ id: fork, parallel: { one: [{ id: a, call: do.a }], two: [{ id: b, call: do.b }] } }]
    catch: [{ undo: true, then: raise }]`,
  );

  it.each([
    ['the first branch fails after the second is done', 'do.a', 'do.b', 'undo.b'],
    ['the second branch fails after the first is done', 'do.b', 'do.a', 'undo.a'],
  ])('%s', (_what, fails, succeeds, undo) => {
    const run = play(saga, { [fails]: ['hang'] });
    expect(run.happened).toEqual([succeeds]);
    run.sleep('1500ms');
    run.provider.says(fails, 'declined');
    run.drive();
    expect([run.happened, run.state.status]).toEqual([[succeeds, undo], 'COMPENSATED']);
    expect(faultsOf(run)).toEqual([]);
  });

  it.each([
    ['the first branch fails while the second is under way', 'do.a', 'do.b', 'undo.b'],
    ['the second branch fails while the first is under way', 'do.b', 'do.a', 'undo.a'],
  ])('%s: its undo comes when it is done', (_what, fails, hangs, undo) => {
    const run = play(saga, { [fails]: ['declined'], [hangs]: ['hang'] });
    expect([run.happened, run.state.status]).toEqual([[], 'RUNNING']);
    run.provider.says(hangs, 'ok');
    run.crash().drive().wait('1h');
    expect([run.happened, run.state.status]).toEqual([[hangs, undo], 'COMPENSATED']);
    expect(faultsOf(run)).toEqual([]);
  });
});

describe('bug 55 an undo of two parts is over before that of the step before it begins', () => {
  const parts = workflow(
    `
  - { id: a, call: do.a }
  - { id: two, scope: [{ id: b, call: do.b }, { id: c, call: do.c }] }
  - { id: d, call: do.d }`,
    'compensation: { retry: { attempts: 5, delay: 3s } }',
  );

  it('also when its second part is only done 3 s later', () => {
    const run = play(parts, { 'do.d': ['declined'], 'undo.b': ['503', 'ok'] });
    expect(run.calls.slice(4)).toEqual(['undo.c', 'undo.b']);
    run.wait('2s');
    expect(run.calls.slice(4)).toEqual(['undo.c', 'undo.b']);
    run.wait('1s');
    expect([run.happened.slice(3), run.state.status]).toEqual([['undo.c', 'undo.b', 'undo.a'], 'COMPENSATED']);
  });

  it('also when its first part hangs, and across a crash', () => {
    const run = play(parts, { 'do.d': ['declined'], 'undo.c': ['hang'] });
    expect(run.happened.slice(3)).toEqual([]);
    run.provider.says('undo.c', 'ok');
    run.crash().drive().wait('1h');
    expect([run.happened.slice(3), run.state.status]).toEqual([['undo.c', 'undo.b', 'undo.a'], 'COMPENSATED']);
    expect(faultsOf(run)).toEqual([]);
  });
});
