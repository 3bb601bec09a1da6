import { describe, expect, it } from 'vitest';
import { pastOrderViews } from '../../src/engine/order-view.ts';
import { Play, planHash, T0, workflow } from './support/play.ts';

const PIVOT = workflow(
  '  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true, onUnknown: review }\n  - { id: w, wait: 1h }',
);

/** A cancel is recorded, because nobody knows yet whether the pivot happened; then an hour passes. */
function recorded(): Play {
  const run = new Play(PIVOT, { script: { 'do.b': ['lost-done'] } }).drive().wait('1m');
  expect(run.cancel()).toMatchObject({ outcome: 'kept', code: 'waits-for-pivot' });
  return run.wait('1h');
}

const MINUTE = 60_000;
const CANCEL = { act: 'cancel', by: 'op', reason: 'not wanted any more', atMs: T0 + MINUTE };

describe('orders that a run does not follow any more', () => {
  it('R18 a recorded cancel that lapses is remembered: whose, since when, and when and why it came to nothing', () => {
    // R18: "recorded; applies if the pivot fails, lapses if it is confirmed."
    const run = recorded();
    expect(pastOrderViews(run.state.control)).toEqual([]);
    run.resolve(run.rowOf('p'), 'confirmed', { output: {} });
    expect(run.state.control).toMatchObject({ cancelWaiting: null, order: null });
    expect(run.state.control.pastOrders).toEqual([{ ...CANCEL, end: 'pivot', endedAtMs: T0 + 61 * MINUTE }]);
    expect(pastOrderViews(run.state.control)).toEqual([
      {
        act: 'cancel',
        by: 'op',
        reason: 'not wanted any more',
        at: '2030-01-01T12:01:00.000Z',
        end: 'pivot',
        endedAt: '2030-01-01T13:01:00.000Z',
      },
    ]);
  });

  it('R24 that a run was terminated is remembered when its undo is ordered, and the cancel that had waited, too', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = recorded();
    run.terminate();
    expect(run.state.status).toBe('TERMINATED');
    run.resolve(run.rowOf('p'), 'rejected');
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.state.control.order).toMatchObject({ act: 'compensate' });
    expect(run.state.control.pastOrders).toEqual([
      { ...CANCEL, end: 'terminated', endedAtMs: T0 + 61 * MINUTE },
      {
        act: 'terminate',
        by: 'op',
        reason: 'enough',
        atMs: T0 + 61 * MINUTE,
        end: 'followed',
        endedAtMs: T0 + 61 * MINUTE,
      },
    ]);
  });
});
