import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decision/decide.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import { outcome } from './support/provider.ts';
import { Play, planHash, T0, workflow } from './support/play.ts';

const TWO = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
const ASKED = `  ask.it: { function: ask-it@1, idempotency: none, settlesWithin: 1m, reconcile: { function: ask-it@1, absent: final, every: 1m }, compensate: none }`;

describe('a start', () => {
  it('requests its first effect in its own commit, leased to the starter, if it sends', () => {
    const run = new Play(TWO);
    expect(run.stored.fence).toBe(1);
    expect(run.rowOf('a')).toMatchObject({ state: 'REQUESTED', attempt: 1, fence: 1, sendByMs: T0 + 5_000 });
    expect(run.drive().commits).toHaveLength(2);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('leaves the sending to a worker if it does not', () => {
    const run = new Play(TWO, { canSend: false });
    expect(run.stored.fence).toBe(0);
    expect(run.rowOf('a').state).toBe('AUTHORIZED');
    expect(run.state.status).toBe('RUNNING');
    run.canSend = true;
    run.crash().drive();
    expect(run.happened).toEqual(['do.a', 'do.b']);
  });

  it('of a run without any waiting completes in the start commit', () => {
    const text = workflow(
      '  - { id: s, set: { n: 2 } }\n  - { id: e, end: { as: quick, output: { n: =vars.n } } }',
      'vars: { n: { type: integer } }',
    );
    const run = new Play(text);
    expect(run.state).toMatchObject({ status: 'COMPLETED', revision: 1, phase: 'ended', endedAtMs: T0 });
    expect(run.head()).toMatchObject({ output: { n: 2 }, needs: [] });
  });

  it('fails in the start commit when its first step cannot be computed', () => {
    const run = new Play(workflow("  - { id: a, call: do.a, with: { n: '=input.nothing' } }"));
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'a' });
    expect(run.state.status).toBe('FAILED');
    expect(run.state.effects.size).toBe(0);
  });
});

describe('a resumed run', () => {
  it('E03 REQUESTED without outcome is UNKNOWN to every other holder, and sent again with the same key while it is remembered', () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
    const run = new Play(TWO, { script: { 'do.a': ['hang'] } });
    run.drive();
    const before = run.rowOf('a');
    run.provider.says('do.a', 'ok');
    run.crash();
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'resend', everUnknown: true, key: before.key });
    run.wait('5s');
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', attempt: 2, requestHash: before.requestHash });
    expect(run.happened).toEqual(['do.a', 'do.b']);
  });

  it('E03 without a remembered key it is asked about, or left to a person, and never sent again', () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
    const asked = new Play(workflow('  - { id: a, call: ask.it }', ASKED), { script: { 'ask.it': ['hang'] } });
    asked.drive();
    asked.crash();
    expect(asked.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'query', queries: 1, attempt: 1 });
    const once = `  once: { function: once@1, idempotency: none, compensate: none }`;
    const left = new Play(workflow('  - { id: a, call: once }', once), { script: { once: ['hang'] } });
    left.drive();
    left.crash().wait('1d');
    expect(left.calls).toEqual([]);
    expect(left.state).toMatchObject({ status: 'HELD' });
    expect(left.state.control.incidents).toMatchObject([
      { kind: 'unknown', step: 'a', acts: ['confirmed', 'absent', 'rejected', 'keep-waiting'] },
    ]);
  });

  it('E03 a row under the holder’s own fence is in flight, not in doubt', () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
    const run = new Play(TWO, { script: { 'do.a': ['hang'] } });
    run.drive();
    run.decide([{ type: 'resumed' }]);
    expect(run.rowOf('a').state).toBe('REQUESTED');
  });

  it('an AUTHORIZED row is sent, a read is asked again, a compensation that is due goes on', () => {
    const text = workflow(
      '  - { id: look, call: look.up }\n  - { id: a, call: do.a }\n  - { id: b, call: do.b }',
      '  look.up: { function: look-up@1, effect: read }',
    );
    const run = new Play(text, { script: { 'look.up': ['503', 'ok'], 'do.b': ['declined'], 'undo.a': ['503', 'ok'] } });
    const first = run.answerNext();
    run.crash();
    expect(run.state.control.reads['look']).toMatchObject({ serial: 2, notBeforeMs: null });
    // The first asker's answer names an attempt that is not awaited any more.
    if (first !== null) run.decide([first]);
    expect(run.state.control.reads['look']).toMatchObject({ serial: 2, notBeforeMs: null });
    run.drive();
    expect(run.ledger()).toMatchObject({ a: 'CONFIRMED', b: 'FAILED', 'undo a': 'AUTHORIZED' });
    run.crash().wait('1m');
    expect(run.happened).toEqual(['do.a', 'undo.a']);
  });
});

describe('attempts', () => {
  it('E05 an attempt that was not sent does not count against attempts: back to AUTHORIZED, not before 1 s', () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const run = new Play(TWO, { script: { 'do.a': ['unsent', 'unsent', 'unsent', 'ok'] } }).drive();
    expect(run.rowOf('a')).toMatchObject({
      state: 'AUTHORIZED',
      attempt: 1,
      countedAttempts: 0,
      notBeforeMs: T0 + 1_000,
    });
    expect(run.commits.at(-1)?.lease).toMatchObject({ kind: 'release', readyAtMs: T0 + 1_000 });
    run.wait('10s');
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', attempt: 4, countedAttempts: 1 });
    expect(run.happened).toEqual(['do.a', 'do.b']);
  });

  it('33: attempts count the first call: 3 means three calls', () => {
    for (const attempts of [1, 3]) {
      const text = workflow(
        `  - { id: a, call: do.a, retry: { attempts: ${attempts}${attempts > 1 ? ', delay: 1s' : ''} } }`,
      );
      const run = new Play(text, { script: { 'do.a': ['503'] } }).drive().wait('1h');
      expect(run.calls).toHaveLength(attempts);
      expect(run.head().failure).toMatchObject({ code: 'unavailable', step: 'a' });
      expect(run.state.status).toBe('FAILED');
    }
  });

  it('E09 an effect moves its run once: attempts, queries and reviews stay inside the ledger', () => {
    // E09: "Attempts, queries and reviews stay inside the ledger."
    const text = workflow('  - { id: a, call: do.a, retry: { attempts: 5, delay: 1s } }\n  - { id: b, call: do.b }');
    const run = new Play(text, { script: { 'do.a': ['503', '429', 'lost-done', 'ok'] } }).drive().wait('1h');
    expect(run.state.status).toBe('COMPLETED');
    expect(run.calls).toEqual(['do.a', 'do.a', 'do.a', 'do.a', 'do.b']);
    expect(run.stored.journal.map((row) => [row.event.type, row.event.id])).toEqual([
      ['run.started', run.state.run.runId],
      ['effect', `${run.rowOf('a').key}:settled`],
      ['effect', `${run.rowOf('b').key}:settled`],
    ]);
    const silent = run.commits.filter((commit) => commit.transitions.length === 0);
    expect(silent.length).toBeGreaterThan(3);
    expect(run.stored.receipts.map((receipt) => receipt.receiptNo)).toEqual([1, 2]);
  });

  it('E09 the same answer twice moves the run once', () => {
    // E09: "An effect moves its run once: inbox id `<effectKey>:settled`, one event type `effect.settled {step, frames, outcome}`."
    const run = new Play(TWO, { script: { 'do.b': ['hang'] } });
    const answer = run.answerNext();
    if (answer === null) throw new Error('nothing was sent');
    run.decide([answer, answer]);
    run.decide([answer]);
    expect(run.stored.journal).toHaveLength(2);
    expect(run.commits.flatMap((commit) => commit.observations)).toHaveLength(2);
  });

  it('E08 late answers are stored as observations, never overwrite', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(TWO, { script: { 'do.a': ['declined'] } }).drive();
    const row = run.rowOf('a');
    const late = { type: 'attempt.settled', effectKey: row.key, attempt: 7, outcome: outcome('rejected') } as const;
    const [commit] = run.decide([late, { ...late, effectKey: 'f'.repeat(64) as EffectKey }]);
    expect(commit?.observations).toMatchObject([
      { effectKey: row.key, source: 'late-answer' },
      { effectKey: 'f'.repeat(64) },
    ]);
    expect(commit).toMatchObject({ effects: [], receipts: [], transitions: [], head: null });
    expect(run.rowOf('a')).toEqual(row);
  });

  it('E08 a proof against a row assumed absent or failed raises an incident that needs a person, also after the end', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(TWO, { script: { 'do.b': ['declined'] } }).drive();
    expect(run.state.status).toBe('COMPENSATED');
    const b = run.rowOf('b');
    run.decide([
      {
        type: 'attempt.settled',
        effectKey: b.key,
        attempt: 1,
        outcome: outcome('confirmed', { output: { id: 'b-1' } }),
      },
    ]);
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'late-proof', effectKey: b.key, acts: ['confirmed', 'rejected'] },
    ]);
    expect(run.rowOf('b').state).toBe('FAILED');
    expect(run.resolve(b, 'rejected')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('E08 the person who resolves it may confirm the row, and its compensation is a person’s to order', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(TWO, { script: { 'do.b': ['declined'] } }).drive();
    const b = run.rowOf('b');
    run.decide([{ type: 'attempt.settled', effectKey: b.key, attempt: 1, outcome: outcome('confirmed') }]);
    expect(run.resolve(b, 'confirmed', { output: { id: 'b-1' } })).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('b')).toMatchObject({ state: 'CONFIRMED', output: { id: 'b-1' } });
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['compensate', 'waived'] }]);
    expect(run.head().failure).toMatchObject({ undone: ['a'], standing: ['b'] });
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'undo.a', 'undo.b']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('E08 what is proved late while the run undoes is undone behind the rest of the plan', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }'), {
      script: { 'do.b': ['declined'], 'undo.a': ['hang'] },
    }).drive();
    const b = run.rowOf('b');
    run.decide([{ type: 'attempt.settled', effectKey: b.key, attempt: 1, outcome: outcome('confirmed') }]);
    run.resolve(b, 'confirmed', { output: {} });
    expect(run.ledger()).toMatchObject({ 'undo a': 'REQUESTED', 'undo b': 'PROPOSED' });
    run.provider.says('undo.a', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'undo.a', 'undo.b']);
    expect(run.state.status).toBe('COMPENSATED');
  });
});

describe('doubt', () => {
  it('a review is answered by those it names, with the options it offers, and settles the row', () => {
    const text = workflow(
      "  - { id: a, call: do.a, onUnknown: review, review: { from: ['role:treasury'], options: [confirmed, rejected] } }\n  - { id: b, call: do.b }",
    );
    const run = new Play(text, { script: { 'do.a': ['lost-done'] } }).drive();
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'unknown', from: ['role:treasury'], acts: ['confirmed', 'rejected'] },
    ]);
    run.wait('1h');
    expect(run.resolve(run.rowOf('a'), 'confirmed')).toMatchObject({ outcome: 'refused', code: 'not-eligible' });
    const roles = ['treasury'];
    expect(run.resolve(run.rowOf('a'), 'absent', { roles })).toMatchObject({ outcome: 'refused', code: 'not-offered' });
    expect(run.resolve(run.rowOf('a'), 'confirmed', { roles, output: { id: 'a-1' } })).toMatchObject({
      outcome: 'applied',
    });
    expect(run.output('a')).toEqual({ id: 'a-1' });
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.incidents).toEqual([]);
    for (const late of [roles, ['operator'], []])
      expect(run.resolve(run.rowOf('a'), 'rejected', { roles: late })).toMatchObject({
        outcome: 'refused',
        code: 'not-in-doubt',
        detail: {
          message: 'step a is CONFIRMED since 2030-01-01T13:00:00.000Z: nothing about it is in doubt any more',
        },
      });
  });

  it('an order to reconcile asks now', () => {
    const text = workflow('  - { id: a, call: ask.it, onUnknown: review }', ASKED);
    const run = new Play(text, { script: { 'ask.it': ['lost-done'] } }).drive();
    const { key } = run.rowOf('a');
    expect(run.act({ type: 'reconcile', effectKey: '0'.repeat(64), by: 'op' })).toMatchObject({
      outcome: 'refused',
      code: 'not-found',
    });
    expect(run.act({ type: 'reconcile', effectKey: key, by: 'op' })).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', queries: 1 });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.act({ type: 'reconcile', effectKey: key, by: 'op' })).toMatchObject({
      outcome: 'refused',
      code: 'not-in-doubt',
      detail: { message: 'step a is CONFIRMED since 2030-01-01T12:00:00.000Z: nothing about it is in doubt any more' },
    });
    const flying = new Play(TWO, { script: { 'do.a': ['hang'] } }).drive();
    expect(flying.act({ type: 'reconcile', effectKey: flying.rowOf('a').key, by: 'op' })).toMatchObject({
      outcome: 'refused',
      code: 'not-in-doubt',
      detail: { message: 'step a is REQUESTED and not in doubt' },
    });
    const keyed = new Play(TWO, { script: { 'do.a': ['lost-done'] } }).drive();
    expect(keyed.act({ type: 'reconcile', effectKey: keyed.rowOf('a').key, by: 'op' })).toMatchObject({
      outcome: 'refused',
      code: 'no-reconcile',
    });
  });

  it('a resend that comes too late for the provider’s memory is not sent', () => {
    const run = new Play(TWO, { script: { 'do.a': ['lost-done'] } }).drive();
    run.sleep('23h');
    run.decide([{ type: 'due' }]);
    expect(run.calls).toEqual(['do.a']);
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
    expect(run.state.status).toBe('HELD');
  });

  it('E06 what is in doubt is sent again after `within`, too, and never fails by it', () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const text = workflow('  - { id: a, call: do.a, retry: { attempts: 9, delay: 10s, within: 1m } }');
    const run = new Play(text, { script: { 'do.a': ['lost-done', 'ok'] } }).drive();
    run.sleep('2m');
    run.decide([{ type: 'due' }]);
    expect(run.rowOf('a')).toMatchObject({ state: 'REQUESTED', attempt: 2 });
    expect(run.drive().state.status).toBe('COMPLETED');
    expect(run.happened).toEqual(['do.a']);
  });

  it('a retry that comes after within fails with timeout instead of starting', () => {
    const text = workflow('  - { id: a, call: do.a, retry: { attempts: 9, delay: 10s, within: 1m } }');
    const run = new Play(text, { script: { 'do.a': ['503'] } }).drive();
    run.sleep('2m');
    run.decide([{ type: 'due' }]);
    expect(run.calls).toEqual(['do.a']);
    expect(run.head().failure).toMatchObject({ code: 'timeout', step: 'a' });
    expect(run.state.status).toBe('FAILED');
  });
});

describe('one key', () => {
  it('E02 another request under it: incident, zero provider calls', () => {
    // E02: "Other hash: `PAWL_EFFECT_CONFLICT`, incident, zero provider calls."
    const text = workflow(
      `  - { id: e, await: more, on: [{ event: change, set: { n: =event.data.n } }] }
  - { id: a, call: do.a, with: { n: =vars.n } }`,
      'events: { more: {}, change: {} }\nvars: { n: { type: integer, default: 1 } }',
    );
    const run = new Play(text);
    // A row of that key with another request: only damage or a bug can make one.
    const other = new Play(text);
    other.signal('change', { n: 2 });
    other.signal('more');
    const row = other.rowOf('a');
    const state = { ...run.state, effects: new Map([[row.key, row]]) };
    const event = run.signalRow('more');
    const decision = decide(
      { compiled: run.compiled, nowMs: run.nowMs, canSend: true, numbers: numbersFor(30_000), missingFunctions: [] },
      state,
      [{ type: 'inbox', event }],
    );
    expect(decision.sends).toEqual([]);
    expect(decision.commit.effects).toEqual([]);
    expect(decision.next.status).toBe('HELD');
    expect(decision.next.control.incidents).toMatchObject([{ kind: 'conflict', step: 'a' }]);
  });

  it('E02 the same request under it: the recorded outcome', () => {
    // E02: "Same key + same hash: the recorded outcome."
    const run = new Play(TWO, { script: { 'do.b': ['hang'] } }).drive();
    const a = run.rowOf('a');
    const text = workflow('  - { id: w, wait: 1m }\n  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
    const waiting = new Play(text);
    const replayed = decide(
      {
        compiled: waiting.compiled,
        nowMs: waiting.nowMs + 60_000,
        canSend: true,
        numbers: numbersFor(30_000),
        missingFunctions: [],
      },
      { ...waiting.state, effects: new Map([[a.key, a]]) },
      [
        {
          type: 'inbox',
          event: waiting.row('timer', 't', {
            type: 'timer',
            name: 'w:wait',
            generation: 1,
            dueAtMs: waiting.nowMs + 60_000,
          }),
        },
      ],
    );
    expect(replayed.commit.transitions.map((row) => row.event.type)).toEqual(['timer', 'effect']);
    expect(replayed.sends.map((send) => send.effect.step)).toEqual(['b']);
    expect(replayed.next.snapshot.data.steps['a']?.output).toEqual(a.output);
  });
});

describe('a version whose functions are missing here', () => {
  it('holds the run with the name, sends nothing, and goes on where they are there', () => {
    const run = new Play(TWO, { missingFunctions: ['do-b@1'] });
    expect(run.state.status).toBe('HELD');
    expect(run.calls).toEqual([]);
    expect(run.state.control.incidents).toMatchObject([{ kind: 'pin', message: expect.stringContaining('do-b@1') }]);
    expect(run.retry('pin')).toMatchObject({ outcome: 'applied' });
    run.missingFunctions = [];
    run.crash().drive();
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.incidents).toEqual([]);
  });
});

describe('a parked run', () => {
  it('P07 is let go by a process that sends nothing: applied at once, with a row in the journal', () => {
    // P07: "A process that cannot decide only stores events."
    const run = new Play(TWO, { missingFunctions: ['do-b@1'] });
    const rows = run.stored.journal.length;
    run.canSend = false;
    expect(run.retry('pin')).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.incidents]).toEqual(['RUNNING', []]);
    expect(run.stored.journal.slice(rows)).toMatchObject([{ event: { type: 'retry' }, delta: { entered: [] } }]);
  });
});

describe('a commit', () => {
  it('carries at most 64 transitions; what follows is kept and goes on in the next', () => {
    const text = workflow('  - { id: w, wait: 0s, next: w, maxJumps: 200 }');
    const run = new Play(text);
    expect(run.stored.journal).toHaveLength(204);
    expect(run.commits.map((commit) => commit.transitions.length)).toEqual([64, 64, 12]);
    expect(run.commits[0]?.lease).toEqual({ kind: 'keep' });
    expect(run.state.control.pending).toEqual([]);
    expect(run.head().failure).toMatchObject({ code: 'limit' });
  });

  it('guards each row by what was loaded, and folds several changes of one row into one', () => {
    const run = new Play(TWO, { script: { 'do.b': ['hang'] } });
    const answer = run.answerNext();
    if (answer === null) throw new Error('nothing was sent');
    const [commit] = run.decide([answer]);
    expect(commit?.effects).toMatchObject([
      { expect: { state: 'REQUESTED', attempt: 1 }, effect: { state: 'CONFIRMED' } },
      { expect: null, effect: { state: 'REQUESTED', attempt: 1 } },
    ]);
  });

  it('38: a held run that is let go on and fails again, handler and all, has failed again', () => {
    const text = workflow(
      '  - { id: a, call: do.a, catch: [{ on: [any], do: [{ id: tell, call: do.b }], then: raise }] }',
      'onFailure: hold',
    );
    const run = new Play(text, { script: { 'do.a': ['declined'] } }).drive();
    expect(run.state.status).toBe('HELD');
    run.retry('a');
    expect(run.state.status).toBe('HELD');
    expect([...run.state.effects.values()].filter((row) => row.step === 'a').map((row) => row.state)).toEqual([
      'FAILED',
      'FAILED',
    ]);
    run.terminate();
    expect(run.state.status).toBe('TERMINATED');
  });
});
