import { describe, expect, it } from 'vitest';
import {
  approve,
  awaiting,
  branch,
  call,
  cel,
  choose,
  clause,
  end,
  expr,
  fail,
  literal,
  set,
  wait,
  workflow,
} from './support/definitions.ts';
import { Driver } from './support/driver.ts';

const vars = [['n', { type: 'integer', default: 1 }]] as const;

describe('steps that wait for the world', () => {
  it('are entered and left with a command and remember their output, attempts and time', () => {
    const run = new Driver(workflow([wait('w'), awaiting('e', 'changed'), approve('p')]));
    expect(run.asked).toEqual(['step.enter w']);
    run.ok('w', { late: 0 }, 0);
    expect(run.asked).toEqual(['step.leave w', 'step.enter e']);
    run.nowMs = 20_000;
    run.ok('e', { x: 1 }).ok('p', { decision: 'approved' });
    expect(run.value).toBe('$completed');
    expect(run.data.steps['e']).toEqual({ skipped: false, attempts: 1, code: null, atMs: 20_000, output: { x: 1 } });
  });

  it('do not take a settled event of another step', () => {
    const run = new Driver(workflow([wait('w'), wait('x')]));
    expect(run.ok('x').last.changed).toBe(false);
  });
});

describe('when', () => {
  it('false skips to the following step, and the skipped step’s next does not count', () => {
    const run = new Driver(workflow([call('a', { when: cel('input.n > 1'), next: 'c' }), call('b'), call('c')]), {
      n: 1,
    });
    expect(run.at).toBe('b');
    expect(run.asked).toEqual(['step.enter b']);
    expect(run.data.steps['a']).toEqual({ skipped: true, attempts: 0, code: null, atMs: 10_000 });
  });

  it('true enters, and then next counts', () => {
    const run = new Driver(workflow([call('a', { when: cel('input.n > 1'), next: 'c' }), call('b'), call('c')]), {
      n: 2,
    }).ok('a');
    expect(run.at).toBe('c');
  });

  it('of the last step false ends the run', () => {
    expect(new Driver(workflow([call('a', { when: cel('false') })])).value).toBe('$completed');
  });

  it('that cannot be computed is the failure `expression` of the step, without data in its message', () => {
    const run = new Driver(workflow([call('a', { when: cel('input.secretName.x > 1') })]), { secretName: 'canary-77' });
    expect(run.value).toBe('$settling');
    expect(run.data.ending?.failure).toMatchObject({ code: 'expression', class: 'expression', step: 'a' });
    expect(JSON.stringify(run.data)).not.toContain('canary-77');
  });
});

describe('set', () => {
  it('computes all values on the values before the transition', () => {
    const more = {
      vars: [
        ['a', { type: 'integer', default: 1 }],
        ['b', { type: 'integer', default: 2 }],
      ] as const,
    };
    const run = new Driver(
      workflow(
        [
          set('swap', [
            ['a', expr('vars.b')],
            ['b', expr('vars.a')],
          ]),
          call('x'),
        ],
        more,
      ),
    );
    expect(run.data.vars).toEqual({ a: 2, b: 1 });
    expect(run.at).toBe('x');
  });

  it('in which one value cannot be computed writes none and fails', () => {
    const run = new Driver(
      workflow(
        [
          set('s', [
            ['n', literal(9)],
            ['m', expr('input.gone')],
          ]),
        ],
        { vars },
      ),
    );
    expect(run.data.vars).toEqual({ n: 1 });
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 's' });
  });
});

describe('choose', () => {
  const two = [
    branch('input.n == 1', [call('a')]),
    branch('input.n == 2', [call('b'), call('c')]),
    branch(null, [call('d')]),
  ];

  it('takes the first true branch, then goes on after the choose', () => {
    const run = new Driver(workflow([choose('x', two), call('z')]), { n: 2 });
    expect(run.value).toEqual({ $forward: { x$branch1: 'b' } });
    expect(run.last.entered).toContain('x');
    run.ok('b').ok('c', 7);
    expect(run.value).toEqual({ $forward: 'z' });
    expect(run.data.steps['x']).toMatchObject({ output: 7, code: null });
  });

  it('evaluates no guard behind the one that is true', () => {
    const run = new Driver(workflow([choose('x', [branch('true', [call('a')]), branch('input.gone.x', [call('b')])])]));
    expect(run.at).toBe('a');
  });

  it('without a true branch is the failure no-match', () => {
    const run = new Driver(workflow([choose('x', [branch('false', [call('a')])])]));
    expect(run.data.ending?.failure).toMatchObject({ code: 'no-match', class: 'no-match', step: 'x' });
  });

  it('with a guard that cannot be computed fails and does not fall into else', () => {
    const run = new Driver(workflow([choose('x', [branch('input.gone.x', [call('a')]), branch(null, [call('b')])])]));
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 'x' });
  });

  it('has the output of the step of the branch that ran last, skipped ones not counted', () => {
    const steps = [call('a'), call('b', { when: cel('false') })];
    const run = new Driver(workflow([choose('x', [branch('true', steps)]), call('z')])).ok('a', 'of a');
    expect(run.data.steps['x']?.output).toBe('of a');
  });

  it('has null as output where nothing ran', () => {
    const run = new Driver(workflow([choose('x', [branch('true', [call('a', { when: cel('false') })])]), call('z')]));
    expect(run.data.steps['x']?.output).toBeNull();
  });

  it('forgets what ran in an earlier visit', () => {
    const inner = choose('x', [branch('vars.n == 1', [call('a')]), branch(null, [call('b', { when: cel('false') })])]);
    const again = set('s', [['n', literal(2)]], { next: 'x', maxJumps: 1, when: cel('vars.n == 1') });
    const run = new Driver(workflow([inner, again, call('z')], { vars })).ok('a', 'old');
    expect(run.at).toBe('z');
    expect(run.data.steps['x']?.output).toBeNull();
  });

  it('with an output of its own computes it when the branch is done, and fails where it cannot', () => {
    const good = new Driver(
      workflow([choose('x', [branch('true', [call('a')])], { output: expr('steps.a.output') }), call('z')]),
    ).ok('a', 5);
    expect(good.data.steps['x']?.output).toBe(5);
    const bad = new Driver(
      workflow([choose('x', [branch('true', [call('a')])], { output: expr('input.gone') }), call('z')]),
    ).ok('a', 5);
    expect(bad.data.ending?.failure).toMatchObject({ class: 'expression', step: 'x' });
  });

  it('with a branch that says next goes there', () => {
    const run = new Driver(workflow([choose('x', [branch('true', null, 'z')]), call('y'), call('z')]));
    expect(run.at).toBe('z');
    expect(run.data.steps['x']).toMatchObject({ skipped: false });
  });

  it('without steps and next falls through', () => {
    expect(new Driver(workflow([choose('x', [branch('true', [])]), call('y')])).at).toBe('y');
  });

  it('inside a choose is left through both', () => {
    const inner = choose('y', [branch('true', [call('a')])]);
    const run = new Driver(workflow([choose('x', [branch('true', [inner])]), call('z')]));
    expect(run.value).toEqual({ $forward: { x$branch0: { y$branch0: 'a' } } });
    run.ok('a', 3);
    expect(run.at).toBe('z');
    expect(run.data.steps['x']?.output).toBe(3);
  });
});

describe('next', () => {
  it('forward leaves out the steps between and counts nothing', () => {
    const run = new Driver(workflow([call('a', { next: 'c' }), call('b'), call('c')])).ok('a');
    expect(run.at).toBe('c');
    expect([run.data.visits, run.data.jumps]).toEqual([{}, {}]);
  });

  it('back begins another visit of the target’s list', () => {
    const run = new Driver(workflow([call('a'), call('b', { next: 'a', maxJumps: 2 }), call('c')])).ok('a').ok('b');
    expect(run.at).toBe('a');
    expect(run.data).toMatchObject({ visits: { main: 1 }, jumps: { b: 1 } });
    expect(run.asked).toEqual(['step.leave b', 'step.enter a']);
  });

  it('to itself leaves and enters the step again', () => {
    const run = new Driver(workflow([call('a', { next: 'a', maxJumps: 1 })])).ok('a');
    expect(run.asked).toEqual(['step.leave a', 'step.enter a']);
    expect(run.last.left).toEqual(['a']);
    expect(run.last.entered).toEqual(['a']);
  });

  it('back more than maxJumps times is the failure `limit` of the step', () => {
    const run = new Driver(workflow([call('a', { next: 'a', maxJumps: 1 })])).ok('a').ok('a');
    expect(run.data.ending?.failure).toMatchObject({ code: 'limit', class: 'limit', step: 'a' });
    expect(run.data.jumps).toEqual({ a: 1 });
  });

  it('back to a step with a guard evaluates the guard again', () => {
    const again = call('a', { when: cel('vars.n == 1') });
    const run = new Driver(
      workflow([again, set('s', [['n', literal(2)]]), call('b', { next: 'a', maxJumps: 1 }), call('c')], { vars }),
    );
    run.ok('a').ok('b');
    expect(run.at).toBe('b');
    expect(run.data.steps['a']?.skipped).toBe(true);
  });

  it('out of a branch to an enclosing list begins another visit of that list', () => {
    const inner = choose('x', [branch('true', [call('b', { next: 'a', maxJumps: 1 })])]);
    const run = new Driver(workflow([call('a'), inner, call('z')])).ok('a').ok('b');
    expect(run.value).toEqual({ $forward: 'a' });
    expect(run.data).toMatchObject({ visits: { main: 1 }, jumps: { b: 1 } });
  });

  it('into a list from outside begins it at visit 0, however often it went round before', () => {
    const c = call('c', { next: 'b', maxJumps: 1, catch: [clause(['limit'], { next: 'd' })] });
    const inner = choose('x', [branch('true', [call('b'), c])]);
    const run = new Driver(workflow([inner, call('d', { next: 'x', maxJumps: 1 }), call('z')]));
    run.ok('b').ok('c');
    expect(run.data.visits).toEqual({ x$branch0: 1 });
    run.ok('b').ok('c');
    expect(run.at).toBe('d');
    run.ok('d');
    expect(run.at).toBe('b');
    expect(run.data.visits).toEqual({ main: 1 });
  });

  it('end ends the run done', () => {
    const run = new Driver(workflow([call('a', { next: 'end' }), call('b')])).ok('a');
    expect(run.value).toBe('$completed');
  });
});

describe('the end', () => {
  it('computes the output on the last values', () => {
    const run = new Driver(workflow([call('a')], { output: expr('steps.a.output.id') })).ok('a', { id: 'x-1' });
    expect(run.data.ending).toEqual({ kind: 'done', as: null, output: 'x-1', failure: null });
  });

  it('whose output cannot be computed is held, never undone, and computed again when a person lets it', () => {
    const run = new Driver(workflow([call('a')], { output: expr('steps.a.output.id') })).ok('a', {});
    expect(run.value).toBe('$outputHeld');
    expect(run.asked).toEqual(['step.leave a', 'step.held $output']);
    expect(run.data.failing).toMatchObject({ class: 'expression', step: null });
    run.give({ type: 'step.retried', step: '$output', atMs: 1 });
    expect(run.value).toBe('$outputHeld');
    run.give({ type: 'run.stopped', ending: { kind: 'ordered', as: null, output: null, failure: null }, atMs: 1 });
    expect(run.value).toBe('$settling');
    expect(run.data.failing).toBeNull();
  });

  it('`end: done` says the document’s output', () => {
    const run = new Driver(workflow([call('a'), end('e'), call('b')], { output: literal('o') })).ok('a');
    expect(run.data.ending).toEqual({ kind: 'done', as: null, output: 'o', failure: null });
    expect(run.data.steps['e']).toMatchObject({ skipped: false });
  });

  it('`end: {as, output}` names the outcome and its own output', () => {
    const run = new Driver(workflow([end('e', 'as', { as: 'refused', output: literal(1) })], { output: literal('o') }));
    expect(run.data.ending).toEqual({ kind: 'done', as: 'refused', output: 1, failure: null });
  });

  it('`end` whose output cannot be computed is held even where failures undo', () => {
    const run = new Driver(workflow([call('a'), end('e', 'as', { as: 'x', output: expr('input.gone') })])).ok('a');
    expect(run.at).toBe('e$held');
    expect(run.asked).toContain('step.held e');
  });

  it('`end: cancelled` settles and undoes', () => {
    const run = new Driver(workflow([call('a'), end('e', 'cancelled')])).ok('a');
    expect(run.value).toBe('$settling');
    expect(run.data.ending).toEqual({ kind: 'cancelled', as: null, output: null, failure: null });
  });

  it('`fail` raises code, message and data', () => {
    const step = fail('f', expr('"no-" + input.what'), { message: literal('sorry'), data: literal({ x: 1 }) });
    const run = new Driver(workflow([step]), { what: 'stock' });
    expect(run.data.ending?.failure).toEqual({
      code: 'no-stock',
      class: 'rejected',
      message: 'sorry',
      step: 'f',
      data: { x: 1 },
      cause: null,
    });
  });

  it('`fail` whose code cannot be computed is the failure `expression`', () => {
    const run = new Driver(workflow([fail('f', expr('input.gone'))]));
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 'f' });
  });
});
