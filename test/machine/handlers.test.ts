import { describe, expect, it } from 'vitest';
import type { Handler } from '../../src/model/definition.ts';
import type { Json } from '../../src/model/json.ts';
import { branch, call, choose, clause, expr, handler, literal, wait, workflow } from './support/definitions.ts';
import { Driver, eventView } from './support/driver.ts';

describe('a handler', () => {
  it('with set only writes vars and stays; nothing is left or entered', () => {
    const on = [handler('changed', { set: [['n', expr('event.data.n')]] })];
    const run = new Driver(workflow([wait('w', { on })])).take('w', 0, { event: eventView('changed', { n: 4 }) });
    expect(run.data.vars).toEqual({ n: 4 });
    expect(run.at).toBe('w');
    expect([run.asked, run.last.entered, run.last.left, run.last.changed]).toEqual([[], [], [], true]);
  });

  it('without set and target takes the event without a trace but a transition', () => {
    const run = new Driver(workflow([wait('w', { on: [handler('changed')] })])).take('w', 0);
    expect(run.last.changed).toBe(true);
    expect(run.at).toBe('w');
  });

  it('with next leaves the step and goes there', () => {
    const run = new Driver(
      workflow([wait('w', { on: [handler('changed', { next: 'z' })] }), call('y'), call('z')]),
    ).take('w', 0);
    expect(run.at).toBe('z');
    expect(run.asked).toEqual(['step.leave w', 'step.enter z']);
    expect(run.data.steps).toEqual({});
  });

  it('with an open effect drains it first, then goes to its target whatever the outcome', () => {
    const steps = [call('a', { on: [handler('changed', { next: 'z' })] }), call('y'), call('z')];
    const run = new Driver(workflow(steps)).take('a', 0, { open: true });
    expect(run.at).toBe('a$leaving0');
    expect(run.asked).toEqual(['step.leave a', 'step.drain a']);
    const again = run.snapshot;
    run.ok('a', 5);
    expect(run.at).toBe('z');
    expect(run.data.steps['a']).toMatchObject({ output: 5 });
    const other = new Driver(workflow(steps));
    other.last = { ...other.last, snapshot: again };
    other.fails('a', 'x');
    expect(other.at).toBe('z');
    expect(other.data.steps['a']).toMatchObject({ code: 'x' });
    expect(other.data.failing).toBeNull();
  });

  it('with set only does not drain', () => {
    const on = [handler('changed', { set: [['n', literal(2)]] })];
    const run = new Driver(workflow([call('a', { on })])).take('a', 0, { open: true });
    expect([run.at, run.asked, run.data.vars]).toEqual(['a', [], { n: 2 }]);
  });

  it('`then: end` completes, `then: cancel` settles as cancelled', () => {
    const ends = new Driver(workflow([wait('w', { on: [handler('changed', { leads: 'end' })] }), call('z')])).take(
      'w',
      0,
    );
    expect(ends.value).toBe('$completed');
    const cancels = new Driver(workflow([wait('w', { on: [handler('changed', { leads: 'cancel' })] })])).take('w', 0);
    expect(cancels.value).toBe('$settling');
    expect(cancels.data.ending).toMatchObject({ kind: 'cancelled' });
  });

  it('`then: fail` is a failure of the step that carries the event, caught like any', () => {
    const on = [handler('changed', { leads: 'fail' })];
    const step = call('a', { on, catch: [clause(['changed'], { do: [call('m')] })] });
    const run = new Driver(workflow([step])).take('a', 0, { event: eventView('changed', { why: 'x' }) });
    expect(run.at).toBe('m');
    expect(run.data.caught['a']).toMatchObject({ code: 'changed', class: 'rejected', data: { why: 'x' } });
    const open = new Driver(workflow([step])).take('a', 0, { open: true });
    expect(open.at).toBe('a$leaving0');
    open.ok('a');
    expect(open.at).toBe('m');
  });

  it('whose set cannot be computed is the failure `expression` of the step', () => {
    const on = [handler('changed', { set: [['n', expr('event.data.gone')]], next: 'z' })];
    const run = new Driver(workflow([call('a', { on }), call('z')])).take('a', 0);
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 'a' });
    const open = new Driver(workflow([call('a', { on }), call('z')])).take('a', 0, { open: true });
    expect(open.at).toBe('a$leaving0');
    open.ok('a');
    expect(open.data.ending?.failure).toMatchObject({ class: 'expression', step: 'a' });
  });

  it('of a set only, that cannot be computed, drains an open effect before it fails', () => {
    const on = [handler('changed', { set: [['n', expr('event.data.gone')]] })];
    const run = new Driver(workflow([call('a', { on })])).take('a', 0, { open: true });
    expect(run.at).toBe('a$leaving0');
    run.ok('a');
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 'a' });
  });

  it('of a choose is in force while a step of its branch is active, and drains that step', () => {
    const steps = [
      choose('x', [branch('true', [call('a'), call('b')])], { on: [handler('changed', { next: 'z' })] }),
      call('z'),
    ];
    const run = new Driver(workflow(steps)).ok('a').take('x', 0, { open: true });
    expect(run.value).toEqual({ $forward: { x$branch0: 'b$leaving0' } });
    expect(run.asked).toEqual(['step.leave b', 'step.drain b']);
    run.ok('b');
    expect(run.value).toEqual({ $forward: 'z' });
  });

  it('of a choose whose failure is raised inside goes to the clauses of the choose', () => {
    const x = choose('x', [branch('true', [call('a', { catch: [clause(['any'], { do: [call('no')] })] })])], {
      on: [handler('changed', { leads: 'fail' })],
      catch: [clause(['any'], { do: [call('yes')] })],
    });
    expect(new Driver(workflow([x])).take('x', 0).at).toBe('yes');
  });

  it('of a step is not in force in its own catch', () => {
    const a = call('a', { on: [handler('changed', { next: 'z' })], catch: [clause(['any'], { do: [call('m')] })] });
    const run = new Driver(workflow([a, call('z')])).fails('a', 'x').take('a', 0);
    expect(run.last.changed).toBe(false);
    expect(run.at).toBe('m');
  });

  it('that leaves a running catch leaves its failure behind', () => {
    const a = call('a', { catch: [clause(['any'], { do: [wait('m', { on: [handler('changed', { next: 'z' })] })] })] });
    const run = new Driver(workflow([choose('x', [branch('true', [a])]), call('z')]));
    run.fails('a', 'x').take('m', 0);
    expect(run.at).toBe('z');
    expect(run.data.caught).toEqual({});
  });

  it('goes back at most maxJumps times', () => {
    const w = wait('w', { maxJumps: 1, on: [handler('changed', { next: 'a' })] });
    const run = new Driver(workflow([call('a'), w])).ok('a').take('w', 0);
    expect(run.at).toBe('a');
    expect(run.data.visits).toEqual({ main: 1 });
    run.ok('a').take('w', 0);
    expect(run.data.ending?.failure).toMatchObject({ code: 'limit', step: 'w' });
  });

  it('is stopped with the run while it drains', () => {
    const run = new Driver(workflow([call('a', { on: [handler('changed', { leads: 'fail' })] })])).take('a', 0, {
      open: true,
    });
    run.give({ type: 'run.stopped', ending: { kind: 'cancelled', as: null, output: null, failure: null }, atMs: 1 });
    expect(run.value).toBe('$settling');
    expect(run.data.failing).toBeNull();
  });
});

describe('the run’s own states', () => {
  const stop = (kind: 'cancelled' | 'terminated' | 'failed') =>
    ({ type: 'run.stopped', ending: { kind, as: null, output: null, failure: null }, atMs: 1 }) as const;

  it('a stop leaves any step and settles', () => {
    const run = new Driver(workflow([call('a')])).give(stop('cancelled'));
    expect([run.value, run.asked]).toEqual(['$settling', ['step.leave a', 'run.settle']]);
    expect(run.data.ending?.kind).toBe('cancelled');
  });

  it('a second stop changes nothing, but for terminate', () => {
    const run = new Driver(workflow([call('a')])).give(stop('failed'));
    expect(run.give(stop('cancelled')).last.changed).toBe(false);
    run.give(stop('terminated'));
    expect([run.value, run.asked, run.data.ending?.kind]).toEqual(['$settling', [], 'terminated']);
  });

  it('terminate while compensating settles again before it ends', () => {
    const run = new Driver(workflow([call('a')])).give(stop('failed')).give({ type: 'run.settled', atMs: 1 });
    expect(run.give(stop('cancelled')).last.changed).toBe(false);
    run.give(stop('terminated'));
    expect([run.value, run.asked, run.data.ending?.kind]).toEqual(['$settling', ['run.settle'], 'terminated']);
  });

  it('an order leads out of every end', () => {
    const reopened = {
      type: 'run.reopened',
      ending: { kind: 'ordered', as: null, output: null, failure: null },
      atMs: 1,
    } as const;
    const done = new Driver(workflow([call('a')])).ok('a').give(reopened);
    expect([done.value, done.data.ending?.kind]).toEqual(['$settling', 'ordered']);
    const ended = new Driver(workflow([call('a')]))
      .give(stop('terminated'))
      .give({ type: 'run.settled', atMs: 1 })
      .give({ type: 'run.undone', atMs: 1 });
    expect(ended.value).toBe('$ended');
    expect(ended.give(reopened).value).toBe('$settling');
  });
});

describe('a handler of the document', () => {
  const taken = (run: Driver, options: { open?: boolean; data?: Json; index?: number } = {}): Driver =>
    run.give({
      type: 'handler.taken',
      step: null,
      handler: options.index ?? 0,
      event: eventView('changed', options.data),
      open: options.open ?? false,
      atMs: run.nowMs,
      hold: false,
    });
  const SET = handler('changed', { set: [['n', expr('event.data.n')]] });

  it('is in force in every step that rests, also in a catch and in a branch, and writes vars there', () => {
    const recovers = [clause(['any'], { do: [wait('c')] })];
    const steps = [wait('w'), choose('pick', [branch(null, [call('b')])]), call('a', { catch: recovers })];
    const run = new Driver(workflow(steps, { on: [SET] }));
    expect([taken(run, { data: { n: 1 } }).at, run.data.vars]).toEqual(['w', { n: 1 }]);
    expect([taken(run.ok('w'), { data: { n: 2 } }).at, run.data.vars]).toEqual(['b', { n: 2 }]);
    expect([taken(run.ok('b').fails('a', 'no'), { data: { n: 3 } }).at, run.data.vars]).toEqual(['c', { n: 3 }]);
    expect(run.data.caught).toHaveProperty('a');
  });

  it('with a target drains what is open, then ends, cancels or fails the run, whatever the outcome', () => {
    const leads = (then: Handler['then']): Driver =>
      new Driver(workflow([call('a')], { on: [handler('changed', { leads: then })] }));
    const ended = taken(leads('end'), { open: true });
    expect([ended.at, ended.asked]).toEqual(['a$leaving0', ['step.leave a', 'step.drain a']]);
    expect(ended.fails('a', 'no').value).toBe('$completed');
    expect(taken(leads('end')).value).toBe('$completed');
    const cancelled = taken(leads('cancel'), { open: true }).ok('a');
    expect([cancelled.value, cancelled.data.ending?.kind]).toEqual(['$settling', 'cancelled']);
    const failed = taken(leads('fail'), { open: true, data: { why: 'x' } }).ok('a');
    expect([failed.value, failed.data.ending]).toMatchObject([
      '$settling',
      { kind: 'failed', failure: { code: 'changed', step: null, data: { why: 'x' } } },
    ]);
  });

  it('fails no step, so no clause takes it: what a running catch was about is its cause', () => {
    const recovers = [clause(['any'], { do: [wait('c', { catch: [clause(['any'])] })] })];
    const steps = [call('a', { catch: recovers }), call('z')];
    const run = new Driver(workflow(steps, { on: [handler('changed', { leads: 'fail' })] })).fails('a', 'first');
    expect(taken(run).data.ending?.failure).toMatchObject({ code: 'changed', step: null, cause: { code: 'first' } });
  });

  it('keeps the step that it finds where a failure may not be undone, and one that cannot be computed is such a failure', () => {
    const run = new Driver(workflow([wait('w')], { on: [SET] }), {}, { holds: true });
    expect(taken(run, { data: {} }).at).toBe('w$held');
    expect(run.data.failing).toMatchObject({ code: 'expression', step: null });
    run.give({ type: 'step.retried', step: 'w', atMs: run.nowMs });
    expect([run.at, run.data.failing]).toEqual(['w', null]);
    const open = taken(new Driver(workflow([call('a')], { on: [SET] })), { data: {}, open: true });
    expect(open.at).toBe('a$leaving0');
    expect(open.ok('a').data.ending?.failure).toMatchObject({ code: 'expression', step: null });
  });
});
