import { describe, expect, it } from 'vitest';
import { RefusedError, StoreError, UnknownOutcomeError } from '../../src/model/errors.ts';
import { NEVER, openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';

const SAGA = sagaOf('http://shop.test', ['charge']);
const AWAITING = [
  'pawl: 1',
  'workflow: awaiting',
  'version: 1',
  'timeout: 1h',
  'events: { paid: { schema: { type: object, properties: { n: { type: integer } } } } }',
  'steps:',
  '  - { id: money, await: paid, timeout: 30m }',
  '',
].join('\n');
const ACT = { by: 'ana', reason: 'not wanted', eventId: 'e-1' };

/** A run that waits for its event, and a process without a worker that tells it things. */
async function waiting(): Promise<SmallHouse & { readonly teller: SmallProcess; readonly run: string }> {
  const house = openSmallHouse();
  const teller = house.process({ works: false });
  return { ...house, teller, run: await house.begin(teller.verbs, AWAITING) };
}

const paid = (n: number, eventId = 'e-1') => ({
  name: 'paid',
  data: { n },
  source: 'bank',
  eventId,
  by: 'bank',
  waitMs: 0,
});

/** Has the answer of the first `times` deliveries lost, after they were stored. */
function loseAnswers({ watched }: SmallProcess, times: number): void {
  let lost = 0;
  watched.hooks = {
    around: async (verb, _args, run) => {
      const result = await run();
      if (verb !== 'deliverAndClaim' || lost >= times) return result;
      lost += 1;
      throw new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'reset');
    },
  };
}

describe('an event that is told to a run', () => {
  it('P17 of somebody else is decided by its holder, who writes the answer for the caller that waits', async () => {
    // P17: "If leased, the holder decides and writes outcome and code into the inbox row; the caller waits (2 s for decisions and orders, 0 for signals), trying the claim again, else gets 202."
    const { process, begin, settled } = openSmallHouse();
    const worker = process({ works: true, outside: { send: () => NEVER } });
    const teller = process({ works: false });
    const run = await begin(worker.verbs, SAGA);
    await expect(settled(teller.verbs.terminate(run, ACT))).resolves.toMatchObject({
      outcome: 'applied',
      again: false,
    });
    await expect(settled(teller.verbs.terminate(run, ACT))).resolves.toMatchObject({ outcome: 'applied', again: true });
  });

  it('P17 whose holder stands still is pending after two seconds, and is decided later', async () => {
    // P17: "the caller waits (2 s for decisions and orders, 0 for signals), trying the claim again, else gets 202."
    const { process, begin, settled, until, world, store } = openSmallHouse();
    const worker = process({ works: true, outside: { send: () => NEVER } });
    const teller = process({ works: false });
    const run = await begin(worker.verbs, SAGA);
    worker.pause(2_500);
    const askedAtMs = world.nowMs();
    await expect(settled(teller.verbs.terminate(run, ACT))).resolves.toMatchObject({ outcome: 'pending' });
    expect(world.nowMs() - askedAtMs).toBeGreaterThanOrEqual(2_000);
    expect(world.nowMs() - askedAtMs).toBeLessThan(2_200);
    await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'TERMINATED'));
  });

  it('P17 whose holder is dead is decided by the caller, who frees the run: no worker has to be there', async () => {
    // P17: "the same statement claims that run if it is free, and then the storer decides" and P03: "The sweep starts from leases whose seat is expired or missing."
    const { process, begin, settled, until, world, store } = openSmallHouse();
    const worker = process({ works: true, outside: { send: () => NEVER } });
    const run = await begin(worker.verbs, SAGA);
    await until(() => [...store.peek().runs.values()].some(({ effects }) => effects.size > 0));
    worker.kill();
    await world.run(() => false, world.nowMs() + 60_000);
    const teller = process({ works: false });
    await expect(settled(teller.verbs.terminate(run, ACT))).resolves.toMatchObject({ outcome: 'applied' });
    expect((await settled(teller.verbs.show(run))).status).toBe('TERMINATED');
  });

  it('P17 that is stored and not decided is told with its holder, in the answer, by show and by why', async () => {
    // P17: "the caller waits (2 s for decisions and orders, 0 for signals), trying the claim again, else gets 202."
    const { process, begin, settled } = openSmallHouse();
    const worker = process({ works: true, outside: { send: () => NEVER } });
    const teller = process({ works: false });
    const run = await begin(worker.verbs, SAGA);
    worker.pause(2_800);
    const told = await settled(teller.verbs.terminate(run, ACT));
    expect(told).toMatchObject({
      outcome: 'pending',
      detail: { holder: expect.any(String), until: expect.any(String) },
    });
    const stored = { kind: 'decision', by: ['its holder'], since: expect.any(String) };
    const { waitingFor } = await settled(teller.verbs.show(run));
    expect(waitingFor[0]).toMatchObject({ ...stored, progress: 'terminate by ana' });
    const { reasons } = await settled(teller.verbs.why(run));
    expect(reasons[0]).toMatchObject({ ...stored, text: 'terminate by ana is stored and not decided yet' });
  });

  it('P17 that its holder had no time for is claimed and decided by the caller as soon as the run is free', async () => {
    // P17: "the caller waits …, trying the claim again"
    const { teller, run, settled, store } = await waiting();
    teller.watched.hooks = {
      around: async (verb, args, go) => {
        if (verb !== 'deliverAndClaim') return go();
        const [delivery, workerId, leaseMs] = args as Parameters<typeof store.deliverAndClaim>;
        await store.takeSeat(0, workerId, leaseMs);
        const [answer] = await store.deliver(0, [delivery]);
        return answer;
      },
    };
    await expect(settled(teller.verbs.cancel(run, ACT))).resolves.toMatchObject({ outcome: 'applied' });
    expect((await settled(teller.verbs.show(run))).status).toBe('CANCELLED');
  });

  it('V02 is the same event when its answer was lost on the way, and counts once', async () => {
    // V02: "`(source, event id)` is unique as long as receipts are kept, before matching to a run and again in the run's inbox"
    const { teller, run, settled } = await waiting();
    loseAnswers(teller, 2);
    await expect(settled(teller.verbs.signal(run, paid(1)))).resolves.toMatchObject({ eventId: 'e-1', again: true });
    expect(teller.logged.filter(({ event }) => event === 'deliver.answer-lost')).toHaveLength(2);
    expect((await settled(teller.verbs.history(run))).inbox).toHaveLength(1);
  });

  it('is given up after three lost answers: the caller may tell it again under the same id', async () => {
    const { teller, run, settled } = await waiting();
    loseAnswers(teller, 3);
    await expect(settled(teller.verbs.signal(run, paid(1)))).rejects.toMatchObject({ code: 'PAWL_STORE_ANSWER_LOST' });
    await expect(settled(teller.verbs.signal(run, paid(1)))).resolves.toMatchObject({ again: true });
  });

  it.each([
    [new RefusedError('PAWL_VALUE_NOT_STORABLE', 'no'), 1],
    [new Error('a bug'), 1],
    [new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection'), 3],
  ])('%s: is told again only where that may help', async (error, tries) => {
    const { teller, run, settled } = await waiting();
    let tried = 0;
    teller.watched.hooks = {
      around: (verb, _args, go) => {
        if (verb !== 'deliverAndClaim') return go();
        tried += 1;
        return Promise.reject(error);
      },
    };
    await expect(settled(teller.verbs.signal(run, paid(1)))).rejects.toBe(error);
    expect(tried).toBe(tries);
  });

  it('V02 with an id that was received with another payload is refused, and that is filed without the payload', async () => {
    // V02: "same id, other payload: conflict, recorded."
    const { teller, run, settled } = await waiting();
    await settled(teller.verbs.signal(run, paid(1)));
    await expect(settled(teller.verbs.signal(run, paid(2)))).rejects.toMatchObject({ code: 'PAWL_EVENT_CONFLICT' });
    const { observations, inbox } = await settled(teller.verbs.history(run));
    expect(observations).toMatchObject([{ source: 'event-conflict', detail: { counts: inbox[0]?.payloadHash } }]);
  });

  it('P11 with an id or a source that no index could hold is refused before it is stored', async () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge …"
    const { teller, run, settled } = await waiting();
    for (const ask of [paid(1, 'e'.repeat(513)), { ...paid(1), source: 's'.repeat(257) }])
      await expect(settled(teller.verbs.signal(run, ask))).rejects.toMatchObject({ code: 'PAWL_VALUE_NOT_STORABLE' });
    await expect(settled(teller.verbs.signal(run, paid(1, 'e'.repeat(512))))).resolves.toMatchObject({ again: false });
  });

  it('V05 that is not declared, or does not fit its schema, is refused with what would', async () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const { teller, run, settled, begin } = await waiting();
    const forged = { ...paid(1), name: 'effect.settled' };
    await expect(settled(teller.verbs.signal(run, forged))).rejects.toThrow('it declares paid');
    const none = await begin(teller.verbs, SAGA);
    await expect(settled(teller.verbs.signal(none, forged))).rejects.toThrow('it declares none');
    const wrong = { ...paid(1), data: { n: 'one' } };
    await expect(settled(teller.verbs.signal(run, wrong))).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
  });

  it('to a run that is gone meanwhile is told so', async () => {
    const { teller, run, settled } = await waiting();
    teller.watched.hooks = {
      around: async (verb, _args, go) =>
        verb === 'deliverAndClaim' ? { ...((await go()) as object), exists: false } : go(),
    };
    await expect(settled(teller.verbs.signal(run, paid(1)))).rejects.toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' });
  });
});

describe('a process without a worker', () => {
  it('P03 takes a new name when half of its lease has passed: its seat has no heartbeat', async () => {
    // P03: "worker ids are new at every start and after every lost seat."
    const { teller, run, settled, world } = await waiting();
    const names = (): readonly unknown[] =>
      teller.watched.calls.filter(({ verb }) => verb === 'deliverAndClaim').map(({ args }) => args[1]);
    await settled(teller.verbs.signal(run, paid(1, 'a')));
    await settled(teller.verbs.signal(run, paid(1, 'b')));
    await world.run(() => false, world.nowMs() + 2_000);
    await settled(teller.verbs.signal(run, paid(1, 'c')));
    const [first, second, third] = names();
    expect([first === second, second === third]).toEqual([true, false]);
  });

  it.each([[2], [3]])('a start whose answer is lost %i times is stored once', async (times) => {
    const { teller, settled, store } = await waiting();
    let lost = 0;
    teller.watched.hooks = {
      around: async (verb, _args, run) => {
        const result = await run();
        if (verb !== 'start' || lost >= times) return result;
        lost += 1;
        throw new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'reset');
      },
    };
    const ask = { workflow: 'awaiting', version: null, input: {}, by: 'starter' };
    const started = settled(teller.verbs.start(ask));
    if (times < 3) await expect(started).resolves.toMatchObject({ created: true });
    else await expect(started).rejects.toMatchObject({ code: 'PAWL_STORE_ANSWER_LOST' });
    expect(store.peek().runs.size).toBe(2);
  });

  it('a start that the store refuses for good is not sent again', async () => {
    const { teller, settled } = await waiting();
    const ask = { workflow: 'awaiting', version: null, input: {}, by: 'starter' };
    for (const error of [new RefusedError('PAWL_VALUE_NOT_STORABLE', 'no'), new Error('a bug')]) {
      let tried = 0;
      teller.watched.hooks = {
        around: (verb, _args, run) => {
          if (verb !== 'start') return run();
          tried += 1;
          return Promise.reject(error);
        },
      };
      await expect(settled(teller.verbs.start(ask))).rejects.toBe(error);
      expect(tried).toBe(1);
    }
  });
});
