import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../src/machine/diagram.ts';
import { describeRun } from '../../src/machine/describe-run.ts';
import { lower } from '../../src/machine/lower.ts';
import { toMermaid } from '../../src/machine/mermaid.ts';
import type { RunEnd } from '../../src/model/run.ts';
import { call, clause, handler, wait, workflow } from './support/definitions.ts';
import { Driver, eventView } from './support/driver.ts';

const END: RunEnd = { reason: 'done', code: null, message: null, step: null, undone: [], standing: [] };

function closing(run: Driver): Driver {
  return run.give({ type: 'run.closing', end: END, atMs: 1 });
}

describe('finally', () => {
  it('begins once it is told what the end is, and leads to the end that was reached', () => {
    const run = new Driver(workflow([call('a')], { finally: [call('z')] })).ok('a');
    expect([run.value, run.asked]).toEqual(['$closing', ['step.leave a', 'run.close']]);
    expect(closing(run).at).toBe('z');
    expect(run.data.finally).toEqual({ end: END, failure: null });
    expect(run.ok('z').value).toBe('$completed');
  });

  it('is not there where the file has none: the machine is the one that it always was', () => {
    const states = lower(workflow([call('a')])).root.states.map(({ id }) => id);
    expect(states).not.toContain('$finally');
    expect(states).not.toContain('$closing');
  });

  it('ends with its list, with `next: end`, with a handler that ends it, and with a failure, which is noted', () => {
    const last = [call('y', { next: 'end', on: [handler('changed', { leads: 'end' })] }), call('z')];
    const start = (): Driver => closing(new Driver(workflow([call('a')], { finally: last })).ok('a'));
    expect(start().ok('y').value).toBe('$completed');
    expect(start().take('y', 0).value).toBe('$completed');
    const failed = start().fails('y', 'x');
    expect([failed.value, failed.data.failing]).toEqual(['$completed', null]);
    expect(failed.data.finally?.failure).toMatchObject({ code: 'x' });
    expect(failed.data.ending).toMatchObject({ kind: 'done', failure: null });
  });

  it('hears nothing of the document', () => {
    const on = [handler('changed', { leads: 'end' })];
    const last = closing(new Driver(workflow([call('a')], { on, finally: [wait('z')] })).ok('a'));
    const event = eventView('changed');
    last.give({ type: 'handler.taken', step: null, handler: 0, event, open: false, atMs: 1, hold: false });
    expect(last.last.changed).toBe(false);
  });

  it('is never held: a failure is noted also where an unhandled one would keep its step', () => {
    const run = new Driver(workflow([call('a')], { finally: [call('z')] }), {}, { holds: true }).ok('a');
    expect(closing(run).fails('z', 'x').value).toBe('$completed');
  });

  it('a failure inside a catch of it is noted with the first as its cause', () => {
    const z = call('z', { catch: [clause(['x'], { do: [call('m')] })] });
    const run = closing(new Driver(workflow([call('a')], { finally: [z] })).ok('a'));
    run.fails('z', 'x').fails('m', 'y');
    expect(run.data.finally?.failure).toMatchObject({ code: 'y', cause: { code: 'x' } });
    expect(run.data.caught).toEqual({});
  });

  it('is drawn in a box of its own behind every end, and a run in it goes on from the end that it came to', () => {
    const machine = lower(workflow([call('a')], { finally: [wait('z'), call('y')] }));
    const picture = describeMachine(machine);
    const z = picture.nodes.find(({ id }) => id === 'z');
    expect([z?.parent, picture.nodes.find(({ id }) => id === '$finally')?.title]).toEqual(['$finally', 'finally']);
    expect(picture.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      '$start a',
      'a $completed',
      'z y',
      '$completed z',
    ]);
    expect(picture.nodes.some(({ id }) => id === 'y$undo')).toBe(false);
    expect(toMermaid(picture)).toContain('subgraph');
    const path = { entered: ['a', '$closing', '$finally', 'z', 'y'], undone: [], held: [] };
    const seen = describeRun(machine, path);
    expect(seen.edges.map(({ taken }) => taken)).toEqual([true, true, true, true]);
    expect(seen.nodes.find(({ id }) => id === 'y')?.live).toBe('now');
  });
});
