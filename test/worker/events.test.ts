import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/create-app.ts';
import { begin, type House, openHouse, untilRun, untilStatus } from '../engine/support/house.ts';
import { openTestStore } from '../support/postgres.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

const HEAD = 'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\n';
const ITEM = 'events: { item: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\n';
const asked = 'actions:\n  ask: { function: ask@1, idempotency: { remembers: 24h }, input: {}, compensate: none }\n';

describe('events and the holder', () => {
  it('bug 39 a fast answer finds the run stored: the request leaves only after the state that waits for it', async () => {
    let app: App | null = null;
    let told: unknown = null;
    const process = await house.process({
      functions: {
        'ask@1': {
          send: async ({ request }) => {
            const { run } = request as { readonly run: string };
            told = await app?.signal(run, {
              name: 'item',
              data: { n: 7 },
              source: 'shop',
              eventId: 'callback-1',
              by: 'shop',
              waitMs: 0,
            });
            return { accepted: true };
          },
        },
      },
    });
    app = process.app;
    await process.app.runWorker();
    const run = await begin(
      process,
      `${HEAD}${ITEM}${asked}steps:\n  - { id: ask, call: ask, with: { run: =run.id } }\n  - { id: answer, await: item }\noutput: { n: =steps.answer.output.n }\n`,
    );
    const view = await untilStatus(process, run, 'COMPLETED');
    expect(view.output).toEqual({ n: 7 });
    expect(told).toMatchObject({ eventId: 'callback-1' });
  });

  it('bug 40 fifty events of one name at once are fifty sendings, in the order in which they were stored', async () => {
    const sent: number[] = [];
    const process = await house.process({
      functions: {
        'ask@1': {
          send: ({ request }) => Promise.resolve({ count: sent.push((request as { readonly n: number }).n) }),
        },
      },
    });
    const worker = await house.process({
      functions: {
        'ask@1': {
          send: ({ request }) => Promise.resolve({ count: sent.push((request as { readonly n: number }).n) }),
        },
      },
    });
    await worker.app.runWorker();
    const text = `${HEAD}${ITEM}vars: { count: { type: integer, default: 0 } }\n${asked}steps:
  - { id: item, await: item }
  - { id: ask, call: ask, with: { n: =steps.item.output.n } }
  - { id: add, set: { count: '\${ vars.count + 1 }' } }
  - id: again
    choose:
      - { when: vars.count < 50, next: item }
      - { else: [] }
    maxJumps: 60
`;
    const run = await begin(process, text);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        process.app.signal(run, {
          name: 'item',
          data: { n },
          source: 'shop',
          eventId: `item-${n}`,
          by: 'shop',
          waitMs: 0,
        }),
      ),
    );
    await untilStatus(worker, run, 'COMPLETED');
    const { inbox } = await process.app.history(run);
    const items = inbox
      .filter((event) => event.payload?.type === 'signal')
      .sort((a, b) => a.receivedAtMs - b.receivedAtMs || (a.eventId < b.eventId ? -1 : 1));
    expect(items.map((event) => event.outcome)).toEqual(Array.from({ length: 50 }, () => 'applied'));
    expect([...sent].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    const storedAt = new Map(
      items.map((event) => [
        (event.payload as unknown as { readonly data: { readonly n: number } }).data.n,
        event.receivedAtMs,
      ]),
    );
    const times = sent.map((n) => storedAt.get(n) ?? 0);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }, 60_000);

  it('W02 the holder answers what comes in while an effect is in flight, not after it', async () => {
    // W02: "… also while an effect is in flight."
    let finish: () => void = () => undefined;
    const inFlight = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const process = await house.process({ functions: { 'ask@1': { send: () => inFlight.then(() => ({})) } } });
    await process.app.runWorker();
    const run = await begin(
      process,
      `${HEAD}${ITEM}${asked}steps:\n  - { id: ask, call: ask }\n  - { id: answer, await: item }\n`,
    );
    await untilRun(process, run, (view) => view.effects[0]?.state === 'REQUESTED');
    const other = await house.process();
    const told = await other.app.signal(run, {
      name: 'item',
      data: { n: 1 },
      source: 'shop',
      eventId: 'i-1',
      by: 'shop',
      waitMs: 5_000,
    });
    expect(told).toMatchObject({ outcome: 'kept' });
    expect((await process.app.show(run)).effects[0]?.state).toBe('REQUESTED');
    finish();
    await untilStatus(process, run, 'COMPLETED');
  });

  it('P17 pending: with waitMs 0 a sender is not kept waiting for a busy holder', async () => {
    // P17: "Only the holder of a run's lease decides and commits for it."
    let finish: () => void = () => undefined;
    const process = await house.process({
      functions: {
        'ask@1': {
          send: () =>
            new Promise((resolve) => {
              finish = () => resolve({});
            }),
        },
      },
    });
    await process.app.runWorker();
    const run = await begin(
      process,
      `${HEAD}${ITEM}${asked}steps:\n  - { id: ask, call: ask }\n  - { id: answer, await: item }\n`,
    );
    await untilRun(process, run, (view) => view.effects[0]?.state === 'REQUESTED');
    const other = await house.process();
    await expect(
      other.app.signal(run, { name: 'item', data: { n: 1 }, source: 'shop', eventId: 'i-1', by: 'shop', waitMs: 0 }),
    ).resolves.toMatchObject({ outcome: 'pending' });
    finish();
    await untilStatus(process, run, 'COMPLETED');
  });

  it('bug 84 an effect that outlasts the lease is carried by the heartbeat: sent once, though another worker looks on', async () => {
    let sends = 0;
    const clock = (await house.process()).app.engine.clock;
    const functions = {
      'ask@1': {
        send: async () => {
          sends += 1;
          await clock.sleep(4_000);
          return {};
        },
      },
    };
    const numbers = { leaseMs: 1_500, sendWithinMs: 1_000, sendMarginMs: 50 };
    const holder = await house.process({ functions, numbers });
    const rival = await house.process({ functions, numbers });
    await holder.app.runWorker();
    const run = await begin(holder, `${HEAD}${asked}steps:\n  - { id: ask, call: ask }\n`);
    await rival.app.runWorker();
    const view = await untilStatus(holder, run, 'COMPLETED');
    expect(sends).toBe(1);
    expect(view.effects[0]).toMatchObject({ state: 'CONFIRMED', attempt: 1 });
  });
});

describe('a pooler in transaction mode', () => {
  it('P13 fifty runs finish right with two connections, no named statement and nothing pinned', async () => {
    // P13: "Right behind a transaction-mode pooler (no pinning, unnamed statements), without LISTEN/NOTIFY, with a pool of 2."
    const opened = await openTestStore({ connections: 2, pooler: 'transaction' });
    const process = await house.process({
      store: opened.store,
      functions: { 'ask@1': { send: () => Promise.resolve({}) } },
    });
    const text = `${HEAD}${asked}steps:\n  - { id: one, call: ask }\n  - { id: two, call: ask }\n`;
    const first = await begin(process, text);
    const { workflow } = await process.app.find(first);
    const starts = await Promise.all(
      Array.from({ length: 49 }, () => process.app.start({ workflow, version: 1, input: {}, by: 'ana' })),
    );
    await process.app.runWorker();
    for (const run of [first, ...starts.map((start) => start.run.runId)]) await untilStatus(process, run, 'COMPLETED');
    await house.rest();
    await opened.close();
  }, 40_000);
});
