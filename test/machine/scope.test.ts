import { describe, expect, it } from 'vitest';
import { flowScope, stepScope, stepSite } from '../../src/machine/scope.ts';
import { branch, call, choose, clause, workflow } from './support/definitions.ts';
import { Driver, failure, identity } from './support/driver.ts';

describe('flowScope', () => {
  it('has input, constants, vars, steps and the run, with recorded times only', () => {
    const run = new Driver(workflow([call('a'), call('b')], { constants: { c: 1 }, vars: [['v', { default: 2 }]] }), {
      i: 3,
    }).ok('a', { o: 4 });
    expect({ ...flowScope(run.compiled, run.env.run, run.data) }).toEqual({
      input: { i: 3 },
      constants: { c: 1 },
      vars: { v: 2 },
      steps: { a: { skipped: false, attempts: 1, code: null, at: 10_000, output: { o: 4 } } },
      run: { id: identity.runId, key: 'K-1', startedAt: 1_000, startedBy: 'alice', tenant: 'default', version: 1 },
    });
  });

  it('has no output for a step that has none, and makes the view of a record once', () => {
    const run = new Driver(workflow([call('a'), call('b'), call('c')])).ok('a');
    const first = flowScope(run.compiled, run.env.run, run.data)['steps'] as Record<string, unknown>;
    const again = flowScope(run.compiled, run.env.run, run.data)['steps'] as Record<string, unknown>;
    expect(again).toBe(first);
    run.fails('b', 'x', true);
    const held = flowScope(run.compiled, run.env.run, run.data)['steps'] as Record<string, object>;
    expect(Object.hasOwn(held['b'] ?? {}, 'output')).toBe(false);
  });
});

describe('stepScope', () => {
  it('has the failure of the innermost running catch, and the site says whose it is', () => {
    const deep = call('b', { catch: [clause(['any'], { do: [choose('x', [branch('true', [call('c')])])] })] });
    const run = new Driver(workflow([call('a', { catch: [clause(['any'], { do: [deep] })] })]));
    run.fails('a', 'one');
    const at = (step: string) => stepScope(run.compiled, { run: run.env.run, data: run.data, step });
    expect(at('b')['failure']).toMatchObject({ code: 'one', class: 'rejected', step: 'a', cause: null });
    run.fails('b', failure('two', { step: 'b' }));
    expect(at('c')['failure']).toMatchObject({ code: 'two' });
    expect(Object.hasOwn(at('a'), 'failure')).toBe(false);
    expect(stepSite(run.compiled, 'c')).toEqual({ kind: 'catch', step: 'b' });
    expect(stepSite(run.compiled, 'b')).toEqual({ kind: 'catch', step: 'a' });
    expect(stepSite(run.compiled, 'a')).toEqual({ kind: 'flow' });
  });
});

describe('a program', () => {
  it('knows the steps and actions of its machine and refuses to guess at others', () => {
    const { compiled } = new Driver(workflow([call('a')]));
    expect([compiled.step('a').verb, compiled.action('act').name, compiled.place('a').lists]).toEqual([
      'call',
      'act',
      ['main'],
    ]);
    expect(() => compiled.step('b')).toThrow('the machine has no such step');
    expect(() => compiled.place('b')).toThrow('the machine has no such step');
    expect(() => compiled.action('b')).toThrow('the machine has no such action');
  });
});
