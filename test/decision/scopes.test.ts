import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, workflow } from './support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

/** A scope of two calls with an end of its own time, and a call behind it. */
const timed = (more: string, inner = '{ id: a, call: do.a }, { id: b, call: do.b }'): string =>
  workflow(`
  - { id: s, scope: [${inner}]${more} }
  - { id: c, call: do.c }
`);

describe('a scope', () => {
  it('is done as its list: its output is that of the last step that ran in it, or its own', () => {
    const run = new Play(timed('')).drive();
    expect(run.state.status).toBe('COMPLETED');
    expect(run.output('s')).toEqual(run.output('b'));
    const own = new Play(timed(', output: { got: =steps.a.code }')).drive();
    expect(own.output('s')).toEqual({ got: null });
  });

  it('R21 a handled failure leaves confirmed effects standing: no `undo`, no compensation', () => {
    // R21: "A handled failure leaves confirmed effects standing unless its catch says `undo: true`"
    const run = new Play(timed(', catch: [{ on: [any] }]'), { script: { 'do.b': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R21 its catch with `undo: true` compensates only that group’s rows, last first, and the flow goes on', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const text = workflow(`
  - { id: e, call: do.e }
  - id: s
    scope: [{ id: a, call: do.a }, { id: b, call: do.b }, { id: d, call: do.d }]
    catch: [{ undo: true, do: [{ id: mend, call: do.c }] }]
  - { id: w, wait: 1h }
`);
    const run = new Play(text, { script: { 'do.d': ['declined'], 'undo.b': ['hang'] } }).drive();
    expect(run.ledger()).toMatchObject({ 'undo b': 'REQUESTED', 'undo a': 'PROPOSED', e: 'CONFIRMED' });
    expect([run.state.status, run.state.phase]).toEqual(['RUNNING', 'forward']);
    expect(faultsOf(run)).toEqual([]);
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.e', 'do.a', 'do.b', 'undo.b', 'undo.a', 'do.c']);
    expect(Object.keys(run.ledger())).not.toContain('undo e');
    expect([run.state.status, run.state.control.undos]).toEqual(['WAITING', []]);
  });

  it('R14 a crash at each boundary of a group’s undo: same ledger, one effect each', () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const text = timed(
      ', catch: [{ undo: true }]',
      '{ id: a, call: do.a }, { id: b, call: do.b }, { id: d, call: do.d }',
    );
    const play = (): Play => new Play(text, { script: { 'do.d': ['named'] } });
    const whole = play().drive();
    expect(whole.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.c']);
    for (let boundary = 0; boundary <= whole.calls.length; boundary += 1) {
      const run = play();
      for (let answered = 0; answered < boundary; answered += 1) {
        const input = run.answerNext();
        if (input !== null) run.decide([input]);
      }
      run.crash().crash();
      expect(faultsOf(run)).toEqual([]);
      run.drive().wait('1h');
      expect([run.happened, run.state.status, run.ledger()]).toEqual([whole.happened, 'COMPLETED', whole.ledger()]);
    }
  });

  it('R12 an undo that cannot be computed holds the run before any row of it is requested', () => {
    // R12: "If that computation fails: HELD before any row of the plan is requested."
    const bad = `  go: { function: go@1, idempotency: natural, compensate: { call: undo.a, with: { n: "\${ effect.output.n + 1 }" } } }`;
    const text = workflow(
      `  - { id: s, scope: [{ id: x, call: go }, { id: a, call: do.a }, { id: b, call: do.b }], catch: [{ undo: true }] }`,
      bad,
    );
    const run = new Play(text, { script: { 'do.b': ['declined'] } }).drive();
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
    expect(run.happened).toEqual(['go', 'do.a']);
    expect(faultsOf(run)).toEqual([]);
    expect(run.terminate()).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('TERMINATED');
  });

  it('R16 refused for good under `hold`: HELD, the rest untouched; a person’s word lets it go on', () => {
    // R16: "Refused for good under `hold`: HELD, the rest untouched; a person retries, marks it undone or waives it; it goes on from there."
    const text = timed(
      ', catch: [{ undo: true }]',
      '{ id: a, call: do.a }, { id: b, call: do.b }, { id: d, call: do.d }',
    );
    const script = { 'do.d': ['declined'], 'undo.b': ['declined'] } as const;
    const run = new Play(text, { script }).drive();
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
    expect(run.ledger()).toMatchObject({ 'undo b': 'FAILED', 'undo a': 'PROPOSED' });
    expect(run.resolve(run.rowOf('b', 'undo'), 'undone')).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.a', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
    const again = new Play(text, { script: { ...script, 'undo.b': ['declined', 'ok'] } }).drive();
    expect(again.resolve(again.rowOf('b', 'undo'), 'retry')).toMatchObject({ outcome: 'applied' });
    expect(again.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.c']);
  });

  it('R17 `continue` of the scope: the rest of it runs, then HELD for what is left', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const more = ', compensation: { onFailure: continue, retry: { attempts: 2 } }, catch: [{ undo: true }]';
    const inner = '{ id: a, call: do.a }, { id: b, call: do.b }, { id: d, call: do.d }';
    const run = new Play(timed(more, inner), { script: { 'do.d': ['declined'], 'undo.b': ['503'] } })
      .drive()
      .wait('1m');
    expect(run.calls.filter((name) => name === 'undo.b')).toHaveLength(2);
    expect(run.ledger()).toMatchObject({ 'undo b': 'FAILED', 'undo a': 'CONFIRMED' });
    expect(run.state.status).toBe('HELD');
    expect(run.resolve(run.rowOf('b', 'undo'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R22 a scope is undone at most once per visit: an outer catch with `undo` finds nothing left of it', () => {
    // R22: "a scope is undone at most once per visit; asking again answers with the first result."
    const text = workflow(`
  - id: outer
    scope:
      - { id: a, call: do.a }
      - { id: s, scope: [{ id: b, call: do.b }, { id: c, call: do.c }], catch: [{ undo: true, then: raise }] }
    catch: [{ undo: true }]
  - { id: d, call: do.d }
`);
    const run = new Play(text, { script: { 'do.c': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.d']);
    expect(run.calls.filter((name) => name === 'undo.b')).toHaveLength(1);
  });

  it('R22 what a scope has undone is not undone again when the run is', () => {
    // R22: "a scope is undone at most once per visit; asking again answers with the first result."
    const inner = '{ id: a, call: do.a }, { id: b, call: do.b }';
    const script = { 'do.b': ['declined'], 'do.c': ['declined'] } as const;
    const run = new Play(timed(', catch: [{ undo: true }]', inner), { script }).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R21 each visit undoes its own rows', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const text = workflow(`
  - { id: s, scope: [{ id: a, call: do.a }, { id: b, call: do.b }], catch: [{ undo: true, next: s }], maxJumps: 2 }
`);
    const run = new Play(text, { script: { 'do.b': ['declined', 'ok'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a', 'do.a', 'do.b']);
    expect(new Set(run.provider.keys).size).toBe(5);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R18 a cancel while a group is being undone: what is in flight settles first, what is left joins the run’s plan', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const text = workflow(`
  - { id: e, call: do.e }
  - { id: s, scope: [{ id: a, call: do.a }, { id: b, call: do.b }, { id: c, call: do.c }], catch: [{ undo: true }] }
`);
    const run = new Play(text, { script: { 'do.c': ['declined'], 'undo.b': ['503', 'hang'] } }).drive();
    expect(run.ledger()).toMatchObject({ 'undo b': 'AUTHORIZED', 'undo a': 'PROPOSED' });
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.state.control.undos]).toEqual(['COMPENSATING', []]);
    run.wait('1m');
    expect(run.ledger()).toMatchObject({ 'undo b': 'REQUESTED', 'undo a': 'PROPOSED', 'undo e': 'PROPOSED' });
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.e', 'do.a', 'do.b', 'undo.b', 'undo.a', 'undo.e']);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R20 behind a confirmed pivot nothing is undone by itself: a person is asked', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const text = timed(', catch: [{ undo: true }]', '{ id: a, call: do.a, pivot: true }, { id: b, call: do.b }');
    const run = new Play(text, { script: { 'do.b': ['declined'] } }).drive();
    expect([run.state.status, run.incidents, run.happened]).toEqual(['HELD', ['pivot'], ['do.a']]);
    expect(run.compensate()).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'undo.a']);
  });

  it('E01 a held scope that is tried again does anew what it had undone or failed, and nothing else', () => {
    // E01: "`generation` rises only when a person orders a redo after a definite refusal, or a shared row was closed."
    const text = `${workflow(`
  - { id: e, call: do.e }
  - id: s
    scope: [{ id: a, call: do.a }, { id: b, call: do.b }]
    catch: [{ undo: true, then: raise }]
`)}onFailure: hold\n`;
    const run = new Play(text, { script: { 'do.b': ['declined', 'ok'] } }).drive();
    expect([run.state.status, run.happened]).toEqual(['HELD', ['do.e', 'do.a', 'undo.a']]);
    expect(run.retry('s')).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.e', 'do.a', 'undo.a', 'do.a', 'do.b']);
    expect(run.state.status).toBe('COMPLETED');
    expect(faultsOf(run)).toEqual([]);
  });

  it('E01 a redo is of its own visit: what another visit of the step has done is not done again', () => {
    // E01: "`generation` rises only when a person orders a redo after a definite refusal, or a shared row was closed."
    const text = `${workflow(`
  - id: s
    scope:
      - { id: a, call: do.a }
      - { id: b, call: do.b, when: "vars.n > 1" }
      - { set: { n: "\${ vars.n + 1 }" }, when: "vars.n < 3", next: a, maxJumps: 5 }
    catch: [{ then: raise }]
`)}onFailure: hold\nvars: { n: { type: integer, default: 1 } }\n`;
    const run = new Play(text, { script: { 'do.a': ['ok', 'declined', 'ok'], 'do.b': ['ok'] } }).drive();
    expect([run.state.status, run.happened]).toEqual(['HELD', ['do.a']]);
    expect(run.retry('s')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.happened.filter((name) => name === 'do.a')).toHaveLength(2);
  });
});

describe('the time of a scope', () => {
  it('R04 when it is over nothing new starts inside, what is in flight settles, then failure `timeout`', () => {
    // R04: "Sibling in flight: nothing new starts, it is awaited to settlement"
    const run = new Play(timed(', timeout: 1m, catch: [{ on: [timeout], undo: true }]'), {
      script: { 'do.b': ['hang'] },
    }).drive();
    expect(faultsOf(run)).toEqual([]);
    run.wait('2m');
    expect(run.ledger()).toMatchObject({ a: 'CONFIRMED', b: 'REQUESTED' });
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.c']);
    expect(run.state.snapshot.data.steps['s']).toMatchObject({ code: 'timeout' });
  });

  it('a retry that waits is not sent any more', () => {
    const inner = '{ id: a, call: do.a, retry: { attempts: 9, delay: 2m } }';
    const run = new Play(timed(', timeout: 1m, catch: [{ on: [timeout] }]', inner), { script: { 'do.a': ['503'] } });
    run.drive().wait('10m');
    expect(run.calls).toEqual(['do.a', 'do.c']);
    expect(run.ledger()).toMatchObject({ a: 'CANCELLED', c: 'CONFIRMED' });
  });

  it('V06 ends with its list: what comes later is not timed', () => {
    // V06: "A commit that leaves the state deletes its timers"
    const run = new Play(timed(', timeout: 1m').replace('{ id: c, call: do.c }', '{ id: w, wait: 1h }')).drive();
    expect([...run.state.timers.keys()]).toEqual(['w:wait']);
  });

  it('ends a wait, an await and an approval in it, and the innermost scope whose time is over fails', () => {
    for (const leaf of [
      '{ id: w, wait: 1h }',
      '{ id: w, await: go }',
      "{ id: w, approve: 'Go?', from: ['role:desk'] }",
    ]) {
      const text = `${workflow(`
  - id: outer
    scope: [{ id: s, scope: [${leaf}], timeout: 1m, catch: [{ on: [timeout], do: [{ id: late, call: do.a }] }] }, { id: x, wait: 1h }]
    timeout: 2m
    catch: [{ on: [timeout], do: [{ id: later, call: do.b }] }]
`)}events: { go: {} }\n`;
      const run = new Play(text).drive();
      expect(faultsOf(run)).toEqual([]);
      run.wait('90s');
      expect([run.happened, run.state.timers.size]).toEqual([['do.a'], 2]);
      run.wait('1m');
      expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b'], 'COMPLETED']);
    }
  });

  it('counts while a step in it is held for a person', () => {
    const text = `${timed(', timeout: 1m, catch: [{ on: [timeout] }]')}onFailure: hold\n`;
    const run = new Play(text, { script: { 'do.b': ['declined'] } }).drive();
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['failure']]);
    run.wait('2m');
    expect([run.state.status, run.incidents]).toEqual(['COMPLETED', []]);
  });

  it('counts while a handler waits for what is in flight, and while a group in it is undone', () => {
    const drained = `${timed(', timeout: 1m, catch: [{ on: [timeout] }]', '{ id: a, call: do.a, on: [{ event: go, next: w }] }, { id: w, wait: 1h }')}events: { go: {} }\n`;
    const run = new Play(drained, { script: { 'do.a': ['hang'] } }).drive();
    run.signal('go');
    run.wait('2m');
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.c'], 'COMPLETED']);
    const inner =
      '{ id: g, scope: [{ id: a, call: do.a }, { id: b, call: do.b }], catch: [{ undo: true, do: [{ id: w, wait: 1h }] }] }';
    const undoing = new Play(timed(', timeout: 1m, catch: [{ on: [timeout], do: [{ id: rest, wait: 1h }] }]', inner), {
      script: { 'do.b': ['declined'], 'undo.a': ['hang'] },
    }).drive();
    undoing.wait('2m');
    expect(undoing.ledger()).toMatchObject({ 'undo a': 'REQUESTED' });
    undoing.provider.says('undo.a', 'ok');
    undoing.drive();
    expect([undoing.happened, undoing.state.status]).toEqual([['do.a', 'undo.a'], 'WAITING']);
    expect(Object.keys(undoing.state.snapshot.data.caught)).toEqual(['s']);
  });

  it('unhandled it undoes the run', () => {
    const run = new Play(timed(', timeout: 1m', '{ id: a, call: do.a }, { id: w, wait: 1h }')).drive().wait('2m');
    expect([run.state.status, run.happened]).toEqual(['COMPENSATED', ['do.a', 'undo.a']]);
  });
});
