import { describe, expect, it } from 'vitest';
import { hashJson } from '../../src/model/hash.ts';
import { Play, workflow } from './support/play.ts';

const DESK = `  - { id: ok, approve: 'Pay?', subject: { amount: =input.amount }, from: ['role:desk'], quorum: 2, denials: 2, expires: 1h }`;
const PAY = `  - { id: pay, call: do.a, with: { amount: =input.amount }, authorizedBy: ok }`;
const TWO_EYES = workflow(`${DESK}\n${PAY}`);
const ONE = workflow(
  `  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: 60s }\n  - { id: pay, call: do.a, with: { n: =vars.n } }`,
  'vars: { n: { type: integer, default: 1 } }',
);
const setting = { input: { amount: 5 }, startedBy: 'u1' };

describe('approvals', () => {
  it('A01 reaching an approval step twice finds the same approval; one request', () => {
    // A01: "Reaching an approval step twice finds the same approval; one request, one notification."
    const run = new Play(TWO_EYES, setting);
    const first = run.approval();
    run.crash().decide([{ type: 'due' }]);
    expect([...run.state.approvals.values()]).toEqual([first]);
    expect(run.commits.flatMap((commit) => commit.approvals)).toEqual([]);
    expect(first.approvalId).toBe('ok');
  });

  it('A01 reaching an approved step again finds the decision: a retry of what was denied is denied', () => {
    // A01: "Reaching an approval step twice finds the same approval; one request, one notification."
    const text = workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'] }\n${PAY}`, 'onFailure: hold');
    const run = new Play(text, setting);
    run.vote('u2', 'deny');
    expect(run.state.status).toBe('HELD');
    expect(run.retry('ok')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('HELD');
    expect([...run.state.approvals.values()]).toMatchObject([{ approvalId: 'ok', state: 'denied' }]);
    expect(run.commits.at(-1)?.approvals).toEqual([]);
  });

  it('A01 another visit of the step is another question', () => {
    // A01: "Reaching an approval step twice finds the same approval; one request, one notification."
    const text = workflow(
      `  - { id: ok, approve: 'Again?', from: ['role:desk'] }\n  - { id: w, wait: 1h, next: ok, maxJumps: 3 }`,
    );
    const run = new Play(text);
    run.vote('u2', 'approve');
    run.wait('1h');
    run.vote('u2', 'approve');
    expect([...run.state.approvals.values()].map((row) => [row.approvalId, row.state])).toEqual([
      ['ok', 'approved'],
      ['ok.v1', 'approved'],
    ]);
  });

  it('A02 a vote is an append-only row, one per person, with the roles held when it arrived; quorum counts distinct people', () => {
    // A02: "A vote is an append-only row, one per person, with the roles held when it arrived."
    const run = new Play(TWO_EYES, setting);
    expect(run.vote('u2', 'approve', { roles: ['desk', 'lead'] })).toMatchObject({ outcome: 'applied' });
    expect(run.vote('u2', 'approve', { roles: ['desk'] })).toMatchObject({ outcome: 'duplicate' });
    expect(run.approval()).toMatchObject({ state: 'open', votes: [{ principal: 'u2', roles: ['desk', 'lead'] }] });
    expect(run.happened).toEqual([]);
    expect(run.vote('u3', 'approve', { roles: ['visitor'] })).toMatchObject({
      outcome: 'refused',
      code: 'not-eligible',
    });
    expect(run.vote('u3', 'approve')).toMatchObject({ outcome: 'applied' });
    expect(run.commits.flatMap((commit) => commit.votes).map(({ vote }) => vote.principal)).toEqual(['u2', 'u3']);
    expect(run.happened).toEqual(['do.a']);
  });

  it('A03 whoever is in except (default: who started the run) cannot vote: 403 naming the rule', () => {
    // A03: "Whoever is in `except` (default: who started the run) cannot vote: 403 naming the rule."
    const run = new Play(TWO_EYES, setting);
    expect(run.vote('u1', 'approve')).toMatchObject({
      outcome: 'refused',
      code: 'except',
      detail: { rule: 'A03', principal: 'u1' },
    });
    expect(run.approval().votes).toEqual([]);
    const open = new Play(workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'], except: [] }`), setting);
    expect(open.vote('u1', 'approve')).toMatchObject({ outcome: 'applied' });
    expect(open.output('ok')).toMatchObject({ decision: 'approved', votes: [{ principal: 'u1' }] });
  });

  it('A04 the effect’s request is computed when the approval is asked, shown as its subject, and its hash is what people approve', () => {
    // A04: "`authorizedBy: D`: the effect's request is computed when D is asked, shown as its subject, and its hash is what people approve."
    const run = new Play(TWO_EYES, setting);
    const { subject, subjectHash, authorizes } = run.approval();
    expect(subject).toMatchObject({
      subject: { amount: 5 },
      effects: [{ step: 'pay', action: 'do.a', request: { with: { amount: 5 } } }],
    });
    expect(subjectHash).toBe(hashJson(subject));
    expect(run.rowOf('pay')).toMatchObject({ state: 'PROPOSED', requestHash: authorizes[0]?.requestHash });
    expect(run.vote('u2', 'approve', { subjectHash: '0'.repeat(64) })).toMatchObject({
      outcome: 'stale',
      detail: { subjectHash },
    });
    expect(run.approval().votes).toEqual([]);
  });

  it('A04 another request later: failure unauthorized, never sent', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    const text = workflow(
      `${DESK.replace('quorum: 2, denials: 2', 'quorum: 1')}
  - { id: s, set: { n: 2 } }
  - { id: pay, call: do.a, with: { n: =vars.n }, authorizedBy: ok }`,
      'vars: { n: { type: integer, default: 1 } }',
    );
    const run = new Play(text, setting);
    run.vote('u2', 'approve');
    expect(run.calls).toEqual([]);
    expect(run.ledger()).toEqual({ pay: 'CANCELLED' });
    expect(run.head().failure).toMatchObject({ code: 'unauthorized', step: 'pay' });
    expect(run.state.status).toBe('FAILED');
  });

  it('A05 the decision is made in the commit that also authorizes the target and moves the run: at quorum approvals', () => {
    // A05: "… The decision is made by the run's decider in the commit that also authorizes the target and moves the run …"
    const run = new Play(TWO_EYES, setting);
    run.vote('u2', 'approve');
    const before = run.commits.length;
    run.vote('u3', 'approve');
    const commit = run.commits[before];
    expect(commit?.approvals).toMatchObject([{ state: 'approved' }]);
    expect(commit?.effects).toMatchObject([
      { expect: { state: 'PROPOSED' }, effect: { state: 'REQUESTED', approvalId: 'ok' } },
    ]);
    expect(commit?.transitions).toHaveLength(1);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('A05 at denials denials; the target is refused', () => {
    // A05: "… The decision is made by the run's decider in the commit that also authorizes the target and moves the run …"
    const run = new Play(TWO_EYES, setting);
    run.vote('u2', 'deny');
    expect(run.approval().state).toBe('open');
    run.vote('u3', 'deny');
    expect(run.ledger()).toEqual({ pay: 'REFUSED' });
    expect(run.head().failure).toMatchObject({ code: 'denied', step: 'ok' });
  });

  it('A05 or when the quorum can no longer be met', () => {
    // A05: "… or when the quorum can no longer be met."
    const text = workflow(
      `  - { id: ok, approve: 'Pay?', from: ['user:u1', 'user:u2', 'user:u3'], quorum: 2, denials: 2 }`,
    );
    const run = new Play(text, setting);
    // u1 started the run, so u2 and u3 are all there are: one denial decides.
    run.vote('u2', 'deny');
    expect(run.approval().state).toBe('denied');
    const impossible = workflow(`  - { id: ok, approve: 'Pay?', from: ['user:u1', 'user:u2'], quorum: '\${ 1 + 1 }' }`);
    expect(new Play(impossible, setting).approval().state).toBe('denied');
  });

  it('A05 the same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it', () => {
    // A05: "The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    const run = new Play(TWO_EYES, setting);
    run.vote('u2', 'approve');
    expect(run.vote('u2', 'approve')).toMatchObject({
      outcome: 'duplicate',
      code: null,
      detail: { votes: [{ principal: 'u2' }] },
    });
    expect(run.vote('u2', 'deny')).toMatchObject({ outcome: 'already-decided', code: 'voted' });
    run.vote('u3', 'approve');
    expect(run.vote('u4', 'deny')).toMatchObject({
      outcome: 'already-decided',
      code: 'decided',
      detail: { decision: 'approved' },
    });
    expect(run.happened).toEqual(['do.a']);
  });

  it('A05 a vote that came to nothing is not told again as if it counted', () => {
    // A05: "The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    const run = new Play(TWO_EYES, setting);
    run.vote('u2', 'approve');
    run.cancel();
    expect(run.vote('u2', 'approve')).toMatchObject({
      outcome: 'already-decided',
      code: 'decided',
      detail: { decision: 'cancelled' },
    });
  });

  it('A06 expiry, decision and cancel are ordered by the run’s commits: exactly one is applied, the others are answered with it', () => {
    // A06: "Expiry, decision and cancel are ordered by the run's commits: exactly one is applied, the others are answered with it."
    const expired = new Play(ONE, setting);
    expired.wait('2m');
    expect(expired.head().failure).toMatchObject({ code: 'expired', step: 'ok' });
    expect(expired.vote('u2', 'approve')).toMatchObject({
      outcome: 'already-decided',
      code: 'expired',
      detail: { decision: 'expired' },
    });
    const decided = new Play(ONE, setting);
    const [firing] = [
      decided.row('timer', 't', { type: 'timer', name: 'ok:expires', generation: 1, dueAtMs: decided.nowMs + 60_000 }),
    ];
    decided.vote('u2', 'approve');
    expect(decided.deliver(firing)).toMatchObject({ outcome: 'ended' });
    expect(decided.happened).toEqual(['do.a']);
    const cancelled = new Play(ONE, setting);
    cancelled.cancel();
    expect(cancelled.vote('u2', 'approve')).toMatchObject({
      outcome: 'already-decided',
      detail: { decision: 'cancelled' },
    });
    expect(cancelled.happened).toEqual([]);
  });

  it('A06 a vote that arrived before the due time goes before the expiry, however late both are looked at', () => {
    // A06: "A vote that arrived before the due time goes before the expiry."
    const run = new Play(ONE, setting);
    const vote = run.voteRow('u2', 'approve', { atMs: run.nowMs + 59_999 });
    run.sleep('1h');
    run.decide([...run.dueTimers(), { type: 'inbox', event: vote }]);
    expect(run.approval().state).toBe('approved');
  });

  it('A06 a vote that decides goes before an expiry that some process has fired already', () => {
    // A06: "A vote that arrived before the due time goes before the expiry."
    const run = new Play(ONE, setting);
    const vote = run.voteRow('u2', 'approve', { atMs: run.nowMs + 59_999 });
    run.sleep('1h');
    const fired = run.fire();
    const commits = run.decide([...fired, { type: 'inbox', event: vote }]);
    expect(commits.flatMap((commit) => commit.inbox).map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
    expect(run.approval().state).toBe('approved');
  });

  it('A06 an event that takes the step ends its approval: a vote that comes later is told so', () => {
    // A06: "A vote that arrived before the due time goes before the expiry."
    const text = workflow(
      `  - { id: ok, approve: 'Pay?', from: ['role:desk'], on: [{ event: stop, next: b }] }\n${PAY}\n  - { id: b, call: do.b }\n  - { id: w, wait: 1h }`,
      'events: { stop: {} }',
    );
    const run = new Play(text, setting);
    run.signal('stop');
    expect(run.ledger()).toEqual({ pay: 'CANCELLED', b: 'CONFIRMED' });
    expect(run.vote('u2', 'approve')).toMatchObject({ outcome: 'already-decided', detail: { decision: 'cancelled' } });
    expect(run.happened).toEqual(['do.b']);
  });

  it('expiry may approve, or wait for a person who asks again', () => {
    const yes = new Play(
      workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: 60s, onExpire: approve }`),
      setting,
    );
    expect(yes.wait('2m').output('ok')).toMatchObject({ decision: 'approved', votes: [] });
    const hold = new Play(
      workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: 60s, onExpire: hold }`),
      setting,
    );
    hold.wait('2m');
    expect(hold.state.status).toBe('HELD');
    expect(hold.incidents).toEqual(['expired']);
    expect(hold.vote('u2', 'approve')).toMatchObject({
      outcome: 'already-decided',
      code: 'expired',
      detail: { decision: 'held' },
    });
    expect(hold.retry('ok')).toMatchObject({ outcome: 'applied' });
    expect(hold.incidents).toEqual([]);
    expect(hold.vote('u2', 'approve')).toMatchObject({ outcome: 'applied' });
    expect(hold.state.status).toBe('COMPLETED');
  });

  it('a redo of the approved request after a refusal needs no second approval', () => {
    const text = workflow(`${DESK.replace('quorum: 2, denials: 2', 'quorum: 1')}\n${PAY}`, 'onFailure: hold');
    const run = new Play(text, { ...setting, script: { 'do.a': ['declined', 'ok'] } });
    run.vote('u2', 'approve');
    expect(run.state.status).toBe('HELD');
    run.retry('pay');
    expect(run.happened).toEqual(['do.a']);
    expect(run.rowOf('pay')).toMatchObject({ approvalId: 'ok', ingredients: { generation: 1 } });
  });

  it('47: an approval 5 s after its expiry is refused, also while no timer was fired', () => {
    const run = new Play(ONE, setting);
    run.sleep('65s');
    expect(run.vote('u2', 'approve')).toMatchObject({
      outcome: 'already-decided',
      code: 'expired',
      detail: { decision: 'expired' },
    });
    expect(run.happened).toEqual([]);
    expect(run.head().failure).toMatchObject({ code: 'expired' });
  });

  it('48: the person who asked does not also approve; with the rule off it is recorded as self-approval', () => {
    const run = new Play(ONE, setting);
    expect(run.vote('u1', 'approve')).toMatchObject({ outcome: 'refused', code: 'except' });
    expect(run.state.status).toBe('WAITING');
    expect(run.head().needs).toEqual(['approval:decision']);
  });

  it('49: yes and no at the same time: exactly one is applied, the other is told the stored decision, the step after runs once', () => {
    for (const first of ['approve', 'deny'] as const) {
      const run = new Play(ONE, setting);
      const yes = run.voteRow('u2', first);
      const no = run.voteRow('u3', first === 'approve' ? 'deny' : 'approve');
      const [commit] = run.decide([
        { type: 'inbox', event: yes },
        { type: 'inbox', event: no },
      ]);
      run.drive();
      expect(commit?.inbox.map((answer) => answer.outcome)).toEqual(['applied', 'already-decided']);
      expect(commit?.inbox[1]?.detail).toMatchObject({ decision: first === 'approve' ? 'approved' : 'denied' });
      expect(run.happened).toEqual(first === 'approve' ? ['do.a'] : []);
    }
  });
});
