import { describe, expect, it } from 'vitest';
import { call, workflow } from './support/definitions.ts';
import { Driver } from './support/driver.ts';

describe('a run of three calls', () => {
  it('enters the first, goes on with each settled event, and ends done', () => {
    const run = new Driver(workflow([call('a'), call('b'), call('c')]));
    expect(run.value).toEqual({ $forward: 'a' });
    expect(run.asked).toEqual(['step.enter a']);
    run.ok('a', { n: 1 });
    expect(run.value).toEqual({ $forward: 'b' });
    expect(run.asked).toEqual(['step.leave a', 'step.enter b']);
    expect(run.data.steps['a']).toEqual({ skipped: false, attempts: 1, code: null, atMs: 10_000, output: { n: 1 } });
    run.ok('b').ok('c');
    expect(run.value).toBe('$completed');
    expect(run.asked).toEqual(['step.leave c', 'run.end']);
    expect(run.data.ending).toEqual({ kind: 'done', as: null, output: null, failure: null });
  });

  it('settles and undoes a failure that nothing catches', () => {
    const run = new Driver(workflow([call('a'), call('b')])).ok('a').fails('b', 'no-stock');
    expect(run.value).toBe('$settling');
    expect(run.asked).toEqual(['step.leave b', 'run.settle']);
    expect(run.data.ending).toMatchObject({ kind: 'failed', failure: { code: 'no-stock', step: 'b' } });
    run.give({ type: 'run.settled', atMs: 1 });
    expect([run.value, ...run.asked]).toEqual(['$compensating', 'run.compensate']);
    run.give({ type: 'run.undone', atMs: 1 });
    expect([run.value, ...run.asked]).toEqual(['$ended', 'run.end']);
  });

  it('ignores an event that is not for the active step', () => {
    const run = new Driver(workflow([call('a'), call('b')]));
    const before = run.snapshot;
    run.ok('b');
    expect(run.last.changed).toBe(false);
    expect(run.snapshot).toEqual(before);
    expect(run.commands).toEqual([]);
  });
});
