import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, type Setting, workflow } from './support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

const BRANCHES = 'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b }], z: [{ id: c, call: do.c }]';

/** A parallel step of some branches, and a call behind it. */
const side = (more = '', branches = BRANCHES, head = ''): string =>
  workflow(
    `
  - { id: p, parallel: { ${branches} }${more} }
  - { id: d, call: do.d }
`,
    head,
  );

const play = (text: string, script: Setting['script'] = {}, setting: Setting = {}): Play =>
  new Play(text, { ...setting, script }).drive();

const EVENTS = 'events: { go: { schema: {} } }';

const joinOf = (run: Play): unknown => run.output('p');

describe('a parallel step', () => {
  it('does its branches side by side, and goes on when all have succeeded', () => {
    const run = new Play(side());
    expect(run.ledger()).toEqual({ a: 'REQUESTED', b: 'REQUESTED', c: 'REQUESTED' });
    expect(faultsOf(run)).toEqual([]);
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'do.d']);
    expect(joinOf(run)).toEqual({
      x: { status: 'succeeded', code: null, output: run.output('a') },
      y: { status: 'succeeded', code: null, output: run.output('b') },
      z: { status: 'succeeded', code: null, output: run.output('c') },
    });
    expect(run.state.status).toBe('COMPLETED');
  });

  it('V07 the first failure decides `all`, and everything that is on its way settles before the step fails', () => {
    // V07: "Joins settle all that they must, then decide."
    const run = play(side(', catch: [{ on: [declined] }]'), { 'do.a': ['declined'], 'do.b': ['hang'] });
    expect(run.ledger()).toEqual({ a: 'FAILED', b: 'REQUESTED', c: 'CONFIRMED' });
    expect(run.state.status).toBe('RUNNING');
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.b', 'do.d']);
    expect(run.state.snapshot.data.steps['p']).toMatchObject({ code: 'declined' });
  });

  it('R04 a failure starts nothing new in the other branches, and nothing is undone before all is settled', () => {
    // R04: "Sibling in flight: nothing new starts, it is awaited to settlement, then compensation begins."
    const branches =
      'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b }, { id: e, call: do.e }], z: [{ id: c, call: do.c }]';
    const run = play(side('', branches), { 'do.a': ['declined'], 'do.b': ['hang'] });
    expect(run.ledger()).toEqual({ a: 'FAILED', b: 'REQUESTED', c: 'CONFIRMED' });
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.b', 'undo.b', 'undo.c']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R05 `drain` lets a call that is under way make its retries, and ends a wait', () => {
    // R05: "a REQUESTED row is never cancelled locally"
    const retrying =
      'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b, retry: { attempts: 3, delay: 10s } }], z: [{ id: w, wait: 1h }]';
    const run = play(side('', retrying), { 'do.a': ['hang'], 'do.b': ['503', '503', 'ok'] });
    expect(run.ledger()).toEqual({ a: 'REQUESTED', b: 'AUTHORIZED' });
    run.provider.says('do.a', 'declined');
    run.drive();
    expect([run.ledger()['b'], run.state.control.finishing, run.state.timers.size]).toEqual(['AUTHORIZED', ['b'], 0]);
    expect(faultsOf(run)).toEqual([]);
    run.crash().wait('1m');
    expect(run.calls).toEqual(['do.b', 'do.a', 'do.b', 'do.b', 'undo.b']);
    expect([run.state.status, run.state.control.finishing]).toEqual(['COMPENSATED', []]);
  });

  it('R05 `cancel` ends retries and waits at once: rows not in flight become CANCELLED', () => {
    // R05: "`siblings: cancel`: rows not in flight become CANCELLED at once, retries and waits stop; a REQUESTED row is never cancelled locally."
    const branches =
      'w: [{ id: a, call: do.a }], x: [{ id: b, call: do.b, retry: { attempts: 3, delay: 10s } }], y: [{ id: c, call: do.c }], z: [{ id: s, wait: 1h }]';
    const run = play(side(', siblings: cancel', branches), { 'do.a': ['hang'], 'do.b': ['503'], 'do.c': ['hang'] });
    run.provider.says('do.a', 'declined');
    run.drive();
    expect(run.ledger()).toEqual({ a: 'FAILED', b: 'CANCELLED', c: 'REQUESTED' });
    expect([run.state.timers.size, run.state.phase]).toEqual([0, 'forward']);
    run.provider.says('do.c', '503');
    run.drive();
    expect([run.ledger(), run.state.status]).toEqual([{ a: 'FAILED', b: 'CANCELLED', c: 'FAILED' }, 'FAILED']);
  });

  it('R05 `finish` lets the branches run to their end first', () => {
    // R05: "`finish`: branches run to their end first."
    const branches = 'x: [{ id: a, call: do.a }], y: [{ id: w, wait: 1h }, { id: b, call: do.b }]';
    const run = play(side(', siblings: finish', branches), { 'do.a': ['declined'] });
    expect([run.state.status, run.state.phase]).toEqual(['WAITING', 'forward']);
    run.wait('1h');
    expect([run.happened, run.state.status]).toEqual([['do.b', 'undo.b'], 'COMPENSATED']);
  });

  it('R08 the losers of a race settle and are undone before the next step', () => {
    // R08: "`losers: undo`: losers of a race settle and their confirmed effects are compensated before the next step starts."
    const branches =
      'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b }], z: [{ id: c, call: do.c }, { id: e, call: do.e }]';
    const run = play(side(', join: any', branches), { 'do.a': ['hang'], 'do.b': ['hang'] });
    expect(run.happened).toEqual(['do.c', 'do.e']);
    run.provider.says('do.a', 'declined');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.e']);
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.e', 'do.b', 'undo.b', 'do.d']);
    expect(joinOf(run)).toEqual({
      x: { status: 'stopped', code: null, output: null },
      y: { status: 'stopped', code: null, output: null },
      z: { status: 'succeeded', code: null, output: run.output('e') },
    });
    expect(run.state.status).toBe('COMPLETED');
    expect(faultsOf(run)).toEqual([]);
  });

  it('R08 what a failed branch has done is undone too when another one wins', () => {
    // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
    const branches = 'x: [{ id: a, call: do.a }, { id: b, call: do.b }], y: [{ id: w, wait: 1h }]';
    const run = play(side(', join: any', branches), { 'do.b': ['declined'] });
    expect([run.state.status, run.happened]).toEqual(['WAITING', ['do.a']]);
    run.wait('1h');
    expect(run.happened).toEqual(['do.a', 'undo.a', 'do.d']);
    expect(joinOf(run)).toMatchObject({ x: { status: 'failed', code: 'declined' }, y: { status: 'succeeded' } });
  });

  it('R08 under `finish` who comes later has lost, though it has succeeded, and is undone', () => {
    // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
    const inner = 'x: [{ id: a, call: do.a }], y: [{ id: w, wait: 1h }, { id: b, call: do.b }]';
    const run = play(side(', join: any, siblings: finish', inner)).wait('1h');
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'do.d']);
    expect(joinOf(run)).toMatchObject({ x: { status: 'succeeded' }, y: { status: 'succeeded' } });
  });

  it('R14 a crash at each boundary of a race whose losers are undone: same ledger, one effect each', () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const branches =
      'x: [{ id: a, call: do.a }, { id: e, call: do.e }], y: [{ id: b, call: do.b }], z: [{ id: c, call: do.c }]';
    const fresh = (): Play => new Play(side(', join: any', branches), { script: { 'do.c': ['named'] } });
    const whole = fresh().drive();
    expect(whole.happened).toEqual(['do.a', 'do.b', 'do.e', 'undo.e', 'undo.a', 'do.d']);
    for (let boundary = 0; boundary <= whole.calls.length; boundary += 1) {
      const run = fresh();
      for (let answered = 0; answered < boundary; answered += 1) {
        const input = run.answerNext();
        if (input !== null) run.decide([input]);
      }
      run.crash().crash();
      expect(faultsOf(run)).toEqual([]);
      run.drive().wait('1h');
      expect(run.state.status).toBe('COMPLETED');
      expect(new Set(run.happened).size).toBe(run.happened.length);
    }
  });

  it('V07 a race that nobody can win any more fails with `impossible` and names each code', () => {
    // V07: "Joins settle all that they must, then decide."
    const text = side(', join: { count: 2 }, catch: [{ on: [impossible] }]');
    const run = play(text, { 'do.a': ['declined'], 'do.b': ['declined'], 'do.c': ['hang'] });
    expect(run.state.snapshot.data.steps['p']).toBeUndefined();
    run.provider.says('do.c', 'ok');
    run.drive();
    expect(run.state.snapshot.data.steps['p']).toMatchObject({ code: 'impossible' });
    expect(run.happened).toEqual(['do.c', 'do.d']);
    const told = play(side(', join: any'), { 'do.a': ['declined'], 'do.b': ['declined'], 'do.c': ['declined'] });
    expect(told.state.status).toBe('FAILED');
    expect(told.state.snapshot.data.ending?.failure?.message).toContain('x: declined, y: declined, z: declined');
    expect(told.state.snapshot.data.ending?.failure?.data).toEqual({ x: 'declined', y: 'declined', z: 'declined' });
  });

  it('is met at once where nobody must succeed, and impossible at once where more must than there are', () => {
    const text = side(
      ', join: { count: =input.k }, catch: [{ on: [impossible, expression], do: [{ id: e, call: do.e }] }]',
    );
    const none = play(text, {}, { input: { k: 0 } });
    expect([none.happened, joinOf(none)]).toEqual([
      ['do.d'],
      Object.fromEntries(['x', 'y', 'z'].map((name) => [name, { status: 'stopped', code: null, output: null }])),
    ]);
    expect(play(text, {}, { input: { k: 4 } }).happened).toEqual(['do.e', 'do.d']);
    expect(play(text, {}, { input: { k: 'two' } }).happened).toEqual(['do.e', 'do.d']);
    expect(play(text, {}, { input: { k: 3 } }).happened).toEqual(['do.a', 'do.b', 'do.c', 'do.d']);
  });

  it('V07 of branches that succeed in one moment as many as are needed do, in the order of the file', () => {
    // V07: "Joins settle all that they must, then decide."
    const once = (name: string): string => `${name}: [{ id: ${name}1, choose: [{ else: [] }], output: done }]`;
    const statuses = (more: string): unknown =>
      Object.values(joinOf(play(side(more, ['x', 'y', 'z'].map(once).join(', ')))) as object).map(
        ({ status }: { status: string }) => status,
      );
    expect(statuses(', join: any')).toEqual(['succeeded', 'stopped', 'stopped']);
    expect(statuses(', join: { count: 2 }')).toEqual(['succeeded', 'succeeded', 'stopped']);
    expect(statuses(', join: any, siblings: finish')).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(statuses('')).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('lets each branch catch its own failures', () => {
    const branches =
      'x: [{ id: a, call: do.a, catch: [{ on: [declined], do: [{ id: e, call: do.e }] }] }], y: [{ id: b, call: do.b }]';
    const run = play(side('', branches), { 'do.a': ['declined'] });
    expect(run.happened).toEqual(['do.b', 'do.e', 'do.d']);
    expect(joinOf(run)).toMatchObject({ x: { status: 'succeeded' }, y: { status: 'succeeded' } });
  });

  it('routes two failures of one moment each in its own branch', () => {
    const branches =
      'x: [{ fail: { code: one } }], y: [{ id: s, scope: [{ fail: { code: two } }], catch: [{ on: [two], then: raise }] }]';
    const run = play(side(', siblings: finish, catch: [{ on: [one] }]', branches));
    expect(run.happened).toEqual(['do.d']);
    expect(run.state.snapshot.data.branches?.['p']?.ends.map(({ branch, code }) => `${branch} ${code}`)).toEqual([
      'x one',
      'y two',
    ]);
  });

  it('R06 is undone in the order in which the effects were confirmed, whatever branch they stand in', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    const branches =
      'x: [{ id: a, call: do.a }, { id: b, call: do.b }], y: [{ id: c, call: do.c }, { id: e, call: do.e }]';
    const run = play(side('', branches), { 'do.d': ['declined'] });
    expect(run.happened).toEqual(['do.a', 'do.c', 'do.b', 'do.e', 'undo.e', 'undo.b', 'undo.c', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R21 its catch with `undo: true` compensates what all branches have done', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const run = play(side(', catch: [{ undo: true }]'), { 'do.b': ['declined'] });
    expect(run.happened).toEqual(['do.a', 'do.c', 'undo.c', 'undo.a', 'do.d']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('R18 a cancel while several branches are open: all settle, all is undone', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const run = play(side(), { 'do.b': ['hang'] });
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPENSATING');
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.c', 'do.b', 'undo.b', 'undo.c', 'undo.a']);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R19 the deadline of the run and the time of the step wait for what is on its way in every branch', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const text = side(', timeout: 1m, catch: [{ on: [timeout] }]');
    const run = play(text, { 'do.a': ['hang'], 'do.b': ['hang'] }).wait('1m');
    expect(run.ledger()).toEqual({ a: 'REQUESTED', b: 'REQUESTED', c: 'CONFIRMED' });
    run.provider.says('do.a', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.a']);
    run.provider.says('do.b', '503');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.a', 'do.d']);
    expect(run.state.snapshot.data.steps['p']).toMatchObject({ code: 'timeout' });
    const late = play(`${side()}timeout: 1m\n`, { 'do.a': ['hang'] }).wait('1m');
    expect(late.state.phase).toBe('settling');
    late.provider.says('do.a', 'ok');
    late.drive();
    expect(late.happened).toEqual(['do.b', 'do.c', 'do.a', 'undo.a', 'undo.c', 'undo.b']);
  });

  it('the time of a group around it ends all branches, nested ones too', () => {
    const text = workflow(`
  - id: s
    scope:
      - id: p
        parallel:
          x: [{ id: a, call: do.a }]
          y: [{ id: q, parallel: { u: [{ id: b, call: do.b }, { id: e, call: do.e }], v: [{ id: w, wait: 1h }] } }]
    timeout: 1m
    catch: [{ on: [timeout], undo: true }]
  - { id: d, call: do.d }
`);
    const run = play(text, { 'do.b': ['hang'] }).wait('1m');
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'REQUESTED' });
    expect(faultsOf(run)).toEqual([]);
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.d']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('a failure stops a parallel step inside another branch, and its retries go on where it drains', () => {
    const inner = '{ id: b, call: do.b, retry: { attempts: 2, delay: 10s } }, { id: e, call: do.e }';
    const branches = `x: [{ id: a, call: do.a }], y: [{ id: q, parallel: { u: [${inner}], v: [{ id: w, wait: 1h }] } }]`;
    const run = play(side(', catch: [{ on: [declined] }]', branches), { 'do.a': ['hang'], 'do.b': ['503', 'ok'] });
    run.provider.says('do.a', 'declined');
    run.drive();
    expect(run.ledger()).toEqual({ a: 'FAILED', b: 'AUTHORIZED' });
    run.wait('10s');
    expect(run.happened).toEqual(['do.b', 'do.d']);
  });

  it('V13 the innermost taker gets an event, `await` before `on`, the first branch first', () => {
    // V13: "One event moves a run at most once: the innermost taker, `await` before `on`."
    const branches = 'x: [{ id: a, await: go }], y: [{ id: b, await: go }]';
    const text = side(', on: [{ event: go, then: end }]', branches, EVENTS);
    const run = play(text);
    expect(run.signal('go', { n: 1 })).toMatchObject({ outcome: 'applied', detail: { step: 'a' } });
    expect(run.signal('go', { n: 2 })).toMatchObject({ outcome: 'applied', detail: { step: 'b' } });
    expect(run.happened).toEqual(['do.d']);
    const inner =
      'x: [{ id: w, wait: 1h }], y: [{ id: s, scope: [{ id: v, wait: 1h }], on: [{ event: go, then: fail }] }]';
    const handled = play(side(', on: [{ event: go, then: end }], catch: [{ on: [go] }]', inner, EVENTS));
    expect(handled.signal('go')).toMatchObject({ outcome: 'applied', detail: { step: 's' } });
    expect(handled.happened).toEqual(['do.d']);
  });

  it('V13 a handler of the step ends all branches: what is in flight settles, then its target', () => {
    // V13: "One event moves a run at most once: the innermost taker, `await` before `on`."
    const text = workflow(
      `
  - { id: p, parallel: { ${BRANCHES}, w: [{ id: w, wait: 1h }] }, on: [{ event: go, next: e }] }
  - { id: d, call: do.d }
  - { id: e, call: do.e }
`,
      EVENTS,
    );
    const run = play(text, { 'do.a': ['hang'], 'do.b': ['hang'] });
    expect(run.signal('go')).toMatchObject({ outcome: 'applied', detail: { step: 'p' } });
    expect([run.ledger(), run.state.timers.size]).toEqual([{ a: 'REQUESTED', b: 'REQUESTED', c: 'CONFIRMED' }, 0]);
    expect(run.signal('go')).toMatchObject({ outcome: 'kept' });
    run.provider.says('do.a', 'declined');
    run.drive();
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.c', 'do.b', 'do.e']);
  });

  it('an event of the whole workflow is taken once, from outside of all branches', () => {
    const text = `${side('', BRANCHES, `${EVENTS}\nvars: { n: { type: integer, default: 0 } }\non: [{ event: go, set: { n: "\${ vars.n + 1 }" } }]`)}output: { n: =vars.n }\n`;
    const run = play(text, { 'do.a': ['hang'], 'do.b': ['hang'] });
    expect(run.signal('go')).toMatchObject({ outcome: 'applied', detail: { step: null } });
    run.provider.says('do.a', 'ok');
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(run.state.snapshot.data.ending?.output).toEqual({ n: 1 });
  });

  it('A06 an approval in a branch that is not wanted any more is over, and a late vote is told so', () => {
    // A06: "exactly one is applied, the others are answered with it."
    const ask = (id: string): string => `{ id: ${id}, approve: "${id}?", from: [role:desk] }`;
    const run = play(side('', `x: [${ask('one')}], y: [${ask('two')}]`));
    expect(run.state.approvals.size).toBe(2);
    expect(run.vote('ann', 'deny', { approvalId: 'two' })).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('FAILED');
    expect(run.vote('bob', 'approve', { approvalId: 'one' })).toMatchObject({ outcome: 'already-decided' });
  });

  it('E01 a person tries a held parallel step again: what has succeeded is told again, what failed or was stopped is done anew', () => {
    // E01: "`generation` rises only when a person orders a redo after a definite refusal, or a shared row was closed."
    const text = `${side('', BRANCHES)}onFailure: hold\n`;
    const run = play(text, { 'do.b': ['declined', 'ok'] });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['failure']]);
    expect(run.retry('p')).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.happened]).toEqual(['COMPLETED', ['do.a', 'do.c', 'do.b', 'do.d']]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('R20 behind the pivot a failure in a branch holds the step when all has settled', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const text = workflow(`
  - { id: e, call: do.e, pivot: true }
  - { id: p, parallel: { ${BRANCHES} } }
`);
    const run = play(text, { 'do.a': ['declined'], 'do.b': ['hang'] });
    expect(run.state.status).toBe('RUNNING');
    run.provider.says('do.b', 'ok');
    run.drive();
    expect([run.state.status, run.incidents, run.happened]).toEqual(['HELD', ['pivot'], ['do.e', 'do.c', 'do.b']]);
  });

  it('the time of the step ends the retries of a call that drains', () => {
    const branches = 'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b, retry: { attempts: forever, delay: 10s } }]';
    const text = side(', timeout: 1m, catch: [{ on: [timeout], undo: true }]', branches);
    const run = play(text, { 'do.a': ['declined'], 'do.b': ['503'] }).wait('2m');
    expect(run.ledger()).toMatchObject({ a: 'FAILED', b: 'CANCELLED', d: 'CONFIRMED' });
    expect([run.state.status, run.state.control.finishing]).toEqual(['COMPLETED', []]);
  });
});
