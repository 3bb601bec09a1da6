import { describe, expect, it } from 'vitest';
import { Play, workflow } from './support/play.ts';

const HELD = workflow('  - { id: a, call: do.a }\n  - { id: w, wait: 1h }', 'onFailure: hold');
const WAITS = workflow('  - { id: w, wait: 1h }');

describe('an order for one revision', () => {
  it('is followed at that revision, and refused with the run’s at any other', () => {
    const run = new Play(WAITS).drive();
    const { revision } = run.state;
    const order = { type: 'cancel', by: 'op', reason: 'late' } as const;
    for (const ifRevision of [revision - 1, revision + 1])
      expect(run.act({ ...order, ifRevision })).toMatchObject({
        outcome: 'stale',
        code: 'moved',
        detail: { revision },
      });
    expect(run.state).toMatchObject({ revision, status: 'WAITING' });
    expect(run.act({ ...order, ifRevision: revision })).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('CANCELLED');
  });

  it('of two that arrive together for one revision the first is followed and the second refused', () => {
    const run = new Play(HELD, { script: { 'do.a': ['declined'] } }).drive();
    const { revision, status } = run.state;
    expect(status).toBe('HELD');
    const retry = { type: 'retry', step: 'a', by: 'op', reason: 'try', ifRevision: revision } as const;
    const rows = ['one', 'two'].map((id) => run.row('person:op', id, retry));
    const commits = run.decide(rows.map((event) => ({ type: 'inbox', event }) as const));
    const answers = commits.flatMap(({ inbox }) => inbox);
    expect(answers.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['applied', null],
      ['stale', 'moved'],
    ]);
  });

  it('one without a revision is followed wherever the run stands', () => {
    const run = new Play(WAITS).drive();
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
  });
});
