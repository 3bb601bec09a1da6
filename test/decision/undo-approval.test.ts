import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { Approval } from '../../src/model/approval.ts';
import type { Json } from '../../src/model/json.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, planHash, workflow } from './support/play.ts';
import type { Word } from './support/provider.ts';

const asking = (name: string, more = ''): string =>
  `call: do.${name}, compensate: { call: undo.${name}, with: { key: =effect.key }, approve: { title: 'Undo ${name}?', from: ['role:desk']${more} } }`;

/** Steps a (people agree to its undo within an hour) and b (nobody is asked), and what fails after them. */
const STEPS = `
  - { id: a, ${asking('a', ', expires: 1h')} }
  - { id: b, call: do.b }
  - { id: d, call: do.d }
`;

function play(steps = STEPS, head = '', script: Readonly<Record<string, readonly Word[]>> = {}): Play {
  const run = new Play(workflow(steps, head), { script: { 'do.d': ['declined'], ...script } }).drive();
  return sound(run);
}

function sound(run: Play): Play {
  expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  return run;
}

const open = (run: Play): readonly Approval[] =>
  [...run.state.approvals.values()].filter(({ state }) => state === 'open');
const idsOf = (approvals: readonly Approval[]): readonly string[] => approvals.map(({ approvalId }) => approvalId);
const lease = (run: Play): unknown => run.commits.at(-1)?.lease;

describe('a compensation with its own approve', () => {
  it('R23 waits PROPOSED for its approval and holds no worker', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b']);
    expect(run.ledger()).toMatchObject({ 'undo b': 'CONFIRMED', 'undo a': 'PROPOSED' });
    expect([run.state.status, run.head().needs]).toEqual(['COMPENSATING', ['approval:decision']]);
    expect(lease(run)).toMatchObject({ kind: 'release', readyAtMs: null });
    expect(run.vote('ann', 'approve')).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect([sound(run).state.status, run.head().needs]).toEqual(['COMPENSATED', []]);
    expect(run.rowOf('a', 'undo')).toMatchObject({ approvalId: 'undo:a' });
    expect(run.stored.receipts.at(-1)).toMatchObject({ approvalId: 'undo:a' });
  });

  it('R23 is asked about once, when its turn comes and not before, also after a crash', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(STEPS, '', { 'undo.b': ['hang'] });
    expect(idsOf(open(run))).toEqual([]);
    run.provider.says('undo.b', 'ok');
    run.crash().wait('10m');
    const [first] = open(run);
    run.crash().wait('10m');
    expect(open(sound(run))).toEqual([first]);
    run.vote('ann', 'approve');
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R23 shows what will be requested; a vote with another hash is refused', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play();
    const row = run.rowOf('a', 'undo');
    expect(run.approval()).toMatchObject({
      title: 'Undo a?',
      step: 'a',
      subject: {
        subject: { undoes: 'a', action: 'do.a' },
        effects: [{ step: 'a', action: 'undo.a', request: JSON.parse(row.request) as Json }],
      },
      authorizes: [{ effectKey: row.key, requestHash: row.requestHash }],
    });
    const stale = run.vote('ann', 'approve', { subjectHash: 'f'.repeat(64) });
    expect(stale).toMatchObject({ outcome: 'stale', code: 'subject' });
    expect(run.vote('starter', 'approve')).toMatchObject({ outcome: 'refused', code: 'except' });
    expect(run.vote('bob', 'approve', { roles: [] })).toMatchObject({ outcome: 'refused', code: 'not-eligible' });
    expect(run.vote('ann', 'approve', { form: {} })).toMatchObject({ outcome: 'refused', code: 'form' });
    expect(run.ledger()).toMatchObject({ 'undo a': 'PROPOSED' });
  });

  it('R23 waits for its quorum, and one denial of two does not deny', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(STEPS.replace('expires: 1h', 'quorum: 2, denials: 2, expires: 1h'));
    run.vote('ann', 'approve');
    run.vote('bob', 'deny');
    expect(sound(run).ledger()).toMatchObject({ 'undo a': 'PROPOSED' });
    run.vote('cid', 'approve');
    expect(sound(run).state.status).toBe('COMPENSATED');
  });

  it.each([
    ['denial', (run: Play) => run.vote('ann', 'deny'), 'denied'],
    ['expiry', (run: Play) => run.wait('2h'), 'expired'],
  ])('R23 %s means HELD, never skipped', (_how, ends, code) => {
    // R23: "expiry or denial means HELD, never skipped."
    const run = play();
    ends(run);
    expect(sound(run).ledger()).toMatchObject({ 'undo a': 'REFUSED' });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
    const [incident] = run.state.control.incidents;
    expect(incident).toMatchObject({
      step: 'a',
      message: `the undo of step a was not approved (${code}): 1 of 2 undone, 1 needs a person`,
      acts: ['retry', 'undone', 'waived', 'terminate'],
    });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b']);
  });

  it('R23 a vote that comes before the expiry counts, one after it is told so', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play();
    const vote = run.voteRow('ann', 'approve', { atMs: run.nowMs + 3_599_999 });
    run.sleep('2h');
    run.decide([...run.fire(), { type: 'inbox', event: vote }]);
    run.drive();
    expect(sound(run).state.status).toBe('COMPENSATED');
    const late = play();
    late.sleep('61m');
    expect(late.vote('ann', 'approve')).toMatchObject({ outcome: 'already-decided', code: 'expired' });
    expect(late.state.status).toBe('HELD');
  });

  it('R23 denied, it acts as R16: a person asks again, marks it undone or waives it', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)"
    const again = play();
    again.vote('ann', 'deny');
    again.resolve(again.rowOf('a', 'undo'), 'retry');
    expect(idsOf(open(sound(again)))).toEqual(['undo:a~0.1']);
    expect(again.incidents).toEqual([]);
    again.vote('ann', 'approve');
    expect([again.state.status, again.happened.at(-1)]).toEqual(['COMPENSATED', 'undo.a']);
    const byHand = play();
    byHand.vote('ann', 'deny');
    byHand.resolve(byHand.rowOf('a', 'undo'), 'undone');
    expect(sound(byHand).rowOf('a', 'undo')).toMatchObject({ state: 'CONFIRMED', attempt: 0 });
    expect(byHand.state.status).toBe('COMPENSATED');
    const waived = play();
    waived.wait('2h');
    waived.resolve(waived.rowOf('a', 'undo'), 'waived');
    expect(sound(waived).ledger()).toMatchObject({ 'undo a': 'WAIVED' });
    expect(waived.state.status).toBe('COMPENSATED_WITH_ERRORS');
  });

  it('R23 what was approved and then refused by the provider needs no second approval of the same request', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(STEPS, '', { 'undo.a': ['declined', 'ok'] });
    run.vote('ann', 'approve');
    expect([run.state.status, run.ledger()['undo a']]).toEqual(['HELD', 'FAILED']);
    run.resolve(run.rowOf('a', 'undo'), 'retry');
    expect(sound(run).state.status).toBe('COMPENSATED');
    expect(run.rowOf('a', 'undo')).toMatchObject({ approvalId: 'undo:a', ingredients: { generation: 1 } });
    expect(run.state.approvals.size).toBe(1);
  });

  it('R23 a yes to what was withdrawn before it was sent holds no longer: an order to undo it asks anew', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = `
  - { id: a, ${asking('a')} }
  - { id: b, ${asking('b')} }
  - { id: d, call: do.d }`;
    const run = play(steps, 'compensation: { order: parallel }', { 'undo.a': ['declined', 'ok'] });
    run.vote('ann', 'approve', { approvalId: 'undo:a' });
    run.vote('ann', 'approve', { approvalId: 'undo:b' });
    expect(run.ledger()).toMatchObject({ 'undo a': 'FAILED', 'undo b': 'PROPOSED' });
    run.terminate();
    run.compensate(planHash(run));
    run.resolve(run.rowOf('a', 'undo'), 'retry');
    expect(idsOf(open(sound(run)))).toEqual(['undo:b~0.1']);
    expect(run.happened).not.toContain('undo.b');
  });

  it('R23 R01 in reverse order what comes after it waits with it, and what a person tries again goes before it', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    // R01: "Never two at once within a plan."
    const steps = `
  - { id: a, call: do.a }
  - { id: b, ${asking('b')} }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`;
    const run = play(steps, 'compensation: { onFailure: continue }', { 'undo.c': ['declined', 'hang'] });
    expect(run.ledger()).toMatchObject({ 'undo c': 'FAILED', 'undo b': 'PROPOSED', 'undo a': 'PROPOSED' });
    run.resolve(run.rowOf('c', 'undo'), 'retry');
    run.vote('ann', 'approve');
    expect(sound(run).ledger()).toMatchObject({ 'undo c': 'REQUESTED', 'undo b': 'PROPOSED', 'undo a': 'PROPOSED' });
    run.provider.says('undo.c', 'ok');
    run.drive();
    expect(run.happened.slice(3)).toEqual(['undo.c', 'undo.b', 'undo.a']);
    expect(sound(run).state.status).toBe('COMPENSATED');
  });

  it('R23 R17 under continue the rest goes on past a denial, then the run is HELD for it', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const steps = `
  - { id: a, call: do.a }
  - { id: b, ${asking('b')} }
  - { id: d, call: do.d }`;
    const run = play(steps, 'compensation: { onFailure: continue }');
    run.vote('ann', 'deny');
    expect(sound(run).ledger()).toMatchObject({ 'undo b': 'REFUSED', 'undo a': 'CONFIRMED' });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
  });

  it.each(['parallel', 'graph'])(
    'R23 R07 in the order %s all that may go are asked about at once, each by its own',
    (order) => {
      // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
      const steps = `
  - { id: a, ${asking('a', ', expires: 1h')} }
  - { id: b, ${asking('b', ', expires: 2h')} }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`;
      const run = play(steps, `compensation: { order: ${order} }`);
      expect([idsOf(open(run)), run.happened.slice(3)]).toEqual([['undo:b', 'undo:a'], ['undo.c']]);
      expect(lease(run)).toMatchObject({ kind: 'release', readyAtMs: null });
      run.vote('ann', 'approve', { approvalId: 'undo:b' });
      expect(sound(run).happened.slice(4)).toEqual(['undo.b']);
      run.wait('61m');
      expect([sound(run).state.status, run.ledger()['undo a']]).toEqual(['HELD', 'REFUSED']);
    },
  );

  it('R23 R07 in graph order what depends on it waits for its approval', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = `
  - { id: a, call: do.a }
  - { id: b, with: { of: =steps.a.output }, ${asking('b')} }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`;
    const run = play(steps, 'compensation: { order: graph }');
    expect(run.ledger()).toMatchObject({ 'undo c': 'CONFIRMED', 'undo b': 'PROPOSED', 'undo a': 'PROPOSED' });
    run.vote('ann', 'approve');
    expect(sound(run).happened.slice(3)).toEqual(['undo.c', 'undo.b', 'undo.a']);
  });

  it('R23 of people who may not vote nobody can agree: it is HELD at once', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = STEPS.replace("['role:desk']", "['user:starter']");
    for (const order of ['reverse', 'parallel']) {
      const run = play(steps, `compensation: { order: ${order} }`);
      expect([run.state.status, run.ledger()['undo a']]).toEqual(['HELD', 'REFUSED']);
      expect([...run.state.timers.keys()]).toEqual([]);
    }
  });

  it('R23 R12 if who must agree cannot be computed, the run is HELD before any row of the plan is requested', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(
      STEPS.replace('expires: 1h', "quorum: '=input.n'"),
      'input: { type: object, properties: { n: { type: integer } }, required: [n] }',
    );
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'CONFIRMED', d: 'FAILED' });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
    const zero = new Play(
      workflow(
        STEPS.replace('expires: 1h', "quorum: '=input.n'"),
        'input: { type: object, properties: { n: { type: integer } }, required: [n] }',
      ),
      { script: { 'do.d': ['declined'] }, input: { n: 0 } },
    ).drive();
    expect(zero.state.control.incidents[0]?.message).toContain('quorum and denials are whole numbers');
  });

  it('R23 R18 a cancelled run waits for it, too; to terminate it ends the question', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const cancelled = play(STEPS.replace('call: do.d', 'wait: 1h'));
    cancelled.cancel();
    expect(cancelled.cancel()).toMatchObject({ outcome: 'refused', code: 'compensating' });
    expect([sound(cancelled).state.status, idsOf(open(cancelled))]).toEqual(['COMPENSATING', ['undo:a']]);
    cancelled.vote('ann', 'approve');
    expect(sound(cancelled).state.status).toBe('CANCELLED');
    const ended = play();
    ended.terminate();
    expect(sound(ended).ledger()).toMatchObject({ 'undo a': 'CANCELLED' });
    expect([...ended.state.timers.keys()]).toEqual([]);
    expect(ended.vote('ann', 'approve')).toMatchObject({ outcome: 'already-decided', code: 'decided' });
    ended.compensate(planHash(ended));
    expect(idsOf(open(sound(ended)))).toEqual(['undo:a~0.1']);
  });

  it('R23 R24 an operator’s order waits for it; what nobody approved before stays HELD', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(STEPS.replace('call: do.d', 'wait: 1s')).wait('2s');
    expect(run.state.status).toBe('COMPLETED');
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    run.vote('ann', 'deny');
    expect(sound(run).state.status).toBe('HELD');
    run.terminate();
    run.compensate(planHash(run));
    expect([sound(run).state.status, idsOf(open(run))]).toEqual(['HELD', []]);
  });

  it('R23 R21 what a step undoes while the run goes on waits for it, and a cancel takes the question over', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = `
  - { id: a, ${asking('a', ', expires: 1h')} }
  - { id: u, undo: [a] }
  - { id: c, call: do.c }`;
    const run = play(steps);
    expect([run.state.status, run.state.phase, idsOf(open(run))]).toEqual(['WAITING', 'forward', ['undo:a']]);
    run.vote('ann', 'approve');
    expect(sound(run).happened).toEqual(['do.a', 'undo.a', 'do.c']);
    expect(run.state.status).toBe('COMPLETED');
    const cancelled = play(steps);
    cancelled.cancel();
    expect([sound(cancelled).state.phase, idsOf(open(cancelled))]).toEqual(['compensating', ['undo:a']]);
    cancelled.vote('ann', 'approve');
    expect(sound(cancelled).happened).toEqual(['do.a', 'undo.a']);
  });

  it('R23 R09 each item has its own question, by its key', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = `
  - id: all
    map: '["x:1", "y"]'
    as: item
    key: item
    steps: [{ id: a, ${asking('a', ', expires: 1h')} }]
  - { id: d, call: do.d }`;
    const run = play(steps, 'compensation: { order: parallel }');
    expect(idsOf(open(run))).toEqual(['undo:a.v0.my', 'undo:a.v0.mx:1']);
    run.vote('ann', 'approve', { approvalId: 'undo:a.v0.mx:1' });
    expect(sound(run).happened).toEqual(['do.a', 'do.a', 'undo.a']);
    run.wait('2h');
    expect(sound(run).incidents).toEqual(['compensation']);
  });

  it('R23 a step’s own undo goes on being asked about when its run is stopped', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const steps = `
  - id: both
    scope:
      - { id: a, ${asking('a', ', expires: 1h')} }
      - { id: d, call: do.d }
    catch: [{ on: [any], undo: true }]
  - { id: c, call: do.c }`;
    const run = play(steps);
    const [first] = open(run);
    expect([run.state.phase, first?.approvalId]).toEqual(['forward', 'undo:a']);
    run.cancel();
    expect(open(sound(run))).toEqual([first]);
  });

  it('R23 what the head says that people are needed for is as it is, whichever commit asks', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play(STEPS.replace(', expires: 1h', ''), '', { 'undo.b': ['503', 'ok'] });
    expect([open(run).length, run.head().needs]).toEqual([0, []]);
    run.wait('1m');
    expect([open(sound(run)).length, run.head().needs]).toEqual([1, ['approval:decision']]);
  });

  it('R23 the invariants name an undo that was sent unasked, a question that nothing waits for, and a timer of none', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const run = play();
    const whole = checkedRun(run);
    const found = (changed: Partial<typeof whole>) =>
      findFaults({ ...whole, ...changed }, run.nowMs).map(({ check, what }) => `${check}: ${what}`);
    const sent = whole.effects.map((row) => (row.state === 'PROPOSED' ? { ...row, attempt: 1 } : row));
    expect(found({ effects: sent })).toContain('approval: it was sent, and nobody has agreed to it');
    expect(found({ effects: whole.effects.filter(({ state }) => state !== 'PROPOSED') })).toContain(
      'approval: it is open, and no undo waits for it',
    );
    expect(found({ approvals: [] })).toContain('timer: nobody is asked about that undo');
    expect(found({ timers: [] })).toContain(
      'timer-missing: approval undo:a waits for it, and it is neither armed nor fired',
    );
  });
});
