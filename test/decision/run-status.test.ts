import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  finalStatus,
  isDue,
  type LiveRun,
  liveStatus,
  needsOf,
  nextDueAtMs,
  standingOf,
} from '../../src/decision/run-status.ts';
import type { Approval } from '../../src/model/approval.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Incident } from '../../src/model/run.ts';
import { EFFECT_STATES, type EffectState, END_STATUSES } from '../../src/model/statuses.ts';
import { authorized, authorizedUndo, T0 } from './ledger-fixtures.ts';

const row = (state: EffectState, patch: Partial<Effect> = {}): Effect => ({ ...authorized(), state, ...patch });
const undo = (state: EffectState, forward = authorized()): Effect => ({ ...authorizedUndo(forward.key), state });
const INCIDENT: Incident = {
  id: 'unknown:x',
  kind: 'unknown',
  sinceMs: T0,
  step: 'charge',
  effectKey: null,
  message: '',
  from: [],
  acts: [],
};
const READ = { attempts: 1, firstAtMs: T0, notBeforeMs: null, serial: 1, closed: false };
const live = (patch: Partial<LiveRun> = {}) =>
  liveStatus({ phase: 'forward', effects: [], incidents: [], reads: {}, hasEvents: false, nowMs: T0, ...patch });

describe('the final status', () => {
  it('R25: it follows from the end that the machine reached and the ledger alone', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const nothing: Effect[] = [row('CONFIRMED'), row('FAILED'), row('ABSENT')];
    expect(finalStatus({ kind: 'done' }, nothing)).toBe('COMPLETED');
    expect(finalStatus({ kind: 'failed' }, nothing)).toBe('FAILED');
    expect(finalStatus({ kind: 'failed' }, [row('CONFIRMED'), undo('CONFIRMED')])).toBe('COMPENSATED');
    expect(finalStatus({ kind: 'failed' }, [row('CONFIRMED'), undo('CONFIRMED'), undo('WAIVED')])).toBe(
      'COMPENSATED_WITH_ERRORS',
    );
    expect(finalStatus({ kind: 'ordered' }, [undo('CONFIRMED')])).toBe('COMPENSATED');
    expect(finalStatus({ kind: 'ordered' }, [undo('WAIVED')])).toBe('COMPENSATED_WITH_ERRORS');
    expect(finalStatus({ kind: 'ordered' }, nothing)).toBe('FAILED');
    expect(finalStatus({ kind: 'cancelled' }, [undo('CONFIRMED'), undo('WAIVED')])).toBe('CANCELLED');
    expect(finalStatus({ kind: 'terminated' }, [row('CONFIRMED')])).toBe('TERMINATED');
  });

  it('is not that of a run that was undone, where a child has left something', () => {
    const left = (status: string, names: Json, action = 'part@1'): Effect => ({
      ...row('FAILED', { failureClass: 'child', output: { status, ...(names as JsonObject) } }),
      action,
    });
    const failed = { kind: 'failed' } as const;
    for (const status of ['TERMINATED', 'COMPENSATED_WITH_ERRORS'])
      for (const names of [
        { standing: ['a'], unknown: [] },
        { standing: [], unknown: ['a'] },
      ]) {
        const child = left(status, names);
        expect(finalStatus(failed, [child])).toBe('COMPENSATED_WITH_ERRORS');
        expect(finalStatus(failed, [undo('CONFIRMED'), child])).toBe('COMPENSATED_WITH_ERRORS');
        expect(finalStatus({ kind: 'done' }, [child])).toBe('COMPLETED');
      }
    expect(finalStatus(failed, [left('TERMINATED', { standing: [], unknown: [] })])).toBe('FAILED');
    expect(finalStatus(failed, [left('COMPENSATED', { standing: ['a'], unknown: [] })])).toBe('FAILED');
    expect(finalStatus(failed, [row('FAILED', { failureClass: 'child', output: null })])).toBe('FAILED');
    // Its undo that was refused waits for a person, who says what stands.
    expect(finalStatus(failed, [left('TERMINATED', { standing: ['a'] }, 'undo part@1')])).toBe('FAILED');
    expect(finalStatus(failed, [{ ...left('TERMINATED', { standing: ['a'] }), failureClass: 'rejected' }])).toBe(
      'FAILED',
    );
  });

  it('R25: every end over every ledger has one status, whatever the order of the rows', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const rows = fc.array(fc.tuple(fc.constantFrom(...EFFECT_STATES), fc.boolean()), { maxLength: 6 });
    const kind = fc.constantFrom('done', 'failed', 'cancelled', 'terminated', 'ordered');
    fc.assert(
      fc.property(kind, rows, (end, states) => {
        const ledger = states.map(([state, isUndo]) => (isUndo ? undo(state) : row(state)));
        const status = finalStatus({ kind: end as 'done' }, ledger);
        expect(END_STATUSES).toContain(status);
        expect(finalStatus({ kind: end as 'done' }, ledger.toReversed())).toBe(status);
      }),
    );
  });
});

describe('the status of a run that has not ended', () => {
  it('is RUNNING while an event is unconsumed or a row may be sent or is in flight', () => {
    expect(live({ hasEvents: true })).toBe('RUNNING');
    expect(live({ effects: [row('REQUESTED')] })).toBe('RUNNING');
    expect(live({ effects: [row('AUTHORIZED')] })).toBe('RUNNING');
    expect(live({ effects: [row('AUTHORIZED', { notBeforeMs: T0 })] })).toBe('RUNNING');
    expect(live({ effects: [row('UNKNOWN', { doubt: 'resend', notBeforeMs: T0 })] })).toBe('RUNNING');
    expect(live({ reads: { look: READ } })).toBe('RUNNING');
  });

  it('is WAITING while only the world can act: a not-before, a query, a timer, a decision', () => {
    expect(live()).toBe('WAITING');
    expect(live({ effects: [row('AUTHORIZED', { notBeforeMs: T0 + 1 })] })).toBe('WAITING');
    expect(live({ effects: [row('UNKNOWN', { doubt: 'query', notBeforeMs: T0 + 1 })] })).toBe('WAITING');
    expect(live({ effects: [row('PROPOSED')] })).toBe('WAITING');
    expect(live({ reads: { look: { ...READ, notBeforeMs: T0 + 1 } } })).toBe('WAITING');
    expect(live({ reads: { look: { ...READ, closed: true } } })).toBe('WAITING');
  });

  it('is HELD when an incident is open and nothing else can move', () => {
    expect(live({ incidents: [INCIDENT] })).toBe('HELD');
    expect(live({ incidents: [INCIDENT], effects: [row('UNKNOWN', { doubt: 'review' })] })).toBe('HELD');
    expect(live({ incidents: [INCIDENT], phase: 'compensating', effects: [undo('FAILED'), undo('PROPOSED')] })).toBe(
      'HELD',
    );
  });

  it('is not HELD while a row, a read or an event can still move', () => {
    expect(live({ incidents: [INCIDENT], hasEvents: true })).toBe('RUNNING');
    expect(live({ incidents: [INCIDENT], effects: [row('REQUESTED')] })).toBe('RUNNING');
    expect(live({ incidents: [INCIDENT], effects: [row('AUTHORIZED', { notBeforeMs: T0 + 5 })] })).toBe('WAITING');
    expect(live({ incidents: [INCIDENT], reads: { look: { ...READ, notBeforeMs: T0 + 5 } } })).toBe('WAITING');
  });

  it('is COMPENSATING from the settling of a failure until the last compensation', () => {
    expect(live({ phase: 'settling', effects: [row('REQUESTED')] })).toBe('COMPENSATING');
    expect(live({ phase: 'compensating', effects: [undo('UNKNOWN')] })).toBe('COMPENSATING');
    expect(live({ phase: 'compensating', incidents: [INCIDENT], hasEvents: true })).toBe('COMPENSATING');
  });

  it('R25: every live run has one status', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const state = fc.record({
      state: fc.constantFrom(...EFFECT_STATES),
      doubt: fc.constantFrom('resend', 'query', 'review', null),
      notBeforeMs: fc.constantFrom(null, T0 - 1, T0, T0 + 1),
    });
    const run = fc.record({
      phase: fc.constantFrom('forward', 'settling', 'compensating', 'finally', 'ended'),
      effects: fc.array(state, { maxLength: 4 }),
      held: fc.boolean(),
      hasEvents: fc.boolean(),
    });
    fc.assert(
      fc.property(run, ({ phase, effects, held, hasEvents }) => {
        const status = live({
          phase: phase as 'forward',
          effects: effects.map((patch) => row(patch.state, patch as Partial<Effect>)),
          incidents: held ? [INCIDENT] : [],
          hasEvents,
        });
        expect(['HELD', 'COMPENSATING', 'RUNNING', 'WAITING']).toContain(status);
        if (!held) expect(status).not.toBe('HELD');
      }),
    );
  });
});

describe('when a worker is wanted', () => {
  it('is the earliest not-before among rows and reads that a worker can act on', () => {
    const effects = [
      row('AUTHORIZED', { notBeforeMs: T0 + 9 }),
      row('UNKNOWN', { doubt: 'query', notBeforeMs: T0 + 5 }),
      row('UNKNOWN', { doubt: 'review', notBeforeMs: T0 + 1 }),
      row('CONFIRMED', { notBeforeMs: T0 + 2 }),
    ];
    expect(nextDueAtMs({ effects, reads: {}, nowMs: T0 })).toBe(T0 + 5);
    expect(nextDueAtMs({ effects, reads: { look: { ...READ, notBeforeMs: T0 + 3 } }, nowMs: T0 })).toBe(T0 + 3);
    expect(nextDueAtMs({ effects: [row('AUTHORIZED')], reads: {}, nowMs: T0 })).toBe(T0);
    expect(nextDueAtMs({ effects: [], reads: {}, nowMs: T0 })).toBeNull();
  });

  it('is due at its instant and not before', () => {
    expect(isDue(row('AUTHORIZED', { notBeforeMs: T0 }), T0)).toBe(true);
    expect(isDue(row('AUTHORIZED', { notBeforeMs: T0 + 1 }), T0)).toBe(false);
    expect(isDue(row('UNKNOWN', { doubt: 'review' }), T0)).toBe(false);
  });
});

describe('what a person is needed for', () => {
  it('is said in words, sorted and each once', () => {
    const approval = (state: Approval['state']) => ({ state }) as Approval;
    const incidents = [INCIDENT, { ...INCIDENT, kind: 'compensation' as const }, INCIDENT];
    expect(needsOf({ incidents }, [approval('open'), approval('denied')])).toEqual([
      'approval:decision',
      'incident:compensation',
      'incident:unknown',
    ]);
    expect(needsOf({ incidents: [] }, [approval('approved')])).toEqual([]);
    const paused = { by: 'ana', reason: 'odd', atMs: 0 };
    expect(needsOf({ incidents: [], paused }, [])).toEqual(['pause:resume']);
  });
});

describe('what stands', () => {
  it('is every confirmed effect that was not made good', () => {
    const charge = row('CONFIRMED');
    const ship = { ...authorized('ship'), state: 'CONFIRMED' as const };
    const failed = { ...authorized('other'), state: 'FAILED' as const };
    const nothingLast = { isLast: () => false };
    expect(standingOf([charge, ship, failed, undo('CONFIRMED', charge)], nothingLast)).toEqual([ship]);
    expect(standingOf([charge, undo('WAIVED', charge)], nothingLast)).toEqual([charge]);
  });

  it('is nothing that finally did', () => {
    const charge = row('CONFIRMED');
    const mail = { ...authorized('mail'), state: 'CONFIRMED' as const };
    expect(standingOf([charge, mail], { isLast: (step) => step === 'mail' })).toEqual([charge]);
  });
});
