import { describe, expect, it } from 'vitest';
import { Play, workflow } from './support/play.ts';

const ACTIONS = [
  '  ask.it: { function: ask-it@1, idempotency: none, settlesWithin: 1m, reconcile: { function: ask-it@1, absent: final, every: 1m }, compensate: none }',
  '  tell.it: { function: tell-it@1, idempotency: none, settlesWithin: 1m, compensate: none }',
].join('\n');
const asking = workflow('  - { id: a, call: ask.it }\n  - { id: b, call: do.b }', ACTIONS);
const telling = workflow('  - { id: a, call: tell.it }\n  - { id: b, call: do.b }', ACTIONS);

/** Lost commits had it done: the provider has it, and the ledger has never sent it. */
function doneBefore(run: Play): Play {
  run.provider.book.set(run.rowOf('a').key, { id: 'before' });
  return run;
}

describe('an effect that commits which the database has lost may have sent', () => {
  it('P14 is asked about before anything of it is sent, and goes on where it is found', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const run = doneBefore(new Play(asking, { script: { 'ask.it': ['forgotten', 'ok'] } })).drive();
    expect(run.rowOf('a')).toMatchObject({ state: 'CONFIRMED', output: { id: 'before' }, countedAttempts: 0 });
    expect(run.calls).toEqual(['do.b']);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('P14 is sent for the first time once it is found not to have happened, for good, and no retry is used up by that', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const run = new Play(asking, { script: { 'ask.it': ['forgotten', 'declined'] } }).drive();
    expect(run.rowOf('a')).toMatchObject({
      state: 'UNKNOWN',
      doubt: 'query',
      code: 'forgotten',
      firstRequestedAtMs: null,
    });
    run.wait('1m');
    expect(run.calls).toEqual([]);
    run.wait('2m');
    expect(run.calls).toEqual(['ask.it']);
    // What was never sent before has never been in doubt: a refusal of its first sending settles it.
    expect(run.rowOf('a')).toMatchObject({ state: 'FAILED', code: 'declined', countedAttempts: 1, everUnknown: false });
    expect(run.rowOf('a').clearedAtMs).toBeGreaterThan(run.state.run.startedAtMs);
  });

  it.each(['confirmed', 'absent'] as const)(
    'P14 a person says %s where nobody can be asked, and the run goes on',
    (as) => {
      // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
      const run = new Play(telling, { script: { 'tell.it': ['forgotten', 'ok'] } }).drive();
      expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
      expect(run.state.control.incidents).toMatchObject([{ kind: 'unknown', step: 'a' }]);
      expect(run.resolve(run.rowOf('a'), as)).toMatchObject({ outcome: 'refused', code: 'quarantine' });
      run.sleep('2m');
      expect(run.resolve(run.rowOf('a'), as, { output: { id: 'seen' } })).toMatchObject({ outcome: 'applied' });
      expect(run.state.status).toBe('COMPLETED');
      expect(run.calls).toEqual(as === 'confirmed' ? ['do.b'] : ['tell.it', 'do.b']);
    },
  );

  it('P14 a run that is cancelled meanwhile waits for what becomes of it, and sends nothing of it any more', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const run = new Play(telling, { script: { 'tell.it': ['forgotten', 'ok'] } }).drive();
    run.cancel();
    expect(run.state.phase).toBe('settling');
    run.sleep('2m');
    run.resolve(run.rowOf('a'), 'absent');
    expect(run.rowOf('a').state).toBe('ABSENT');
    expect(run.state.status).toBe('CANCELLED');
    expect(run.calls).toEqual([]);
  });

  it('P14 a retry of what was sent before the window stays a later try: a refusal of it proves nothing', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    // E15: "Once an attempt was UNKNOWN, `rejected` from a later attempt settles the row only if …"
    const text = asking.replace('call: ask.it', 'call: ask.it, retry: { attempts: 3, delay: 1m }');
    const run = new Play(text, { script: { 'ask.it': ['refused', 'forgotten', 'declined'] } }).drive();
    run.wait('5m');
    expect(run.rowOf('a')).toMatchObject({ everUnknown: true, code: 'declined', state: 'UNKNOWN' });
  });
});

describe('what recovery mode holds back', () => {
  it.each(['lookup', 'none'])(
    'P14 is put in doubt by whoever says that it happened, and never fails by that (%s)',
    (kind) => {
      // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
      const [text, action] = kind === 'none' ? [telling, 'tell.it'] : [asking, 'ask.it'];
      const run = new Play(text, { script: { [action]: ['held-back', 'ok'] } }).drive();
      expect(run.rowOf('a')).toMatchObject({ state: 'AUTHORIZED', code: 'recovery' });
      expect(run.resolve(run.rowOf('a'), 'absent')).toMatchObject({ outcome: 'refused', code: 'not-in-doubt' });
      expect(run.resolve(run.rowOf('a'), 'confirmed')).toMatchObject({ outcome: 'applied', code: 'doubted' });
      expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review', code: 'forgotten' });
      expect(run.state.status).toBe('HELD');
      expect(run.commits.at(-1)?.observations).toMatchObject([{ source: 'late-word' }]);
      run.sleep('2m');
      expect(run.resolve(run.rowOf('a'), 'confirmed', { output: { id: 'seen' } })).toMatchObject({
        outcome: 'applied',
      });
      expect(run.rowOf('a').state).toBe('CONFIRMED');
      expect([run.state.status, run.calls]).toEqual(['COMPLETED', ['do.b']]);
    },
  );

  it('P14 is asked about by order where it can be, and only there', () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const order = (run: Play) => run.act({ type: 'reconcile', effectKey: run.rowOf('a').key, by: 'op' });
    const found = doneBefore(new Play(asking, { script: { 'ask.it': ['held-back', 'ok'] } })).drive();
    expect(order(found)).toMatchObject({ outcome: 'applied' });
    expect([found.state.status, found.calls]).toEqual(['COMPLETED', ['do.b']]);
    const unasked = new Play(telling, { script: { 'tell.it': ['held-back', 'ok'] } }).drive();
    expect(order(unasked)).toMatchObject({ outcome: 'refused', code: 'no-reconcile' });
    expect(unasked.rowOf('a').state).toBe('AUTHORIZED');
  });
});
