import { describe, expect, it } from 'vitest';
import type { DecisionInput } from '../../src/decision/decision-input.ts';
import type { InboxPayload } from '../../src/model/inbox-event.ts';
import { Play, T0, workflow } from './support/play.ts';

const TWO = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
const PAUSE = { type: 'pause', by: 'ana', reason: 'the provider is odd' } as const;
const RESUME = { type: 'resume', by: 'ben', reason: null } as const;

const inputOf = (run: Play, id: string, payload: InboxPayload): DecisionInput => ({
  type: 'inbox',
  event: run.row('person:op', id, payload),
});

describe('a paused run', () => {
  it('writes down what had left comes to, and sends nothing new until it is resumed', () => {
    const run = new Play(TWO);
    run.decide([inputOf(run, 'p1', PAUSE)]);
    expect(run.state.control.paused).toEqual({ by: 'ana', reason: 'the provider is odd', atMs: T0 });
    run.drive();
    expect(run.rowOf('a').state).toBe('CONFIRMED');
    expect([run.calls, run.state.status]).toEqual([['do.a'], 'WAITING']);
    // What follows from it waits, too: the step that comes next is not entered.
    expect([...run.state.effects.values()].map(({ step }) => step)).toEqual(['a']);
    expect(run.commits.at(-1)?.lease).toEqual({ kind: 'release', wakeSeen: null, readyAtMs: null });
    expect(run.act(RESUME)).toMatchObject({ outcome: 'applied' });
    expect([run.calls, run.state.status]).toEqual([['do.a', 'do.b'], 'COMPLETED']);
  });

  it('neither sends again nor asks about what is in doubt', () => {
    const text = workflow('  - { id: a, call: do.a }');
    const run = new Play(text, { script: { 'do.a': ['lost-done', 'ok'] } });
    run.decide([inputOf(run, 'p1', PAUSE)]);
    run.drive().wait('1h');
    expect([run.rowOf('a').state, run.calls.length]).toEqual(['UNKNOWN', 1]);
    run.act(RESUME);
    run.wait('1m');
    expect(run.state.status).toBe('COMPLETED');
  });

  it('keeps what comes in for later, and takes it in its order when it goes on', () => {
    const run = new Play(workflow('  - { id: w, await: paid, timeout: 1h }', 'events: { paid: {} }')).drive();
    const paid: DecisionInput = { type: 'inbox', event: run.signalRow('paid') };
    const [commit] = run.decide([inputOf(run, 'p1', PAUSE), paid]);
    expect(commit?.inbox.map(({ eventId, outcome }) => [eventId, outcome])).toEqual([['p1', 'applied']]);
    run.sleep('2h');
    const late = run.fire();
    expect(run.decide([...late, paid]).flatMap(({ inbox }) => inbox)).toEqual([]);
    expect(run.state.status).toBe('WAITING');
    run.decide([inputOf(run, 'p2', RESUME), ...late, paid]);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('lets the time that is over pass only when it goes on', () => {
    const run = new Play(workflow('  - { id: w, wait: 1h }')).drive();
    run.act(PAUSE);
    run.wait('3h');
    // Whoever claims it next has every timer in hand.
    run.crash();
    expect(run.state.status).toBe('WAITING');
    run.decide([inputOf(run, 'p2', RESUME), ...run.dueTimers()]);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('takes a cancel when it goes on, before anything else is sent', () => {
    const run = new Play(TWO);
    const cancel = inputOf(run, 'c1', { type: 'cancel', by: 'op', reason: 'not wanted' });
    run.decide([inputOf(run, 'p1', PAUSE), cancel]);
    run.drive();
    expect(run.state.phase).toBe('forward');
    run.decide([inputOf(run, 'p2', RESUME), cancel]);
    run.drive();
    expect([run.calls, run.state.status]).toEqual([['do.a', 'undo.a'], 'CANCELLED']);
  });

  it('is terminated as it stands, which ends the pause', () => {
    const run = new Play(TWO);
    run.decide([inputOf(run, 'p1', PAUSE)]);
    run.drive();
    expect(run.terminate()).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.state.control.paused, run.calls]).toEqual(['TERMINATED', undefined, ['do.a']]);
  });

  it('is paused by one of two who say so at once; the other is told who was first', () => {
    const run = new Play(TWO);
    const [commit] = run.decide([inputOf(run, 'p1', PAUSE), inputOf(run, 'p2', { ...PAUSE, by: 'ben' })]);
    expect(commit?.inbox.map(({ outcome, code, detail }) => [outcome, code, detail])).toEqual([
      ['applied', null, null],
      ['refused', 'paused', run.state.control.paused],
    ]);
    expect(commit?.audit).toEqual([
      expect.objectContaining({
        actor: 'ana',
        act: 'pause',
        detail: { before: null, after: run.state.control.paused },
      }),
    ]);
  });

  it('is resumed once; one that is not paused, or has ended, is told so', () => {
    const run = new Play(TWO);
    expect(run.act(RESUME)).toMatchObject({ outcome: 'refused', code: 'not-paused' });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.act(PAUSE)).toMatchObject({ outcome: 'refused', code: 'ended' });
    expect(run.act(RESUME)).toMatchObject({ outcome: 'refused', code: 'ended' });
  });

  it('is paused for one revision only where the order says which', () => {
    const run = new Play(TWO);
    const { revision } = run.state;
    const [commit] = run.decide([inputOf(run, 'p1', { ...PAUSE, ifRevision: revision + 1 })]);
    expect(commit?.inbox).toMatchObject([{ outcome: 'stale', code: 'moved' }]);
    expect(run.state.control.paused).toBeUndefined();
  });

  it('survives its holder: what was in flight is in doubt, and asked about only when it goes on', () => {
    const run = new Play(TWO);
    run.decide([inputOf(run, 'p1', PAUSE)]);
    run.crash();
    expect([run.rowOf('a').state, run.calls.length]).toEqual(['UNKNOWN', 0]);
    run.act(RESUME);
    run.wait('1h');
    expect([run.state.status, run.happened]).toEqual(['COMPLETED', ['do.a', 'do.b']]);
  });
});
