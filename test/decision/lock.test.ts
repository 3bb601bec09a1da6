import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { InboxPayload } from '../../src/model/inbox-event.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { LockPlace } from '../../src/model/lock.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, T0 } from './support/play.ts';

const GATED = `
pawl: 1
workflow: gated
version: 1
timeout: 1h
lock: gate
actions:
  bank.note: { http: { method: POST, url: 'http://127.0.0.1:9/note' }, idempotency: natural, compensate: none }
steps:
  - { id: note, call: bank.note }
`;

const grant = { type: 'lock.granted', lock: 'gate' } as const;

/** The run hears of something, and nothing else happens. @returns what the sender is told. */
function hear(run: Play, eventId: string, payload: InboxPayload): string | undefined {
  const made = run.decide([{ type: 'inbox', event: run.row('test', eventId, payload) }]);
  return made.flatMap(({ inbox }) => inbox).find((answer) => answer.eventId === eventId)?.outcome;
}

describe('a run with a lock', () => {
  it('QUEUED: waits before its first step, and begins when its turn comes', () => {
    const run = new Play(GATED);
    expect([run.state.status, run.state.phase, run.state.effects.size]).toEqual(['QUEUED', 'forward', 0]);
    run.decide([{ type: 'due' }]);
    run.decide([{ type: 'resumed' }]);
    expect(run.state.status).toBe('QUEUED');
    expect(run.commits.at(-1)?.lease).toEqual({ kind: 'release', wakeSeen: null, readyAtMs: null });
    expect(hear(run, 'gate', grant)).toBe('applied');
    expect([run.state.status, run.state.effects.size]).toEqual(['RUNNING', 1]);
  });

  it('QUEUED: begins once, however often it is told', () => {
    const run = new Play(GATED);
    hear(run, 'gate', grant);
    const { revision } = run.state;
    expect(hear(run, 'again', grant)).toBe('ended');
    expect(run.state.revision).toBe(revision);
  });

  it('QUEUED: cancelled in the queue it ends without effect, and hears of its turn in vain', () => {
    const run = new Play(GATED);
    hear(run, 'c', { type: 'cancel', by: 'ana', reason: 'no' });
    expect([run.state.status, run.state.effects.size]).toEqual(['CANCELLED', 0]);
    expect(hear(run, 'gate', grant)).toBe('ended');
    expect(run.state.status).toBe('CANCELLED');
  });
});

describe('the invariant of a lock', () => {
  const place: LockPlace & { readonly name: string } = {
    runId: 'x' as RunId,
    runPart: 0,
    limit: 1,
    startedAtMs: T0,
    slot: 1,
    grantedAtMs: T0,
    name: 'gate',
  };
  const told = (run: Play, more: Partial<ReturnType<typeof checkedRun>>): readonly string[] => {
    const checked = checkedRun(run);
    const locked = { ...checked, run: { ...checked.run, lock: { name: 'gate', limit: 1 } } };
    return findFaults({ ...locked, ...more }, T0).map(({ check, what }) => `${check}: ${what}`);
  };

  it('QUEUED: a run that waits has its place, or is looked after', () => {
    const run = new Play(GATED);
    expect(told(run, { place: { ...place, slot: null, grantedAtMs: null }, wakeUp: null })).toEqual([]);
    expect(told(run, { place: null })).toEqual([]);
    expect(told(run, { place: null, wakeUp: null })).toEqual([
      'lock: the run waits for it and has no place in its queue',
    ]);
  });

  it('QUEUED: a run that has begun holds its slot to its end', () => {
    const run = new Play(GATED);
    hear(run, 'gate', grant);
    const without = 'lock: the run has begun, does not hold it and goes on';
    expect(told(run, { place })).toEqual([]);
    expect(told(run, { place: null })).toEqual([without]);
    expect(told(run, { place: { ...place, slot: null } })).toEqual([without]);
    run.drive();
    expect(run.state.status).toBe('COMPLETED');
    expect(told(run, { place: null })).toEqual([]);
  });

  it('QUEUED: an order undoes what a run has done without waiting for its lock again', () => {
    const run = new Play(GATED.replace('natural, compensate: none', 'natural, compensate: { call: bank.note }'));
    hear(run, 'gate', grant);
    run.drive();
    const stale = run.compensate('0'.repeat(64));
    const { planHash = null } = (stale?.detail ?? {}) as { planHash?: string };
    hear(run, 'c', { type: 'compensate', by: 'ana', reason: 'no', planHash });
    expect(run.state.status).toBe('COMPENSATING');
    expect(told(run, { place: null })).toEqual([]);
  });
});
