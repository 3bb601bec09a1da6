import { describe, expect, it } from 'vitest';
import { finalStatus } from '../../src/decision/run-status.ts';
import { Play, planHash, workflow } from './support/play.ts';

const PIVOTED = workflow(`
  - { id: a, call: do.a }
  - { id: p, call: do.b, pivot: true }
  - { id: z, call: do.c }
`);

describe('cancel', () => {
  it('R18 before any effect: CANCELLED', () => {
    // R18: "Before any effect: CANCELLED."
    const run = new Play(workflow('  - { id: w, wait: 1h }\n  - { id: a, call: do.a }'));
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('CANCELLED');
    expect(run.state.timers.size).toBe(0);
    expect(run.wait('2h').happened).toEqual([]);
  });

  it('R18 later: settle, undo, CANCELLED', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const run = new Play(
      workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n  - { id: w, wait: 1h }'),
    ).drive();
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('CANCELLED');
    expect(run.head().failure).toMatchObject({ code: 'cancelled', undone: ['a', 'b'], standing: [] });
  });

  it('R18 what waits for a retry is cancelled at once and never sent again', () => {
    // R18: "Before any effect: CANCELLED."
    const run = new Play(workflow('  - { id: a, call: do.a, retry: { attempts: 9, delay: 1m } }'), {
      script: { 'do.a': ['503', 'ok'] },
    }).drive();
    expect(run.ledger()).toEqual({ a: 'AUTHORIZED' });
    run.cancel();
    expect(run.ledger()).toEqual({ a: 'CANCELLED' });
    expect(run.wait('1h').happened).toEqual([]);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R18 while compensating: 409', () => {
    // R18: "While compensating: 409."
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }'), {
      script: { 'do.b': ['declined'], 'undo.a': ['hang'] },
    }).drive();
    expect(run.state.status).toBe('COMPENSATING');
    expect(run.cancel()).toMatchObject({ outcome: 'refused', code: 'compensating' });
    run.provider.says('undo.a', 'ok');
    expect(run.drive().state.status).toBe('COMPENSATED');
  });

  it('R18 while the pivot is REQUESTED or UNKNOWN: recorded; it applies if the pivot fails', () => {
    // R18: "While the pivot is REQUESTED or UNKNOWN: recorded; applies if the pivot fails, lapses if it is confirmed."
    const run = new Play(PIVOTED, { script: { 'do.b': ['lost-not-done', 'hang'] } }).drive();
    expect(run.rowOf('p').state).toBe('UNKNOWN');
    expect(run.cancel()).toMatchObject({ outcome: 'kept', consumed: false, code: 'waits-for-pivot' });
    expect(run.state.phase).toBe('forward');
    run.wait('10s');
    expect(run.rowOf('p').state).toBe('REQUESTED');
    run.provider.says('do.b', 'named');
    expect(run.drive().state.status).toBe('CANCELLED');
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    const answers = run.commits.flatMap((commit) => commit.inbox).map((answer) => [answer.outcome, answer.consumed]);
    expect(answers).toEqual([
      ['kept', false],
      ['applied', true],
    ]);
  });

  it('R18 it lapses if the pivot is confirmed', () => {
    // R18: "While the pivot is REQUESTED or UNKNOWN: recorded; applies if the pivot fails, lapses if it is confirmed."
    const run = new Play(PIVOTED, { script: { 'do.b': ['lost-done', 'ok'] } }).drive();
    const waiting = run.cancel();
    expect(waiting).toMatchObject({ outcome: 'kept' });
    run.wait('1m');
    const answers = run.commits
      .flatMap((commit) => commit.inbox)
      .filter((answer) => answer.eventId === waiting?.eventId);
    expect(answers.at(-1)).toMatchObject({ outcome: 'refused', code: 'pivot', consumed: true });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R18 after the pivot: 409', () => {
    // R18: "After the pivot: 409."
    const run = new Play(PIVOTED, { script: { 'do.c': ['hang'] } }).drive();
    expect(run.cancel()).toMatchObject({ outcome: 'refused', code: 'pivot' });
    expect(run.state.phase).toBe('forward');
  });

  it('R18 after the end: refused, and nothing changes', () => {
    // R18: "After the pivot: 409."
    const run = new Play(workflow('  - { id: a, call: do.a }')).drive();
    const { revision } = run.state;
    expect(run.cancel()).toMatchObject({ outcome: 'refused', code: 'ended' });
    expect(run.state).toMatchObject({ status: 'COMPLETED', revision });
  });

  it('R18 terminate-without-undo is a separate audited verb', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }'), {
      script: { 'do.b': ['hang'] },
    }).drive();
    expect(run.terminate()).toMatchObject({ outcome: 'applied', detail: { standing: [{ step: 'a' }] } });
    expect(run.state.status).toBe('TERMINATED');
    expect(run.commits.at(-1)?.audit).toMatchObject([{ actor: 'op', act: 'terminate', reason: 'enough' }]);
    expect(run.head().failure).toMatchObject({ standing: ['a'], undone: [] });
    // What was on its way is still written down when its answer comes, and moves nothing.
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'CONFIRMED' });
    expect(run.state.status).toBe('TERMINATED');
  });

  it('terminate ends a run whose undo is stuck, and what is left of the plan', () => {
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n  - { id: c, call: do.c }'), {
      script: { 'do.c': ['declined'], 'undo.b': ['declined'] },
    }).drive();
    expect(run.terminate()).toMatchObject({ outcome: 'applied' });
    expect(run.ledger()).toMatchObject({ 'undo b': 'FAILED', 'undo a': 'CANCELLED' });
    expect(run.state.status).toBe('TERMINATED');
    expect(run.incidents).toEqual([]);
  });

  it('terminate does not wait for an effect that nobody can settle', () => {
    const run = new Play(workflow('  - { id: a, call: do.a, onUnknown: review }'), {
      script: { 'do.a': ['lost-done'] },
    }).drive();
    run.cancel();
    expect(run.state).toMatchObject({ status: 'HELD', phase: 'settling' });
    run.terminate();
    expect(run.state.status).toBe('TERMINATED');
    expect(run.ledger()).toEqual({ a: 'UNKNOWN' });
  });

  it('R18 terminate lists what nobody knows beside what stands, and leaves it to a person', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const text = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b, onUnknown: review }');
    const run = new Play(text, { script: { 'do.b': ['lost-done'] } }).drive();
    expect(run.terminate()).toMatchObject({ detail: { standing: [{ step: 'a' }], unknown: [{ step: 'b' }] } });
    expect(run.state.status).toBe('TERMINATED');
    expect(run.head()).toMatchObject({
      needs: ['incident:unknown'],
      failure: { standing: ['a'], unknown: ['b'] },
    });
    expect(run.wait('1h').resolve(run.rowOf('b'), 'confirmed', { output: {} })).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('TERMINATED');
    expect(run.head()).toMatchObject({ needs: [], failure: { standing: ['a', 'b'], unknown: [] } });
  });

  it('R18 what is in flight when a run is terminated is settled by its answer, or becomes a doubt with a name', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const answered = new Play(workflow('  - { id: a, call: do.a }'), { script: { 'do.a': ['hang'] } });
    answered.terminate();
    expect(answered.head().failure).toMatchObject({ standing: [], unknown: ['a'] });
    answered.provider.says('do.a', 'ok');
    answered.drive();
    expect(answered.head()).toMatchObject({ status: 'TERMINATED', failure: { standing: ['a'], unknown: [] } });
    const orphan = new Play(workflow('  - { id: a, call: do.a }'), { script: { 'do.a': ['hang'] } });
    orphan.terminate();
    orphan.crash();
    expect(orphan.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
    expect(orphan.head()).toMatchObject({ status: 'TERMINATED', needs: ['incident:unknown'] });
    expect(orphan.wait('1h').calls).toEqual([]);
  });

  it('R18 a terminated run sends nothing again and still asks what became of what it sent', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const action =
      '  ask.it: { function: ask-it@1, idempotency: { remembers: 24h }, settlesWithin: 1m, reconcile: { function: ask-it@1, absent: final, every: 1m }, compensate: none }';
    const run = new Play(workflow('  - { id: a, call: ask.it }', action), { script: { 'ask.it': ['lost-done'] } });
    run.drive();
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'resend' });
    run.terminate();
    run.wait('10m');
    expect(run.calls).toEqual(['ask.it']);
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', queries: 1 });
    expect(run.head()).toMatchObject({ status: 'TERMINATED', needs: [], failure: { standing: ['a'], unknown: [] } });
  });

  it('R18 a terminated run that is left to a process which sends nothing asks for a worker', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const run = new Play(workflow('  - { id: a, call: do.a }'), { script: { 'do.a': ['hang'] } });
    run.canSend = false;
    run.terminate();
    expect(run.commits.at(-1)?.lease).toMatchObject({ kind: 'release', readyAtMs: run.nowMs });
  });
});

describe('the deadline of the run', () => {
  it('R19 never interrupts an open row: no new forward work, then everything is undone', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const text = workflow(
      '  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n  - { id: c, call: do.c }',
      'timeout: 10m',
    );
    const run = new Play(text, { script: { 'do.b': ['hang'] } }).drive();
    run.wait('20m');
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'REQUESTED' });
    expect(run.state).toMatchObject({ phase: 'settling', status: 'COMPENSATING' });
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.head().failure).toMatchObject({ code: 'timeout' });
  });

  it('R19 a run that came to its end in time has no deadline any more', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const run = new Play(workflow('  - { id: a, call: do.a }', 'timeout: 10m')).drive();
    expect(run.state.timers.size).toBe(0);
    expect(run.wait('1h').state.status).toBe('COMPLETED');
  });

  it('R19 no catch takes it', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const text = workflow(
      '  - { id: w, wait: 1h, catch: [{ on: [any], do: [] }] }\n  - { id: a, call: do.a }',
      'timeout: 10m',
    );
    expect(new Play(text).wait('2h').happened).toEqual([]);
  });

  it('R20 while the pivot is UNKNOWN neither direction moves; behind it a person decides', () => {
    // R20: "While the pivot is UNKNOWN neither direction moves."
    const text = workflow(
      '  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true }\n  - { id: z, call: do.c }',
      'timeout: 10m',
    );
    const run = new Play(text, { script: { 'do.b': ['hang'] } }).drive();
    run.wait('20m');
    expect(run.state).toMatchObject({ phase: 'forward', control: { deadlineWaiting: true } });
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents).toMatchObject([{ kind: 'pivot', acts: ['retry', 'compensate', 'terminate'] }]);
    expect(run.retry('deadline')).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R20 the deadline that waited for a pivot applies when it fails', () => {
    // R20: "While the pivot is UNKNOWN neither direction moves."
    const text = workflow('  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true }', 'timeout: 10m');
    const run = new Play(text, { script: { 'do.b': ['hang'] } }).drive();
    run.wait('20m');
    run.provider.says('do.b', 'declined');
    run.drive();
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.head().failure).toMatchObject({ code: 'timeout' });
  });
});

describe('the pivot', () => {
  it('R20 after the confirmed pivot nothing compensates by itself: failures retry, then HELD', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const run = new Play(PIVOTED, { script: { 'do.c': ['declined', 'ok'] } }).drive();
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'pivot', step: 'z', acts: ['retry', 'compensate', 'terminate'] },
    ]);
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.retry('z')).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
    // The redo is a new act: a definite refusal stays what it was.
    expect(
      [...run.state.effects.values()]
        .filter((row) => row.step === 'z')
        .map((row) => [row.state, row.ingredients.generation]),
    ).toEqual([
      ['FAILED', 0],
      ['CONFIRMED', 1],
    ]);
  });

  it('R20 a pivot that fails itself is before the point of no return', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const run = new Play(PIVOTED, { script: { 'do.b': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R20 an operator may order the undo of a run that is held behind it', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const run = new Play(PIVOTED, { script: { 'do.c': ['declined'] } }).drive();
    expect(run.compensate()).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.head().failure).toMatchObject({ code: 'declined', step: 'z' });
  });
});

describe('onFailure: hold', () => {
  const held = (): Play => {
    const text = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }', 'onFailure: hold');
    return new Play(text, { script: { 'do.b': ['declined', 'ok'] } }).drive();
  };

  it('an unhandled failure keeps its step until a person lets it go on', () => {
    const run = held();
    expect(run.state).toMatchObject({ status: 'HELD', phase: 'forward' });
    expect(run.incidents).toEqual(['failure']);
    expect(run.retry('a')).toMatchObject({ code: 'not-held', detail: { message: 'step a is not held' } });
    expect(run.retry('z')).toMatchObject({ outcome: 'refused', code: 'not-found' });
    expect(run.retry('b')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.incidents).toEqual([]);
  });

  it('a step that fails again in its retry is held again', () => {
    const run = held();
    run.provider.says('do.b', 'declined');
    run.retry('b');
    expect(run.state.status).toBe('HELD');
    expect(run.incidents).toEqual(['failure']);
    expect(run.retry('b')).toMatchObject({ outcome: 'applied' });
  });

  it('cancel and an order to compensate both undo it', () => {
    const cancelled = held();
    expect(cancelled.cancel()).toMatchObject({ outcome: 'applied' });
    expect(cancelled.state.status).toBe('CANCELLED');
    const ordered = held();
    expect(ordered.compensate()).toMatchObject({ outcome: 'applied' });
    expect(ordered.state.status).toBe('COMPENSATED');
    expect(ordered.happened).toEqual(['do.a', 'undo.a']);
  });
});

describe('the order to compensate', () => {
  const completed = (): Play => new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }')).drive();

  it('R24 an operator can compensate a COMPLETED run: plan, preview with planHash, reason', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = completed();
    expect(run.state.status).toBe('COMPLETED');
    expect(run.compensate(null)).toMatchObject({ outcome: 'stale', code: 'plan' });
    expect(run.compensate('0'.repeat(64))).toMatchObject({
      outcome: 'stale',
      code: 'plan',
      detail: { planHash: planHash(run) },
    });
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(run.state).toMatchObject({ status: 'COMPENSATED', phase: 'ended' });
    expect(run.commits.flatMap((commit) => commit.audit)).toMatchObject([
      { act: 'compensate', reason: 'the customer was wronged' },
    ]);
  });

  it('R24 stale if the run moved: the hash of an earlier plan is refused', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = completed();
    const early = planHash(run);
    run.provider.says('undo.b', 'hang');
    run.compensate(early);
    expect(run.compensate(early)).toMatchObject({ outcome: 'refused', code: 'compensating' });
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.compensate(early)).toMatchObject({ outcome: 'refused', code: 'ended' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
  });

  it.each(['terminate', 'cancel'] as const)(
    'R24 a %s that comes with the order finds the run that is being undone, never a run that has ended',
    (type) => {
      // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
      const run = completed();
      const words = { by: 'op', reason: 'the customer was wronged' };
      const order = run.row('person:op', 'one', { type: 'compensate', planHash: planHash(run), ...words });
      const stop = run.row('person:op', 'two', { type, ...words });
      const made = run.decide([order, stop].map((event) => ({ type: 'inbox', event }) as const));
      expect(made.map(({ head }) => head?.status)).toEqual(
        type === 'terminate' ? ['COMPENSATING', 'TERMINATED'] : ['COMPENSATING', undefined],
      );
      expect(made.flatMap(({ inbox }) => inbox.map(({ outcome, code }) => [outcome, code]))).toEqual([
        ['applied', null],
        type === 'terminate' ? ['applied', null] : ['refused', 'compensating'],
      ]);
    },
  );

  it('R24 a terminated run can be compensated, too', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: w, wait: 1h }')).drive();
    run.terminate();
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });
});

describe('the order to compensate what has nothing to be undone', () => {
  it('R24 is refused, and the run stays as it ended', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const text = workflow('  - { id: w, wait: 1h }\n  - { id: a, call: do.a, compensate: none }');
    const terminated = new Play(text).drive();
    terminated.terminate();
    const completed = new Play(text).drive().wait('1h');
    for (const [run, status] of [
      [terminated, 'TERMINATED'],
      [completed, 'COMPLETED'],
    ] as const) {
      expect(run.state.status).toBe(status);
      expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'refused', code: 'ended' });
      expect(run.state.status).toBe(status);
    }
  });
});

describe('the final status', () => {
  it('R25 is a pure function of the end that the machine reached and the ledger: a checker recomputes it offline', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const stories = [
      new Play(PIVOTED).drive(),
      new Play(PIVOTED, { script: { 'do.a': ['declined'] } }).drive(),
      new Play(PIVOTED, { script: { 'do.b': ['declined'] } }).drive(),
    ];
    const cancelled = new Play(PIVOTED, { script: { 'do.a': ['hang', 'ok'] } }).drive();
    const terminated = new Play(PIVOTED, { script: { 'do.b': ['hang'] } }).drive();
    const waived = new Play(PIVOTED, { script: { 'do.b': ['declined'], 'undo.a': ['declined'] } }).drive();
    cancelled.cancel();
    cancelled.drive();
    terminated.terminate();
    waived.resolve(waived.rowOf('a', 'undo'), 'waived');
    const all = [...stories, cancelled, terminated, waived];
    expect(all.map((run) => run.state.status)).toEqual([
      'COMPLETED',
      'FAILED',
      'COMPENSATED',
      'CANCELLED',
      'TERMINATED',
      'COMPENSATED_WITH_ERRORS',
    ]);
    for (const run of all) {
      const { ending } = run.state.snapshot.data;
      expect(ending === null ? null : finalStatus(ending, run.stored.effects.values())).toBe(run.stored.head.status);
    }
  });
});
