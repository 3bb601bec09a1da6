import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { checkedRun } from './support/checked-run.ts';
import { type Setting, Play, planHash, workflow } from './support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

const FORWARD = '  - { id: a, call: do.a }\n  - { id: b, call: do.b }';
const TELL = '{ id: tell, call: do.e, with: { end: =run.end } }';

/** Two calls, and a `finally`. */
function story(last: string, setting: Setting = {}, more = ''): Play {
  return new Play(workflow(FORWARD, `${more}\nfinally:\n  - ${last}`), setting);
}

/** What `finally` was told of the end. */
function told(run: Play): JsonObject {
  const { with: given } = JSON.parse(run.rowOf('tell').request) as { with: { end: JsonObject } };
  return given.end;
}

describe('finally', () => {
  it('runs once after the last forward step, and the run ends as it came there', () => {
    const run = story(TELL).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.e']);
    expect(run.state.status).toBe('COMPLETED');
    expect(told(run)).toEqual({
      reason: 'done',
      code: null,
      message: null,
      step: null,
      undone: [],
      standing: ['a', 'b'],
    });
    expect(faultsOf(run)).toEqual([]);
  });

  it('runs after the last compensation, and is told what was undone', () => {
    const run = story(TELL, { script: { 'do.b': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a', 'do.e']);
    expect(run.state.status).toBe('COMPENSATED');
    expect(told(run)).toMatchObject({ reason: 'failed', step: 'b', undone: ['a'], standing: [] });
    expect(faultsOf(run)).toEqual([]);
  });

  it('runs after a cancel, and what it did is neither undone nor listed as standing', () => {
    const run = new Play(
      workflow('  - { id: a, call: do.a }\n  - { id: w, wait: 1h }', `finally:\n  - ${TELL}`),
    ).drive();
    run.cancel();
    run.drive();
    expect(run.happened).toEqual(['do.a', 'undo.a', 'do.e']);
    expect(run.state.status).toBe('CANCELLED');
    expect(told(run)).toMatchObject({ reason: 'cancelled', undone: ['a'] });
    expect(run.head().failure).toMatchObject({ undone: ['a'], standing: [] });
    expect(faultsOf(run)).toEqual([]);
  });

  it('R25 of a run that failed before anything could be undone leaves it FAILED, whatever it has done itself', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const run = story(TELL, { script: { 'do.a': ['declined'] } }).drive();
    expect([run.happened, run.state.status]).toEqual([['do.e'], 'FAILED']);
  });

  it('does not run after a terminate', () => {
    const run = new Play(workflow('  - { id: w, wait: 1h }', `finally:\n  - ${TELL}`)).drive();
    run.terminate();
    expect([run.drive().happened, run.state.status]).toEqual([[], 'TERMINATED']);
  });

  it('is left at a terminate, which lists nothing of it as standing', () => {
    const run = story('{ id: tell, call: do.e }\n  - { id: w, wait: 1h }').drive();
    expect([run.state.phase, run.state.status]).toEqual(['finally', 'WAITING']);
    run.terminate();
    expect(run.drive().state.status).toBe('TERMINATED');
    expect(run.head().failure).toMatchObject({ standing: ['a', 'b'] });
    expect(run.state.timers.size).toBe(0);
    expect(faultsOf(run)).toEqual([]);
  });

  it('does not run for a run that was stopped in the queue of its lock: it has not begun', () => {
    const run = story(TELL, {}, 'lock: gate');
    run.cancel();
    expect([run.drive().happened, run.state.status]).toEqual([[], 'CANCELLED']);
  });

  it('has a phase of its own, is RUNNING or WAITING in it, and takes no cancel', () => {
    const run = story('{ id: tell, call: do.e }', { script: { 'do.b': ['declined'], 'do.e': ['hang'] } }).drive();
    expect([run.state.phase, run.state.status]).toEqual(['finally', 'RUNNING']);
    expect(run.cancel()).toMatchObject({ outcome: 'refused', code: 'finally' });
    expect(run.compensate()).toMatchObject({ outcome: 'refused', code: 'finally' });
    run.provider.says('do.e', 'ok');
    expect(run.drive().state.status).toBe('COMPENSATED');
  });

  it('is not stopped by the deadline of the run', () => {
    const run = story('{ id: w, wait: 3h }\n  - { id: tell, call: do.e }', {}, 'timeout: 1h').drive();
    expect(faultsOf(run)).toEqual([]);
    expect(run.wait('2h').state.phase).toBe('finally');
    expect(run.wait('2h').state.status).toBe('COMPLETED');
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.e']);
  });

  it('R24 is not run again when an operator undoes what completed, and nothing of it is undone', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = story('{ id: tell, call: do.e }').drive();
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.drive().happened).toEqual(['do.a', 'do.b', 'do.e', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
    const begins = run.stored.journal.filter(({ event }) => (event.detail as JsonObject)['type'] === 'run.closing');
    expect(begins).toHaveLength(1);
  });

  it('may fail: the end stays, nothing is undone, and the failure is told beside it', () => {
    const done = story('{ id: tell, call: do.e }\n  - { id: more, call: do.d }', { script: { 'do.e': ['declined'] } });
    expect(done.drive().state.status).toBe('COMPLETED');
    expect(done.happened).toEqual(['do.a', 'do.b']);
    expect(done.head().failure).toMatchObject({ finallyFailed: { code: 'declined', step: 'tell' } });
    const failed = story('{ id: tell, call: do.e }', {
      script: { 'do.b': ['declined'], 'do.e': ['declined'] },
    }).drive();
    expect(failed.state.status).toBe('COMPENSATED');
    expect(failed.head().failure).toMatchObject({ code: 'declined', step: 'b', finallyFailed: { step: 'tell' } });
    expect(faultsOf(failed)).toEqual([]);
  });

  it('R20 may fail behind the pivot, too: it is never held for it', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const steps = '  - { id: a, call: do.a, pivot: true }';
    const run = new Play(workflow(steps, 'finally:\n  - { id: tell, call: do.e }'), {
      script: { 'do.e': ['declined'] },
    });
    expect(run.drive().state.status).toBe('COMPLETED');
    expect(run.incidents).toEqual([]);
  });

  it('may catch, retry and wait', () => {
    const last = `{ id: tell, call: do.e, retry: { attempts: 2, delay: 1m } }
  - { id: w, wait: 1h }
  - { id: more, call: do.d, catch: [{ on: [declined], do: [{ id: other, call: do.c }] }] }`;
    const run = story(last, { script: { 'do.e': ['503', 'ok'], 'do.d': ['declined'] } }).drive();
    expect(run.wait('2m').happened).toEqual(['do.a', 'do.b', 'do.e']);
    expect(run.wait('1h').happened).toEqual(['do.a', 'do.b', 'do.e', 'do.c']);
    expect([run.state.status, run.head().failure]).toEqual(['COMPLETED', undefined]);
  });

  it('is not over before it is known what became of its effects', () => {
    const run = story('{ id: tell, call: do.e }', { script: { 'do.e': ['lost-done', 'ok'] } }).drive();
    expect(run.rowOf('tell').state).toBe('UNKNOWN');
    expect([run.state.phase, run.state.status]).toEqual(['finally', 'WAITING']);
    expect(run.wait('1m').state.status).toBe('COMPLETED');
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.e']);
  });

  it('goes on after a crash of its worker, and acts once', () => {
    const run = story('{ id: tell, call: do.e }', { script: { 'do.e': ['lost-done', 'ok'] } }).drive();
    run.crash();
    expect(run.wait('1m').state.status).toBe('COMPLETED');
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.e']);
  });

  it('V13 takes the events of its own steps, and none of the document', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does. One event moves a run at most once: the innermost taker, `await` before `on`."
    const more = `vars: { n: { type: integer, default: 0 } }
events: { item: {}, stop: {} }
on: [{ event: item, set: { n: 9 } }]`;
    const last = '{ id: w, wait: 1h, on: [{ event: stop, then: end }] }\n  - { id: tell, call: do.e }';
    const run = story(last, {}, more).drive();
    expect(run.signal('item')).toMatchObject({ outcome: 'kept' });
    expect(run.signal('stop')).toMatchObject({ outcome: 'applied', detail: { step: 'w' } });
    expect(run.drive().state.status).toBe('COMPLETED');
    expect([run.happened, run.state.snapshot.data.vars]).toEqual([['do.a', 'do.b'], { n: 0 }]);
  });

  it('E08 a late proof of a forward effect is undone by order after it, never by itself', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = story('{ id: w, wait: 1h }', { script: { 'do.b': ['declined'] } }).drive();
    const word = { as: 'confirmed', evidence: 'seen', output: {}, by: 'ops', roles: ['operator'] } as const;
    const say = (): unknown => run.act({ type: 'resolve', effectKey: run.rowOf('b').key, ...word });
    expect(say()).toMatchObject({ outcome: 'applied', code: 'late-proof' });
    expect(say()).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('b').state).toBe('CONFIRMED');
    expect(run.wait('2h').state.status).toBe('HELD');
    expect(run.incidents).toEqual(['late-proof']);
    expect(run.happened).toEqual(['do.a', 'undo.a']);
  });

  it('begins with a proof that came while the way there was undone, and keeps the person who is asked about it', () => {
    const script = { 'do.b': ['declined'], 'undo.a': ['503', 'ok'] } as const;
    const run = story(TELL, { script }).drive();
    const word = { as: 'confirmed', evidence: 'seen', output: {}, by: 'ops', roles: ['operator'] } as const;
    run.act({ type: 'resolve', effectKey: run.rowOf('b').key, ...word });
    run.wait('2h');
    expect(run.happened).toEqual(['do.a', 'undo.a', 'do.e']);
    expect(run.incidents).toEqual(['late-proof']);
  });

  it('asks people who may neither cancel nor undo it', () => {
    const run = story('{ id: ok, approve: Go?, from: ["role:x"], expires: 1h, onExpire: hold }').drive();
    run.wait('2h');
    expect(run.state.control.incidents).toMatchObject([{ kind: 'expired', acts: ['retry', 'terminate'] }]);
  });
});
