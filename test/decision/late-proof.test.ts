import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import type { InboxAnswer } from '../../src/model/run-commit.ts';
import { outcome } from './support/provider.ts';
import { Play, planHash, workflow } from './support/play.ts';

const TWO = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
const ASKED = workflow(
  '  - { id: a, call: ask.it, retry: { attempts: 3, delay: 1h } }',
  '  ask.it: { function: ask-it@1, idempotency: none, settlesWithin: 1m, reconcile: { function: ask-it@1, absent: final, every: 1m }, compensate: none }',
);

/** What a fenced worker had heard comes in: the run was never told by anybody else. */
function prove(
  run: Play,
  effect: Effect,
  more: { externalId?: string; observedBy?: 'response' | 'query' } = {},
): InboxAnswer | null {
  return run.deliver(
    run.row('late-answer', `${effect.key}:${more.externalId ?? 'x'}:${run.nowMs}`, {
      type: 'proof',
      effectKey: effect.key,
      turn: 'attempt:1:fence:1',
      observedBy: more.observedBy ?? 'response',
      message: 'confirmed',
      output: { id: 'late' },
      externalId: more.externalId ?? null,
      resultBase64: '',
    }),
  );
}

describe('a proof that comes late with the inbox', () => {
  it('E08 a proof filed by a fenced worker about a row taken for failed holds the run that has ended, and it goes back to its end', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(TWO, { script: { 'do.b': ['declined'] } }).drive();
    const { endedAtMs } = run.state;
    const b = run.rowOf('b');
    expect(prove(run, b)).toMatchObject({ outcome: 'applied', consumed: true });
    expect(run.commits.at(-1)?.observations).toMatchObject([
      { effectKey: b.key, source: 'late-answer', sourceId: 'attempt:1:fence:1', detail: { kind: 'confirmed' } },
    ]);
    expect(run.rowOf('b')).toEqual(b);
    expect(run.state).toMatchObject({ status: 'HELD', phase: 'ended', endedAtMs });
    expect(run.head().needs).toEqual(['incident:late-proof']);
    // It shows HELD, so nobody is told that it has ended: what there is to do is named instead.
    for (const answer of [run.cancel(), run.terminate()])
      expect(answer).toMatchObject({ outcome: 'refused', code: 'held-at-end' });
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'late-proof', step: 'b', from: ['role:operator'], acts: ['confirmed', 'rejected'] },
    ]);
    expect(run.resolve(b, 'rejected')).toMatchObject({ outcome: 'applied' });
    expect(run.state).toMatchObject({ status: 'COMPENSATED', endedAtMs });
    expect(run.head().needs).toEqual([]);
  });

  it('E08 confirmed by the person, its compensation is proposed and waits for a person', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(TWO, { script: { 'do.b': ['declined'] } }).drive();
    const b = run.rowOf('b');
    prove(run, b);
    run.resolve(b, 'confirmed', { output: { id: 'late' } });
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['compensate', 'waived'] }]);
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'undo.a', 'undo.b']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('E08 a proof about a row in doubt settles it with what was observed, and nothing is sent or asked again', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(TWO, { script: { 'do.a': ['lost-done', 'ok'] } }).drive();
    expect(run.rowOf('a').state).toBe('UNKNOWN');
    prove(run, run.rowOf('a'), { externalId: 'late' });
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', output: { id: 'late' }, externalId: 'late' });
    expect(run.stored.receipts[0]).toMatchObject({ observedBy: 'response', evidence: { late: 'attempt:1:fence:1' } });
    expect(run.calls).toEqual(['do.a', 'do.b']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('E08 a proof settles a row in review, and its incident is over', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const text = workflow('  - { id: a, call: do.a, onUnknown: review }');
    const run = new Play(text, { script: { 'do.a': ['lost-done'] } }).drive();
    expect(run.state.status).toBe('HELD');
    prove(run, run.rowOf('a'), { observedBy: 'query' });
    expect(run.stored.receipts[0]).toMatchObject({ observedBy: 'query' });
    expect(run.incidents).toEqual([]);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('E08 a proof about a row that is in flight again settles it, and the answer in flight is an observation', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(TWO, { script: { 'do.a': ['lost-done', 'hang'] } }).drive();
    run.wait('2s');
    const a = run.rowOf('a');
    expect(a).toMatchObject({ state: 'REQUESTED', attempt: 2 });
    prove(run, a);
    expect(run.rowOf('a').state).toBe('CONFIRMED');
    run.decide([{ type: 'attempt.settled', effectKey: a.key, attempt: 2, outcome: outcome('rejected') }]);
    expect(run.commits.at(-1)).toMatchObject({ effects: [], observations: [{ detail: { kind: 'rejected' } }] });
  });

  it('E08 a row that was to be sent again as not happened is never sent after a proof: a person says whether it counts', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(ASKED, { script: { 'ask.it': ['lost-not-done', 'ok'] } }).drive().wait('10m');
    expect(run.rowOf('a').state).toBe('AUTHORIZED');
    prove(run, run.rowOf('a'));
    expect(run.rowOf('a')).toMatchObject({ state: 'FAILED', code: 'late-proof' });
    expect(run.incidents).toEqual(['late-proof']);
    expect(run.wait('2h').calls).toEqual(['ask.it']);
    expect(run.state.status).toBe('HELD');
    expect(run.resolve(run.rowOf('a'), 'confirmed', { output: {} })).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('a').state).toBe('CONFIRMED');
  });

  it('E08 a row that was cancelled as not sent is named to a person, who lets it stand', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(ASKED, { script: { 'ask.it': ['lost-not-done'] } }).drive().wait('10m');
    run.cancel();
    expect(run.rowOf('a').state).toBe('CANCELLED');
    prove(run, run.rowOf('a'));
    expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['waived'] }]);
    expect(run.resolve(run.rowOf('a'), 'confirmed')).toMatchObject({ outcome: 'refused', code: 'not-a-late-proof' });
    expect(run.resolve(run.rowOf('a'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('CANCELLED');
  });

  it('E08 P14 a row that this ledger never sent, because another database had, is named to a person too', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    // P14: "A changed timeline or system identifier opens recovery mode"
    const asking = workflow(
      "  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: 1h }\n  - { id: a, call: do.a, authorizedBy: ok }",
    );
    for (const state of ['PROPOSED', 'REFUSED']) {
      const run = new Play(asking).drive();
      if (state === 'REFUSED') run.vote('ann', 'deny');
      expect(run.rowOf('a').state).toBe(state);
      prove(run, run.rowOf('a'));
      expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['waived'] }]);
      expect(run.state.status).toBe('HELD');
      expect(run.resolve(run.rowOf('a'), 'waived')).toMatchObject({ outcome: 'applied' });
      expect(run.state.status).not.toBe('HELD');
    }
  });

  it('E08 two answers that name different acts are told: it may have happened twice', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(TWO, { script: { 'do.a': ['lost-done', 'ok'] } }).drive();
    prove(run, run.rowOf('a'), { externalId: 'first' });
    prove(run, run.rowOf('a'), { externalId: 'first' });
    prove(run, run.rowOf('a'), { externalId: 'second', observedBy: 'query' });
    expect(run.incidents).toEqual([]);
    prove(run, run.rowOf('a'), { externalId: 'second' });
    expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['waived'] }]);
    expect(run.state.status).toBe('HELD');
    expect(run.resolve(run.rowOf('a'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPLETED');
  });

  it('E08 a proof about a refused compensation is answered by a person, and the plan goes on', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const text = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n  - { id: c, call: do.c }');
    const run = new Play(text, { script: { 'do.c': ['declined'], 'undo.b': ['declined'] } }).drive();
    prove(run, run.rowOf('b', 'undo'));
    expect(run.state.control.incidents.map(({ message }) => message).join()).toContain(
      'the undo of step b was taken for FAILED',
    );
    run.resolve(run.rowOf('b', 'undo'), 'confirmed', { output: {} });
    expect(run.incidents).toEqual([]);
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.a']);
  });

  it('E08 confirmed by the person while the run goes on, it stands in its ledger like any other', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const text = workflow(
      '  - { id: a, call: do.a, catch: [{ on: [any], do: [] }] }\n  - { id: w, wait: 1h }\n  - { id: b, call: do.b }',
    );
    const run = new Play(text, { script: { 'do.a': ['declined'], 'do.b': ['declined'] } }).drive();
    prove(run, run.rowOf('a'));
    run.resolve(run.rowOf('a'), 'confirmed', { output: { id: 'late' } });
    expect([run.rowOf('a').state, run.state.status, run.incidents]).toEqual(['CONFIRMED', 'WAITING', []]);
    run.wait('1h');
    expect([run.state.status, run.happened]).toEqual(['COMPENSATED', ['undo.a']]);
  });

  it('E08 confirmed by the person of a run whose undo cannot be computed, nothing is undone', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const text = workflow(
      '  - { id: a, call: do.a, compensate: { call: undo.a, with: { n: =effect.output.nowhere } } }\n  - { id: b, call: do.b }',
    );
    const run = new Play(text, { script: { 'do.b': ['declined'] } }).drive();
    prove(run, run.rowOf('b'));
    expect(run.incidents).toEqual(['compensation', 'late-proof']);
    run.resolve(run.rowOf('b'), 'confirmed', { output: { id: 'late' } });
    expect([run.state.status, run.incidents, run.happened]).toEqual(['HELD', ['compensation'], ['do.a']]);
    expect(run.rowOf('b').state).toBe('CONFIRMED');
  });

  it('E08 confirmed by the person while the run is undone, what cannot be undone by itself is named, and the rest is undone', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const blind = 'compensate: { call: undo.b, with: { n: =effect.output.nowhere } }';
    const text = workflow(
      `  - { id: a, call: do.a }\n  - { id: b, call: do.b, ${blind}, catch: [{ on: [any], do: [] }] }\n  - { id: c, call: do.c }`,
    );
    const script = { 'do.b': ['declined'], 'do.c': ['declined'], 'undo.a': ['declined', 'ok'] } as const;
    const run = new Play(text, { script }).drive();
    for (const step of ['b', 'c']) prove(run, run.rowOf(step));
    expect(run.incidents).toEqual(['compensation', 'late-proof', 'late-proof']);
    for (const step of ['b', 'c']) run.resolve(run.rowOf(step), 'confirmed', { output: { id: 'late' } });
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'late-proof', step: 'b', effectKey: run.rowOf('b').key, acts: ['waived'] },
      { kind: 'compensation', step: 'a' },
    ]);
    expect(run.state.control.incidents[0]?.message).toContain('its undo cannot be computed');
    run.resolve(run.rowOf('a', 'undo'), 'retry');
    expect(run.happened).toEqual(['do.a', 'undo.a', 'undo.c']);
    expect([run.state.phase, run.state.status, run.incidents]).toEqual(['ended', 'HELD', ['late-proof']]);
    expect(run.resolve(run.rowOf('b'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.incidents]).toEqual(['COMPENSATED', []]);
    expect(run.head().failure).toMatchObject({ standing: ['b'] });
  });
});

describe('a person against the ledger', () => {
  const REVIEWED = workflow(
    "  - { id: a, call: do.a }\n  - { id: b, call: do.b, onUnknown: review, review: { from: ['role:auditor'] } }",
  );

  /** Somebody has said that it did not happen, and the run has ended by that. */
  function denied(): Play {
    const run = new Play(REVIEWED, { script: { 'do.b': ['lost-done'] } }).drive().wait('1h');
    expect(run.resolve(run.rowOf('b'), 'rejected', { roles: ['auditor'] })).toMatchObject({ outcome: 'applied' });
    expect([run.rowOf('b').state, run.state.status]).toEqual(['FAILED', 'COMPENSATED']);
    return run;
  }

  it('E08 a second person who says that it did happen is heard: the run is held, an operator confirms, and it is undone', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = denied();
    const b = run.rowOf('b');
    expect(run.resolve(b, 'confirmed', { roles: ['auditor'], evidence: 'line 7 of the book' })).toMatchObject({
      outcome: 'applied',
      code: 'late-proof',
      detail: { state: 'FAILED' },
    });
    expect(run.rowOf('b')).toEqual(b);
    expect(run.commits.at(-1)).toMatchObject({
      observations: [{ effectKey: b.key, source: 'late-word', detail: { by: 'op', evidence: 'line 7 of the book' } }],
      audit: [{ act: 'resolve', target: b.key, reason: 'line 7 of the book' }],
    });
    expect(run.head()).toMatchObject({ status: 'HELD', needs: ['incident:late-proof'] });
    expect(run.state.control.incidents).toMatchObject([
      { step: 'b', acts: ['confirmed', 'rejected'], message: expect.stringContaining('line 7 of the book') },
    ]);
    run.resolve(b, 'confirmed', { output: { id: 'late' } });
    expect(run.state.control.incidents).toMatchObject([{ kind: 'late-proof', acts: ['compensate', 'waived'] }]);
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.happened]).toEqual(['COMPENSATED', ['do.a', 'do.b', 'undo.a', 'undo.b']]);
  });

  it('E08 nobody is heard without a role or without evidence, nor with any other word than "confirmed"', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = denied();
    const b = run.rowOf('b');
    expect(run.resolve(b, 'confirmed', { roles: [] })).toMatchObject({ code: 'not-eligible' });
    expect(run.resolve(b, 'confirmed', { evidence: ' ' })).toMatchObject({ code: 'evidence-missing' });
    expect(run.resolve(b, 'absent')).toMatchObject({ code: 'not-in-doubt' });
    expect(run.resolve(run.rowOf('a'), 'confirmed')).toMatchObject({ code: 'not-in-doubt' });
    expect([run.state.status, run.incidents]).toEqual(['COMPENSATED', []]);
  });

  it('E08 what is to be sent again because somebody said no is not sent once another one has said yes', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const run = new Play(ASKED, { script: { 'ask.it': ['lost-not-done', 'ok'] } }).drive().wait('10m');
    expect(run.rowOf('a').state).toBe('AUTHORIZED');
    expect(run.resolve(run.rowOf('a'), 'confirmed')).toMatchObject({ outcome: 'applied', code: 'late-proof' });
    expect([run.rowOf('a').state, run.incidents]).toEqual(['FAILED', ['late-proof']]);
    expect(run.wait('2h').calls).toEqual(['ask.it']);
    const fresh = new Play(ASKED, { canSend: false }).drive();
    expect(fresh.resolve(fresh.rowOf('a'), 'confirmed')).toMatchObject({ code: 'not-in-doubt' });
  });
});
