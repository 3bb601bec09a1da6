import { describe, expect, it } from 'vitest';
import { Play, workflow } from './support/play.ts';

const ASK = "{ id: ok, approve: 'Pay?', from: ['role:desk']";
const VARS = 'vars: { n: { type: integer, default: 0 } }';
const REFUSED = { code: 'unauthorized', step: 'pay' };

describe('a call that people authorize', () => {
  it('A04 is sent for the visit that they were asked about, not for the next', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    const text = workflow(`
  - ${ASK} }
  - { id: pay, call: do.a, authorizedBy: ok }
  - { id: more, wait: 1m, next: pay, maxJumps: 1 }`);
    const run = new Play(text);
    run.vote('ann', 'approve');
    run.wait('1m');
    expect(run.head().failure).toMatchObject(REFUSED);
    expect(run.happened).toEqual(['do.a', 'undo.a']);
  });

  it('A04 is not sent when they said no, though the flow goes on', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    const text = workflow(
      `  - ${ASK}, catch: [{ on: [denied], do: [] }] }\n  - { id: pay, call: do.a, authorizedBy: ok }`,
    );
    const run = new Play(text);
    run.vote('ann', 'deny');
    expect(run.head().failure).toMatchObject(REFUSED);
    expect([run.rowOf('pay').state, run.calls]).toEqual(['REFUSED', []]);
  });

  it('A04 is not sent when its request is another by now, nor when a person has it tried again', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    const text = workflow(
      `
  - ${ASK} }
  - { id: s, set: { n: 2 } }
  - { id: pay, call: do.a, with: { n: =vars.n }, authorizedBy: ok }`,
      `${VARS}\nonFailure: hold`,
    );
    const run = new Play(text);
    run.vote('ann', 'approve');
    expect([run.rowOf('pay').state, run.state.status]).toEqual(['CANCELLED', 'HELD']);
    expect(run.retry('pay')).toMatchObject({ outcome: 'applied' });
    expect(run.state.control.incidents).toMatchObject([{ kind: 'failure', step: 'pay' }]);
    expect([run.state.effects.size, run.calls]).toEqual([1, []]);
  });

  it('A05 is sent once when people are asked about it twice before it comes', () => {
    // A05: "The decision is made by the run's decider in the commit that also authorizes the target and moves the run"
    const text = workflow(
      `
  - id: fork
    choose:
      - else:
          - ${ASK} }
          - { id: back, when: vars.n < 1, set: { n: '\${ vars.n + 1 }' }, next: ok, maxJumps: 2 }
  - { id: pay, call: do.a, authorizedBy: ok }`,
      VARS,
    );
    const run = new Play(text);
    run.vote('ann', 'approve');
    expect([run.rowOf('pay').state, run.state.approvals.size]).toEqual(['AUTHORIZED', 2]);
    run.vote('bob', 'approve');
    expect([run.state.status, run.calls, run.state.effects.size]).toEqual(['COMPLETED', ['do.a'], 1]);
  });

  const twice = (more: string): string => `
  - id: fork
    choose:
      - else:
          - ${ASK}${more}, catch: [{ on: [denied], do: [] }] }
          - { id: back, when: vars.n < 1, set: { n: '\${ vars.n + 1 }' }, next: ok, maxJumps: 2 }
  - { id: pay, call: do.a, with: { amount: 1 }, authorizedBy: ok }`;
  const FORM = ', form: { type: object, properties: { amount: { type: integer } } }';

  it('A04 is not sent when those who are asked again say no to what was approved before', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    for (const form of ['', FORM]) {
      const run = new Play(workflow(twice(form), VARS));
      run.vote('ann', 'approve');
      expect(run.rowOf('pay').state).toBe('AUTHORIZED');
      run.vote('bob', 'deny');
      expect(run.head().failure).toMatchObject(REFUSED);
      expect([run.rowOf('pay').state, run.calls]).toEqual(['CANCELLED', []]);
    }
  });

  it('A04 is not sent when those who are asked again say yes to another request: the key has the old one', () => {
    // A04: "Another request later: failure `unauthorized`, never sent."
    const run = new Play(workflow(twice(FORM), VARS));
    run.vote('ann', 'approve', { form: { amount: 2 } });
    const { requestHash } = run.rowOf('pay');
    run.vote('bob', 'approve', { form: { amount: 3 } });
    expect(run.head().failure).toMatchObject(REFUSED);
    expect(run.rowOf('pay')).toMatchObject({ state: 'CANCELLED', requestHash });
    expect(run.calls).toEqual([]);
    const same = new Play(workflow(twice(FORM), VARS));
    for (const who of ['ann', 'bob']) same.vote(who, 'approve', { form: { amount: 2 } });
    expect([same.state.status, same.calls]).toEqual(['COMPLETED', ['do.a']]);
  });
});
