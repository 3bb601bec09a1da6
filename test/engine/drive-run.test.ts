import { describe, expect, it } from 'vitest';
import type { Desk } from '../../src/engine/desk.ts';
import { driveRun, type Hand } from '../../src/engine/drive-run.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import { Play, T0, workflow } from '../decision/support/play.ts';

const ONE = workflow('  - { id: a, call: do.a }');

/** A hand that holds a run for a while, with a commit that takes 700 ms to get its turn. */
function handOf(run: Play, time: { ms: number }): Hand {
  const desk: Desk = {
    part: 0,
    canSend: () => true,
    nowMs: () => T0 + time.ms,
    commit: (commit) => {
      time.ms += 700;
      return Promise.resolve({ kind: 'applied', revision: commit.revision + commit.transitions.length, atMs: 0 });
    },
    gateFor: () => () => true,
    signal: new AbortController().signal,
    left: () => undefined,
  };
  const engine = {
    clock: { monotonicMs: () => time.ms, sleep: () => Promise.resolve() },
    actions: { missing: () => [] },
    numbers: numbersFor(30_000),
  };
  const version = { compiled: run.compiled, functions: [] };
  return { engine, desk, version, isBusy: () => true, wakeSeen: () => null } as unknown as Hand;
}

describe('one decision of a held run', () => {
  it('E06 a request counts from the database time of its own decision, not of the load before it', async () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const run = new Play(ONE, { canSend: false });
    const time = { ms: 60_000 };
    const driven = await driveRun(handOf(run, time), run.state, [{ type: 'due' }]);
    if (driven.kind !== 'kept') throw new Error('it left');
    expect(driven.orders.sends).toHaveLength(1);
    const [effect] = [...driven.state.effects.values()];
    expect(effect).toMatchObject({ state: 'REQUESTED', requestedAtMs: T0 + 60_000, sendByMs: T0 + 65_000 });
  });

  it('E05 the time to send counts from that decision too, however long the commit waited for its turn', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const run = new Play(ONE, { canSend: false });
    const driven = await driveRun(handOf(run, { ms: 60_000 }), run.state, [{ type: 'due' }]);
    expect(driven).toMatchObject({ kind: 'kept', decidedAtMs: 60_000 });
  });
});
