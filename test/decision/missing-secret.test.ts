import { describe, expect, it } from 'vitest';
import { SECRET_LOOK_MS } from '../../src/decision/missing-secret.ts';
import { Play, workflow } from './support/play.ts';

const LOOK = '  look.up: { function: look-up@1, effect: read, retry: { attempts: 2, delay: 10s } }';

/** One call whose secret is missing as often as its script says. */
function lacking(retry: string, ...words: readonly ('no-secret' | 'ok' | 'hang')[]): Play {
  return new Play(workflow(`  - { id: a, call: do.a, retry: ${retry} }`), { script: { 'do.a': words } }).drive();
}

/** How long until the row is sent again. */
function waitOf(run: Play): number {
  return (run.rowOf('a').notBeforeMs ?? Number.NaN) - run.nowMs;
}

describe('a secret that is missing', () => {
  it('E05 holds the run and says which, counts as no attempt, and is looked for at once when a person says so', () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`"
    const run = lacking('{ attempts: 3, delay: 1h }', 'no-secret', 'ok');
    expect(run.rowOf('a')).toMatchObject({ state: 'AUTHORIZED', attempt: 1, countedAttempts: 0 });
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'authorization', step: 'a', message: 'the secret token is missing here', acts: ['retry', 'terminate'] },
    ]);
    expect(run.retry('a')).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.incidents, run.calls]).toEqual(['COMPLETED', [], ['do.a']]);
  });

  it('is looked for by the waits of the policy, and every five minutes once its attempts are used up', () => {
    const run = lacking('{ attempts: 2, delay: 10s }', 'no-secret');
    expect(waitOf(run)).toBe(10_000);
    run.wait('10s');
    expect([run.rowOf('a').attempt, waitOf(run)]).toEqual([2, SECRET_LOOK_MS]);
    expect(run.incidents).toEqual(['authorization']);
  });

  it('is looked for every five minutes at the latest, however long the policy waits', () => {
    expect(waitOf(lacking('{ attempts: 9, delay: 1h }', 'no-secret'))).toBe(SECRET_LOOK_MS);
    expect(waitOf(lacking('{ attempts: forever, delay: 20s }', 'no-secret'))).toBe(20_000);
  });

  it('that is being looked for in this moment is left alone when a person says to look', () => {
    const run = lacking('{ attempts: 3, delay: 10s }', 'no-secret', 'hang').wait('10s');
    const asked = run.rowOf('a');
    expect(asked.state).toBe('REQUESTED');
    expect(run.retry('a')).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('a')).toEqual(asked);
  });

  it('of a read holds the run, too; a read before it is left as it is', () => {
    const text = workflow('  - { id: first, call: look.up }\n  - { id: r, call: look.up }', LOOK);
    const run = new Play(text, { script: { 'look.up': ['ok', 'no-secret', 'no-secret', 'ok'] } }).drive();
    const { first, r } = run.state.control.reads;
    expect(r).toMatchObject({ attempts: 0, notBeforeMs: run.nowMs + 10_000, lacks: { tries: 1 } });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['authorization']]);
    run.retry('r');
    expect(run.state.control.reads).toMatchObject({ first, r: { lacks: { tries: 2 } } });
    expect(run.state.control.reads['r']?.notBeforeMs).toBe(run.nowMs + SECRET_LOOK_MS);
    run.wait('5m');
    expect([run.state.status, run.incidents, run.calls.length]).toEqual(['COMPLETED', [], 2]);
  });

  it('of a run that has ended is nobody’s concern any more', () => {
    const run = lacking('{ attempts: 2 }', 'no-secret');
    run.terminate();
    expect([run.state.status, run.incidents]).toEqual(['TERMINATED', []]);
  });
});
