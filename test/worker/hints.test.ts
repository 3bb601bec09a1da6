import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/app/system-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Hearing } from '../../src/ports/store.ts';
import { begin, type House, openHouse, type Process, untilStatus } from '../engine/support/house.ts';
import { openTestStore, type TestStore } from '../support/postgres.ts';

let house: House;
let deaf: TestStore;
beforeAll(async () => {
  house = await openHouse();
  deaf = await openTestStore({ hintsUrl: null });
});
afterEach(() => house.rest());
afterAll(async () => {
  await house.close();
  await deaf.close();
});

/** Pauses of a worker that long are looks at what might be there: drain 100 ms, poll up to 1 s, beat and sweep. */
const LONG_MS = 100;
const LOOPS_PER_PART = 4;
const WORKFLOW =
  'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nevents: { item: { schema: { type: object } } }\n' +
  'actions:\n  ask: { function: ask@1, idempotency: { remembers: 24h }, input: {}, compensate: none }\n';

/** The system's clock, but who sleeps long is only woken by being rung: nothing is found by looking again. */
function sleepyClock(): Clock & { untilAsleep(sleepers: number): Promise<void> } {
  const clock = createSystemClock();
  let asleep = 0;
  let ring: () => void = () => undefined;
  return {
    ...clock,
    sleep: async (ms, signal) => {
      if (ms < LONG_MS || signal === undefined) return clock.sleep(ms, signal);
      asleep += 1;
      ring();
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      asleep -= 1;
    },
    untilAsleep: async (sleepers) => {
      while (asleep < sleepers)
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
    },
  };
}

interface Pair {
  readonly worker: Process;
  /** Another process, which has no worker. */
  readonly other: Process;
  /** Every loop of the worker sleeps. */
  readonly quiet: () => Promise<void>;
}

type Send = () => Promise<{ readonly done: true }>;

async function openPair(hints: 'on' | 'off', send: Send): Promise<Pair> {
  const clock = sleepyClock();
  const options = { functions: { 'ask@1': { send } }, numbers: { leaseMs: 60_000 } };
  const store = hints === 'on' ? house.store : deaf.store;
  const worker = await house.process({ ...options, store, ...(hints === 'on' ? { clock } : {}) });
  await worker.app.runWorker();
  const hearing = worker.watched.calls.find(({ verb }) => verb === 'listen')?.result as Hearing;
  await expect.poll(() => hearing.hears(), { interval: 5 }).toBe(hints === 'on');
  const quiet = (): Promise<void> =>
    hints === 'on' ? clock.untilAsleep(store.parts * LOOPS_PER_PART) : Promise.resolve();
  return { worker, other: await house.process({ ...options, store }), quiet };
}

const signal = (eventId: string) =>
  ({ name: 'item', data: {}, source: 'shop', eventId, by: 'shop', waitMs: 10_000 }) as const;

describe.each(['on', 'off'] as const)('with hints %s', (hints) => {
  it('W02 a signal that another process decides has the sleeping worker send what follows', async () => {
    // W02: "… The holder reads the wake-ups of its own leases (on NOTIFY, after each commit, at least every 100 ms) and drains the inbox between two decisions …"
    const { worker, other, quiet } = await openPair(hints, () => Promise.resolve({ done: true }));
    const run = await begin(
      other,
      `${WORKFLOW}steps:\n  - { id: item, await: item }\n  - { id: ask, call: ask, with: {} }\n`,
    );
    await quiet();
    expect(await other.app.signal(run, signal('e-1'))).toMatchObject({ outcome: 'applied' });
    const view = await untilStatus(worker, run, 'COMPLETED');
    expect(view.effects).toMatchObject([{ step: 'ask', state: 'CONFIRMED', attempt: 1 }]);
  });

  it('W02 a signal for a run that the worker holds is answered while its effect is in flight', async () => {
    // W02: "… also while an effect is in flight."
    let arrive: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let answer: () => void = () => undefined;
    const { worker, other, quiet } = await openPair(hints, () => {
      arrive();
      return new Promise((resolve) => {
        answer = () => resolve({ done: true });
      });
    });
    const run = await begin(
      worker,
      `${WORKFLOW}steps:\n  - { id: ask, call: ask, with: {} }\n  - { id: item, await: item }\n`,
    );
    await asked;
    await quiet();
    expect(await other.app.signal(run, signal('e-2'))).toMatchObject({ outcome: 'kept' });
    answer();
    await untilStatus(worker, run, 'COMPLETED');
  });
});
