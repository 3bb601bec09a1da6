import { describe, expect, it } from 'vitest';
import { enter } from '../../src/machine/advance.ts';
import { compileMachine } from '../../src/machine/compile.ts';
import { lower } from '../../src/machine/lower.ts';
import { branch, call, cel, choose, clause, handler, literal, set, wait, workflow } from './support/definitions.ts';
import { identity } from './support/driver.ts';

describe('lower', () => {
  it('gives the run its own states, none of them final for XState', () => {
    const { root } = lower(workflow([call('a')]));
    expect(root.states.map((state) => state.id)).toEqual([
      '$forward',
      '$finishing',
      '$settling',
      '$compensating',
      '$ended',
      '$completed',
      '$outputHeld',
    ]);
    expect(root.initial).toBe('$forward');
  });

  it('gives a step its gate, its draining, failing and held states and its lists, in order, with their roles', () => {
    const a = call('a', {
      when: cel('true'),
      on: [handler('changed', { next: 'b' })],
      catch: [clause(['x'], { do: [call('m')] }), clause(['any'], { leads: 'raise' })],
    });
    const states = lower(workflow([a, call('b')])).root.states[0]?.states ?? [];
    expect(states.filter((state) => state.step === 'a').map((state) => `${state.id} ${state.role}`)).toEqual([
      'a$when gate',
      'a active',
      'a$leaving0 leaving',
      'a$failed failed',
      'a$held held',
      'a$catch0 list',
      'a$after0 gate',
      'a$after1 gate',
      'a$raised failed',
    ]);
  });

  it('says where each step stands among lists and steps, outermost first', () => {
    const inner = choose('y', [branch('true', []), branch('true', [call('b')])]);
    const x = choose('x', [branch('true', [call('a', { catch: [clause(['any'], { do: [inner] })] })])]);
    const places = Object.fromEntries(lower(workflow([x, call('z')])).places);
    expect(places).toMatchObject({
      x: { lists: ['main'], parents: [] },
      a: { lists: ['main', 'x$branch0'], parents: ['x'] },
      y: { lists: ['main', 'x$branch0', 'a$catch0'], parents: ['x', 'a'] },
      b: { lists: ['main', 'x$branch0', 'a$catch0', 'y$branch1'], parents: ['x', 'a', 'y'] },
      z: { lists: ['main'], parents: [] },
    });
  });

  it('refuses what validation should have refused', () => {
    expect(() => lower(workflow([]))).toThrow('a workflow without steps');
    expect(() => lower(workflow([call('a', { next: 'a' })]))).toThrow('a way back without maxJumps');
    expect(() => lower(workflow([call('a', { next: 'gone' })]))).toThrow('no such step');
    expect(() => lower(workflow([call('a', { next: 'b' }), choose('x', [branch('true', [call('b')])])]))).toThrow(
      'next leads into a list',
    );
  });

  it('lowers, compiles and enters 2,000 steps in linear work', () => {
    const steps = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        index % 2 === 0 ? set(`s${index}`, [['n', literal(index)]]) : wait(`s${index}`),
      );
    const count = (states: ReturnType<typeof lower>['root']): number =>
      1 + states.states.reduce((sum, state) => sum + count(state), 0);
    const small = lower(workflow(steps(200)));
    const large = lower(workflow(steps(2_000)));
    expect(count(large.root) / count(small.root)).toBeLessThan(10.1);
    expect(JSON.stringify(large.root).length / JSON.stringify(small.root).length).toBeLessThan(11);
    expect(enter(compileMachine(large), { run: identity, nowMs: 1 }).snapshot.value).toEqual({ $forward: 's1' });
  });

  it('grows with nesting by what is in force at each step, not by the square of the file', () => {
    const nested = (depth: number): ReturnType<typeof call> | ReturnType<typeof choose> =>
      depth === 0
        ? call('leaf')
        : choose(`c${depth}`, [branch('true', [nested(depth - 1)])], { catch: [clause(['any'])] });
    const edges = (state: ReturnType<typeof lower>['root']): number =>
      state.edges.length + state.states.reduce((sum, child) => sum + edges(child), 0);
    const forty = edges(lower(workflow([nested(40)])).root);
    const twenty = edges(lower(workflow([nested(20)])).root);
    expect(forty).toBeLessThan(twenty * 4);
  });
});
