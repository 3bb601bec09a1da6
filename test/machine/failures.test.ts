import { describe, expect, it } from 'vitest';
import { branch, call, cel, choose, clause, end, expr, fail, literal, set, workflow } from './support/definitions.ts';
import { Driver, failure } from './support/driver.ts';

describe('catch', () => {
  it('takes by code, by class or by `any`, the first clause that matches', () => {
    const catches = [
      clause(['no-stock'], { do: [call('byCode')] }),
      clause(['timeout'], { do: [call('byClass')] }),
      clause(['any'], { do: [call('rest')] }),
    ];
    const run = (failing: Parameters<typeof failure>[1], code = 'x'): string =>
      new Driver(workflow([call('a', { catch: catches })])).fails('a', failure(code, failing)).at;
    expect(run({}, 'no-stock')).toBe('byCode');
    expect(run({ class: 'timeout' })).toBe('byClass');
    expect(run({ class: 'denied' })).toBe('rest');
  });

  it('`any` excludes cancelled, which can be named', () => {
    const cancelled = failure('cancelled', { class: 'cancelled' });
    expect(new Driver(workflow([call('a', { catch: [clause(['any'])] }), call('b')])).fails('a', cancelled).value).toBe(
      '$settling',
    );
    expect(
      new Driver(workflow([call('a', { catch: [clause(['cancelled'])] }), call('b')])).fails('a', cancelled).at,
    ).toBe('b');
  });

  it('runs its list with `failure` in reach, then goes on as if the step were done', () => {
    const list = [set('s', [['why', expr('failure.code')]]), call('mend')];
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: list })] }), call('b')]));
    run.fails('a', 'broken');
    expect(run.value).toEqual({ $forward: { a$catch0: 'mend' } });
    expect(run.data.vars).toEqual({ why: 'broken' });
    expect(run.data.caught).toMatchObject({ a: { code: 'broken' } });
    expect(run.data.failing).toBeNull();
    run.ok('mend');
    expect(run.at).toBe('b');
    expect(run.data.caught).toEqual({});
    expect(run.data.steps['a']).toEqual({ skipped: false, attempts: 1, code: 'broken', atMs: 10_000 });
  });

  it('continue takes the next of its step', () => {
    const run = new Driver(workflow([call('a', { next: 'c', catch: [clause(['any'])] }), call('b'), call('c')])).fails(
      'a',
      'x',
    );
    expect(run.at).toBe('c');
  });

  it('`then: end` ends the run done, `next` goes there', () => {
    expect(
      new Driver(workflow([call('a', { catch: [clause(['any'], { leads: 'end' })] }), call('b')])).fails('a', 'x')
        .value,
    ).toBe('$completed');
    const run = new Driver(
      workflow([call('a', { catch: [clause(['any'], { do: [call('m')], next: 'c' })] }), call('b'), call('c')]),
    );
    run.fails('a', 'x').ok('m');
    expect(run.at).toBe('c');
    expect(run.data.caught).toEqual({});
  });

  it('`then: raise` lets the failure go on outward after its list', () => {
    const inner = call('a', { catch: [clause(['any'], { do: [call('m')], leads: 'raise' })] });
    const outer = choose('x', [branch('true', [inner])], { catch: [clause(['lost'], { do: [call('o')] })] });
    const run = new Driver(workflow([outer])).fails('a', 'lost').ok('m');
    expect(run.value).toEqual({ $forward: { x$catch0: 'o' } });
    expect(run.data.caught).toMatchObject({ x: { code: 'lost', step: 'a' } });
    const bare = new Driver(workflow([inner])).fails('a', 'lost').ok('m');
    expect(bare.data.ending?.failure).toMatchObject({ code: 'lost', step: 'a', cause: null });
  });

  it('of the choose around it takes the failure of a step in a branch', () => {
    const run = new Driver(
      workflow([choose('x', [branch('true', [call('a')])], { catch: [clause(['any'])] }), call('z')]),
    );
    run.fails('a', 'q');
    expect(run.at).toBe('z');
    expect(run.data.caught).toEqual({});
  });

  it('with a guard reads the failure, and the next clause is asked where it is false', () => {
    const catches = [
      clause(['any'], { when: cel('failure.data.soft'), do: [call('soft')] }),
      clause(['any'], { do: [call('hard')] }),
    ];
    const run = (soft: boolean): string =>
      new Driver(workflow([call('a', { catch: catches })])).fails('a', failure('q', { data: { soft } })).at;
    expect(run(true)).toBe('soft');
    expect(run(false)).toBe('hard');
  });

  it('R22 a failure inside a catch goes outward with the first as cause', () => {
    // R22: "A failure inside a catch goes outward with the first as cause; a scope is undone at most once per visit; asking again answers with the first result."
    const inner = call('a', { catch: [clause(['any'], { do: [call('m')] })] });
    const run = new Driver(
      workflow([choose('x', [branch('true', [inner])], { catch: [clause(['second'], { do: [call('o')] })] })]),
    );
    run.fails('a', 'first').fails('m', 'second');
    expect(run.at).toBe('o');
    expect(run.data.caught['x']).toMatchObject({ code: 'second', step: 'm', cause: { code: 'first' } });
    expect(Object.keys(run.data.caught)).toEqual(['x']);
    const bare = new Driver(workflow([inner])).fails('a', 'first').fails('m', 'second');
    expect(bare.data.ending?.failure).toMatchObject({ code: 'second', cause: { code: 'first', cause: null } });
  });

  it('R22 the clauses of a step do not take failures of its own catch', () => {
    // R22: "A failure inside a catch goes outward with the first as cause; a scope is undone at most once per visit; asking again answers with the first result."
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: [call('m')] })] }), call('b')]));
    run.fails('a', 'first').fails('m', 'second');
    expect(run.value).toBe('$settling');
  });

  it('R22 three failures deep the causes follow each other', () => {
    // R22: "A failure inside a catch goes outward with the first as cause; a scope is undone at most once per visit; asking again answers with the first result."
    const deep = call('b', { catch: [clause(['any'], { do: [call('c')] })] });
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: [deep] })] })]));
    run.fails('a', 'one').fails('b', 'two').fails('c', 'three');
    expect(run.data.ending?.failure).toMatchObject({
      code: 'three',
      cause: { code: 'two', cause: { code: 'one', cause: null } },
    });
  });

  it('a clause whose guard cannot be computed is a failure inside the catch', () => {
    const run = new Driver(
      workflow([call('a', { catch: [clause(['any'], { when: cel('input.gone') }), clause(['any'])] }), call('b')]),
    );
    run.fails('a', 'first');
    expect(run.data.ending?.failure).toMatchObject({ class: 'expression', step: 'a', cause: { code: 'first' } });
  });

  it('a cycle that is used up inside a catch goes outward and is not caught again', () => {
    const again = call('a', { maxJumps: 1, catch: [clause(['any'], { next: 'a' })] });
    const run = new Driver(workflow([again, call('b')])).fails('a', 'one');
    expect(run.at).toBe('a');
    expect(run.data).toMatchObject({ visits: { main: 1 }, jumps: { a: 1 }, caught: {} });
    run.fails('a', 'two');
    expect(run.data.ending?.failure).toMatchObject({ code: 'limit', step: 'a', cause: { code: 'two' } });
  });

  it('a used up `next` of the step itself may be caught, and continue does not try it for ever', () => {
    const loop = call('a', { next: 'a', maxJumps: 1, catch: [clause(['limit'], { leads: 'continue' })] });
    const run = new Driver(workflow([loop, call('b')])).ok('a').ok('a');
    expect(run.data.ending?.failure).toMatchObject({ code: 'limit', cause: { code: 'limit' } });
    const forward = call('a', { next: 'a', maxJumps: 1, catch: [clause(['limit'], { next: 'b' })] });
    expect(new Driver(workflow([forward, call('b')])).ok('a').ok('a').at).toBe('b');
  });

  it('takes the failure of a transient step too', () => {
    const catches = { catch: [clause(['expression'], { do: [call('m')] })] };
    expect(new Driver(workflow([set('s', [['x', expr('input.gone')]], catches)])).at).toBe('m');
    expect(new Driver(workflow([fail('f', expr('input.gone'), catches)])).at).toBe('m');
    expect(new Driver(workflow([call('a', { when: cel('input.gone'), ...catches })])).at).toBe('m');
    expect(new Driver(workflow([end('e', 'as', { as: 'x', output: expr('input.gone'), ...catches })])).at).toBe('m');
  });

  it('inside a catch is left with the run without a trace', () => {
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: [call('m', { next: 'end' })] })] })]));
    run.fails('a', 'x').ok('m');
    expect(run.value).toBe('$completed');
    expect(run.data.caught).toEqual({});
  });
});

describe('hold', () => {
  it('an unhandled failure keeps the step when the event says so, until a person lets it go on', () => {
    const run = new Driver(workflow([call('a'), call('b')])).fails('a', 'x', true);
    expect(run.at).toBe('a$held');
    expect(run.asked).toEqual(['step.leave a', 'step.held a']);
    expect(run.last.commands[1]?.data.failing).toMatchObject({ code: 'x' });
    expect(run.give({ type: 'step.retried', step: 'b', atMs: 1 }).last.changed).toBe(false);
    run.give({ type: 'step.retried', step: 'a', atMs: 1 });
    expect(run.at).toBe('a');
    expect(run.asked).toEqual(['step.enter a']);
    expect(run.data.failing).toBeNull();
  });

  it('a handled failure is not held', () => {
    const run = new Driver(workflow([call('a', { catch: [clause(['any'])] }), call('b')])).fails('a', 'x', true);
    expect(run.at).toBe('b');
  });

  it('counts for failures that begin inside the kernel', () => {
    const steps = [call('a'), call('b', { when: cel('input.gone') })];
    expect(new Driver(workflow(steps), {}, { holds: true }).ok('a').at).toBe('b$held');
    expect(new Driver(workflow(steps)).ok('a').value).toBe('$settling');
  });

  it('keeps the step that failed, not the choose around it', () => {
    const run = new Driver(
      workflow([choose('x', [branch('true', [call('a')])], { catch: [clause(['other'])] })]),
    ).fails('a', 'x', true);
    expect(run.value).toEqual({ $forward: { x$branch0: 'a$held' } });
  });

  it('inside a catch keeps the catch, whose failure is still in reach after the retry', () => {
    const mend = call('m', { when: cel('failure.code == "first"') });
    const run = new Driver(
      workflow([call('a', { catch: [clause(['any'], { do: [mend] })] }), call('b')]),
      {},
      { holds: true },
    );
    run.fails('a', 'first').fails('m', 'second');
    expect(run.at).toBe('m$held');
    expect(run.data.caught).toMatchObject({ a: { code: 'first' } });
    run.give({ type: 'step.retried', step: 'm', atMs: 1 }).ok('m');
    expect(run.at).toBe('b');
  });

  it('a raised failure keeps the step that it was raised from', () => {
    const run = new Driver(
      workflow([call('a', { catch: [clause(['any'], { leads: 'raise' })] })]),
      {},
      { holds: true },
    ).fails('a', 'x');
    expect(run.at).toBe('a$held');
    expect(run.data).toMatchObject({ failing: { code: 'x' }, caught: {} });
  });

  it('can be given up by order', () => {
    const run = new Driver(workflow([call('a')]), {}, { holds: true }).fails('a', 'x');
    run.give({
      type: 'run.stopped',
      ending: { kind: 'ordered', as: null, output: null, failure: failure('x') },
      atMs: 1,
    });
    expect(run.value).toBe('$settling');
    expect(run.data).toMatchObject({ failing: null, ending: { kind: 'ordered' } });
  });

  it('holds a fault of the run’s own set inside a loop without evaluating it again by itself', () => {
    const run = new Driver(
      workflow([set('s', [['v', expr('input.gone')]]), end('e', 'done', { output: literal(1) })]),
      {},
      { holds: true },
    );
    expect(run.at).toBe('s$held');
    expect(run.asked).toEqual(['step.held s']);
  });
});

describe('a value that cannot be kept', () => {
  const noted = { vars: [['n', { type: 'integer', maximum: 9 }]] } as const;

  it('of a set that does not fit its var is a failure of the step, which names the var and not the value', () => {
    const run = new Driver(workflow([set('s', [['n', expr('input.n')]]), call('a')], noted), { n: 77_123 });
    expect(run.data.ending?.failure).toMatchObject({ code: 'expression', step: 's' });
    expect(run.data.ending?.failure?.message).toMatch(/does not fit the var n/);
    expect(new Driver(workflow([set('s', [['n', expr('input.n')]]), call('a')], noted), { n: 7 }).data.vars).toEqual({
      n: 7,
    });
  });

  it('is told with its place, or as the whole value', () => {
    const nul = String.fromCharCode(0);
    const run = (steps: Parameters<typeof workflow>[0]) =>
      new Driver(workflow(steps, { constants: { nul } })).data.ending?.failure?.message;
    expect(run([set('s', [['deep', literal({ text: [nul] })]])])).toMatch(
      /^the value at "\/deep\/text\/0" cannot be stored: /,
    );
    expect(run([choose('x', [branch(null, null)], { output: expr('constants.nul') })])).toMatch(
      /^a value cannot be stored: /,
    );
  });
});

describe('a failure with causes', () => {
  it('shows them to expressions, the first at the end', () => {
    const last = call('c', {
      catch: [clause(['any'], { do: [set('s', [['why', expr('failure.cause.code')]]), call('d')] })],
    });
    const run = new Driver(workflow([last]));
    run.fails('c', failure('second', { step: 'c', cause: failure('first') }));
    expect(run.at).toBe('d');
    expect(run.data.vars).toEqual({ why: 'first' });
  });

  it('that is raised outward from a catch goes on with the caught one as its cause', () => {
    const inner = call('b');
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: [inner] })] })]));
    run.fails('a', 'one').fails('b', 'two');
    expect(run.data.ending?.failure).toMatchObject({ code: 'two', cause: { code: 'one', cause: null } });
  });
});

describe('a fail step', () => {
  it('says a code that is no text as JSON, and no code that is null as `failed`', () => {
    const coded = (code: Parameters<typeof literal>[0]) =>
      new Driver(workflow([fail('f', literal(code))])).data.ending?.failure?.code;
    expect(coded(404)).toBe('404');
    expect(coded(null)).toBe('failed');
  });
});
