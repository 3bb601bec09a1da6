import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/model/errors.ts';
import { begin, type House, openHouse, type Process, untilStatus } from './support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

const LOOP = `pawl: 1
workflow: saga
version: 1
timeout: 1h
events: { go: {} }
vars: { busy: { type: boolean, default: true } }
steps:
  - { id: begin, await: go, timeout: 30m }
  - { id: w, when: vars.busy, wait: 0s, next: w, maxJumps: 5000 }
`;

const commitsOf = (process: Process): number => process.watched.calls.filter(({ verb }) => verb === 'commit').length;
const order = { by: 'ana', reason: 'not wanted any more' };

/** The n-th commit of this process waits until it is let go. */
function holdCommit(process: Process, n: number): { readonly reached: Promise<void>; letGo(): void } {
  let letGo: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let seen = 0;
  process.watched.hooks = {
    around: async (verb, _args, run) => {
      if (verb === 'commit') seen += 1;
      if (verb !== 'commit' || seen !== n) return run();
      reach();
      await gone;
      return run();
    },
  };
  return { reached, letGo: () => letGo() };
}

/** Waits until an event of this process is stored. */
async function stored(process: Process): Promise<void> {
  while (!process.watched.calls.some(({ verb }) => verb === 'deliverAndClaim')) await process.watched.next();
}

/** Waits, call by call, until an event of a run has its answer. */
async function untilAnswered(process: Process, run: string, eventId: string): Promise<void> {
  for (;;) {
    const { inbox } = await process.app.history(run);
    if (inbox.some((event) => event.eventId === eventId && event.outcome !== null)) return;
    await process.watched.next();
  }
}

describe('a run that is busy with its own follow-up events', () => {
  it.each(['a worker', 'a visitor'])('R18 hears a cancel between two commits of %s', async (holder) => {
    // R18: "Cancel is an event; it is accepted or refused by the commit that consumes it."
    const process = await house.process();
    const other = await house.process();
    const run = await begin(process, LOOP);
    if (holder === 'a worker') await process.app.runWorker();
    const second = holdCommit(process, 2);
    const signalled = process.app.signal(run, {
      name: 'go',
      data: {},
      source: 'cli',
      eventId: null,
      by: 'ana',
      waitMs: 0,
    });
    await second.reached;
    const cancelled = other.app.cancel(run, order);
    await stored(other);
    second.letGo();
    expect(await cancelled).toMatchObject({ outcome: 'applied' });
    await signalled;
    const view = await untilStatus(process, run, 'CANCELLED');
    // 5 000 jumps are 79 commits of follow-up events.
    expect(commitsOf(process)).toBeLessThan(8);
    expect(view.failure).toMatchObject({ code: 'cancelled' });
  });

  it('V11 a cancel whose sender has gone is answered by name in the history of the run', async () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    const process = await house.process();
    const other = await house.process();
    const run = await begin(process, LOOP.replace('next: w, maxJumps: 5000', 'next: end'));
    const last = holdCommit(process, 1);
    const signalled = process.app.signal(run, {
      name: 'go',
      data: {},
      source: 'cli',
      eventId: null,
      by: 'ana',
      waitMs: 0,
    });
    await last.reached;
    void other.app.cancel(run, { ...order, eventId: 'c1' });
    await stored(other);
    other.kill();
    last.letGo();
    await signalled;
    await process.app.runWorker();
    await untilAnswered(process, run, 'c1');
    const { inbox } = await process.app.history(run);
    expect(inbox.find(({ eventId }) => eventId === 'c1')).toMatchObject({ outcome: 'refused', code: 'ended' });
  });

  it('A look for news that fails takes nothing back of what a process without a worker has committed', async () => {
    const process = await house.process();
    const run = await begin(process, LOOP.replace('maxJumps: 5000', 'maxJumps: 100'));
    let isBroken = false;
    process.watched.hooks = {
      around: async (verb, _args, act) => {
        if (verb !== 'drain' || isBroken) return act();
        isBroken = true;
        throw new StoreError('PAWL_STORE_UNAVAILABLE', 'the connection broke while reading');
      },
    };
    const told = await process.app.signal(run, {
      name: 'go',
      data: {},
      source: 'cli',
      eventId: null,
      by: 'ana',
      waitMs: 5_000,
    });
    expect([isBroken, told.outcome]).toEqual([true, 'applied']);
    await untilStatus(process, run, 'FAILED');
    const events = process.logger.lines.map(({ event }) => event);
    expect(events).toContain('run.unheard');
    expect(events).not.toContain('run.dropped');
  });
});
