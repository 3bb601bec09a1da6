import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, workflow } from './support/play.ts';

describe('the verb undo', () => {
  it('R21 compensates the confirmed effects of the steps that it names, last first, and the flow goes on', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const text = workflow(`
  - { id: a, call: do.a }
  - { id: s, scope: [{ id: b, call: do.b }, { id: c, call: do.c }] }
  - { id: d, call: do.d }
  - { id: back, undo: [s, d] }
  - { id: e, call: do.e }
`);
    const run = new Play(text).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'do.d', 'undo.d', 'undo.c', 'undo.b', 'do.e']);
    expect([run.state.status, run.state.snapshot.data.steps['back']?.code]).toEqual(['COMPLETED', null]);
    expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  });

  it('R22 asked again it finds nothing left and goes on', () => {
    // R22: "a scope is undone at most once per visit; asking again answers with the first result."
    const text = workflow(`
  - { id: a, call: do.a }
  - { id: u, undo: [a] }
  - { id: v, undo: [a, w] }
  - { id: w, wait: 1h }
`);
    const run = new Play(text).drive();
    expect([run.happened, run.state.status]).toEqual([['do.a', 'undo.a'], 'WAITING']);
  });

  it('sees the failure of the catch that it stands in, else says who undoes', () => {
    const undone = `  go: { function: go@1, idempotency: natural, compensate: { call: back, with: { why: =failure.code } } }
  back: { function: back@1, idempotency: natural, compensate: none }`;
    const text = workflow(
      `  - { id: x, call: go }
  - { id: a, call: do.a, catch: [{ do: [{ id: u, undo: [x] }] }] }
  - { id: y, call: go }
  - { id: v, undo: [y] }`,
      undone,
    );
    const run = new Play(text, { script: { 'do.a': ['declined'] } }).drive();
    const why = (step: string): unknown => (JSON.parse(run.rowOf(step, 'undo').request) as { with: unknown }).with;
    expect([why('x'), why('y')]).toEqual([{ why: 'declined' }, { why: 'undo' }]);
  });

  it('is finished before a handler’s target and before the end of its scope’s time', () => {
    const text = `${workflow(`
  - { id: a, call: do.a }
  - { id: s, scope: [{ id: u, undo: [a], on: [{ event: go, next: b }] }], timeout: 1m, catch: [{ on: [timeout] }] }
  - { id: c, call: do.c, next: end }
  - { id: b, call: do.b }
`)}events: { go: {} }\n`;
    const late = new Play(text, { script: { 'undo.a': ['hang'] } }).drive().wait('2m');
    expect(late.ledger()).toEqual({ a: 'CONFIRMED', 'undo a': 'REQUESTED' });
    late.provider.says('undo.a', 'ok');
    late.drive();
    expect(late.happened).toEqual(['do.a', 'undo.a', 'do.c']);
    const taken = new Play(text, { script: { 'undo.a': ['hang'] } }).drive();
    expect(taken.signal('go')).toMatchObject({ outcome: 'applied' });
    expect(taken.ledger()).toEqual({ a: 'CONFIRMED', 'undo a': 'REQUESTED' });
    taken.provider.says('undo.a', 'ok');
    taken.drive();
    expect(taken.happened).toEqual(['do.a', 'undo.a', 'do.b']);
  });
});
