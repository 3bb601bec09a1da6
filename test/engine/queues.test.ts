import { describe, expect, it } from 'vitest';
import type { Verbs } from '../../src/app/verbs.ts';
import type { PulledAttempt } from '../../src/engine/pull-attempts.ts';
import { verifyStore } from '../../src/engine/verify-store.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Told } from '../../src/model/told.ts';
import { lostAnswer } from '../../src/testing/store-verbs.ts';
import { openSmallHouse, type SmallHouse } from './support/small-house.ts';

const FILE = `pawl: 1
workflow: print
version: 1
timeout: 9d
actions:
  label.print:
    worker: printers
    idempotency: { remembers: 24h }
    settlesWithin: 6m
    timeout: 5m
    redact: [/secret]
    outcome: [{ when: 'or(response.body.state, "") == "jammed"', is: rejected, code: jammed }]
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: none
  box.open: { worker: printers, idempotency: none, compensate: none, settlesWithin: 6m, timeout: 5m }
steps:
  - { id: label, call: label.print, with: { text: hello } }
  - { id: box, call: box.open }
`;

const SAID: Told = { outcome: 'confirmed', output: { id: 'l-1' }, code: null, afterMs: null };

/** A house without any worker of its own, and remote workers that ask. */
class Shop {
  readonly house: SmallHouse = openSmallHouse();
  readonly verbs: Verbs;

  constructor(storeOf: (store: Store) => Store = (store) => store) {
    this.verbs = this.house.process({ works: false, store: storeOf(this.house.store) }).verbs;
  }

  async begin(): Promise<RunId> {
    return (await this.house.begin(this.verbs, FILE)) as RunId;
  }

  async pull(
    by = 'w1',
    more: { limit?: number; leaseMs?: number; waitMs?: number } = {},
  ): Promise<readonly PulledAttempt[]> {
    const ask = { queue: 'printers', limit: 1, leaseMs: 60_000, waitMs: 0, by, ...more };
    return this.house.settled(this.verbs.pullAttempts(ask));
  }

  async pullOne(by = 'w1'): Promise<PulledAttempt> {
    const [attempt] = await this.pull(by);
    if (attempt === undefined) throw new Error('nothing was handed out');
    return attempt;
  }

  async settle(handOut: string, said: Partial<Told> = {}, by = 'w1') {
    return this.house.settled(this.verbs.settleHandOut({ handOut, ...SAID, ...said, by }));
  }

  async pass(ms: number): Promise<void> {
    const { world } = this.house;
    const untilMs = world.nowMs() + ms;
    await world.run(() => world.nowMs() >= untilMs, untilMs);
  }

  stateOf(run: RunId, step: string): string | undefined {
    const rows = this.house.store.peek().runs.get(run);
    return [...(rows?.effects.values() ?? [])].find((effect) => effect.step === step)?.state;
  }
}

describe('remote workers', () => {
  it('carry a run through without a worker of the house: pull, settle, pull, settle', async () => {
    const shop = new Shop();
    const run = await shop.begin();
    const label = await shop.pullOne();
    expect(label).toMatchObject({
      queue: 'printers',
      attempt: 1,
      action: 'label.print',
      request: { text: 'hello' },
      workflow: 'print@1',
      step: 'label',
    });
    expect(label.handOut).toBe(`${label.run}.${label.key}.1.${label.handOut.split('.').at(-1)}`);
    expect(Date.parse(label.deadline) - Date.parse(label.leaseUntil)).toBe(240_000);
    expect(await shop.settle(label.handOut)).toMatchObject({ outcome: 'applied', detail: { state: 'CONFIRMED' } });
    const box = await shop.pullOne();
    expect(await shop.settle(box.handOut, { output: null })).toMatchObject({ outcome: 'applied' });
    expect((await shop.verbs.show(run)).status).toBe('COMPLETED');
    expect(await verifyStore(shop.house.store)).toMatchObject({ faults: [] });
  });

  it('E03 of many that pull at once each attempt goes to one', async () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const shop = new Shop();
    const runs = [await shop.begin(), await shop.begin(), await shop.begin()];
    const pulls = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((by) => shop.pull(by, { limit: 3 })));
    const keys = pulls.flat().map(({ key }) => key);
    expect(keys).toHaveLength(runs.length);
    expect(new Set(keys).size).toBe(runs.length);
  });

  it('E03 a puller that dies between its commit and its answer leaves the outcome unknown', async () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const shop = new Shop();
    const run = await shop.begin();
    let lost = 0;
    const lossy: Store = {
      ...shop.house.store,
      answerOf: () => {
        lost += 1;
        return Promise.reject(lostAnswer('answerOf'));
      },
    };
    const { verbs } = shop.house.process({ works: false, store: lossy });
    const ask = { queue: 'printers', limit: 1, leaseMs: 60_000, waitMs: 0, by: 'w1' };
    await expect(shop.house.settled(verbs.pullAttempts(ask))).rejects.toThrow();
    expect(lost).toBe(1);
    expect(shop.stateOf(run, 'label')).toBe('REQUESTED');
    shop.house.process({ works: true });
    await shop.house.until(() => shop.stateOf(run, 'label') === 'UNKNOWN');
    await shop.pass(1_500);
    const again = await shop.pullOne('w2');
    expect(again).toMatchObject({ step: 'label', attempt: 2 });
  });

  it('E03 what is handed out is told also when the next one cannot be had', async () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const shop = new Shop();
    const runs = [await shop.begin(), await shop.begin()];
    let asked = 0;
    const lossy: Store = {
      ...shop.house.store,
      answerOf: (...given) => {
        asked += 1;
        return asked === 2 ? Promise.reject(lostAnswer('answerOf')) : shop.house.store.answerOf(...given);
      },
    };
    const { verbs } = shop.house.process({ works: false, store: lossy });
    const ask = { queue: 'printers', limit: 2, leaseMs: 60_000, waitMs: 0, by: 'w1' };
    expect(await shop.house.settled(verbs.pullAttempts(ask))).toHaveLength(1);
    expect(runs.map((run) => shop.stateOf(run, 'label'))).toEqual(['REQUESTED', 'REQUESTED']);
  });

  it('E08 the same word twice is answered the same, another one is a conflict, and nothing is overwritten', async () => {
    // E08: "Late answers … are stored as observations, never overwrite"
    const shop = new Shop();
    const run = await shop.begin();
    const { handOut } = await shop.pullOne();
    const first = await shop.settle(handOut);
    expect(await shop.settle(handOut)).toEqual({ ...first, again: true });
    await expect(shop.settle(handOut, { output: { id: 'l-2' } })).rejects.toMatchObject({
      code: 'PAWL_EVENT_CONFLICT',
    });
    await expect(shop.settle(handOut, { outcome: 'rejected' })).rejects.toMatchObject({ code: 'PAWL_EVENT_CONFLICT' });
    expect(shop.stateOf(run, 'label')).toBe('CONFIRMED');
  });

  it('E08 that nobody knows leaves room for a later word that it did happen', async () => {
    // E08: "Late answers … are stored as observations, never overwrite"
    const shop = new Shop();
    const run = await shop.begin();
    const { handOut } = await shop.pullOne();
    expect(await shop.settle(handOut, { outcome: 'unknown', output: null })).toMatchObject({
      detail: { state: 'UNKNOWN' },
    });
    expect(await shop.settle(handOut)).toMatchObject({
      outcome: 'stale',
      code: 'late',
      detail: { state: 'CONFIRMED' },
    });
    expect(shop.stateOf(run, 'label')).toBe('CONFIRMED');
  });

  it("is judged by the action's own outcome, like any answer", async () => {
    const shop = new Shop();
    const run = await shop.begin();
    const { handOut } = await shop.pullOne();
    await shop.settle(handOut, { output: { state: 'jammed' } });
    expect((await shop.verbs.show(run)).failure).toMatchObject({ code: 'jammed' });
  });

  it('E12 an output that breaks its schema settles nothing', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const shop = new Shop();
    const run = await shop.begin();
    const { handOut } = await shop.pullOne();
    expect(await shop.settle(handOut, { output: { name: 'no id' } })).toMatchObject({
      outcome: 'applied',
      detail: { state: 'UNKNOWN', code: 'unreadable' },
    });
    expect(shop.stateOf(run, 'label')).toBe('UNKNOWN');
  });

  it('P12 what the action redacts is stored nowhere, not even in the inbox', async () => {
    // P12: "No secret in any row, log, error or page".
    const shop = new Shop();
    await shop.begin();
    const { handOut } = await shop.pullOne();
    await shop.settle(handOut, { output: { id: 'l-1', secret: 'c4n4ry' } as Json });
    expect(JSON.stringify(shop.house.store.dump())).not.toContain('c4n4ry');
  });

  it('E05 more time moves the end of the lease', async () => {
    // E05: "An action's timeout may be longer than the lease: the heartbeat carries it."
    const shop = new Shop();
    const run = await shop.begin();
    const { handOut } = await shop.pullOne();
    shop.house.process({ works: true });
    await shop.pass(50_000);
    const extended = await shop.house.settled(shop.verbs.extendHandOut({ handOut, leaseMs: 60_000, by: 'w1' }));
    expect(extended).toMatchObject({ outcome: 'applied' });
    await shop.pass(50_000);
    expect(shop.stateOf(run, 'label')).toBe('REQUESTED');
    await shop.house.until(() => shop.stateOf(run, 'label') === 'UNKNOWN');
  });

  it('wait for what is not there yet', async () => {
    const shop = new Shop();
    const ask = { queue: 'printers', limit: 1, leaseMs: 60_000, waitMs: 30_000, by: 'w1' };
    const waiting = shop.verbs.pullAttempts(ask);
    await shop.pass(2_000);
    await shop.begin();
    expect(await shop.house.settled(waiting)).toHaveLength(1);
    expect(await shop.pull('w1', { waitMs: 1_000 })).toEqual([]);
  });

  it('P14 are handed nothing that may have been handed out and forgotten, but what the provider knows by its key', async () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window".
    const shop = new Shop();
    await shop.begin();
    const label = await shop.pullOne();
    await shop.settle(label.handOut);
    await shop.begin();
    shop.house.store.become({ systemIdentifier: 'memory', timeline: 2 });
    const pulled = await shop.pull('w1', { limit: 5 });
    expect(pulled.map(({ step }) => step)).toEqual(['label']);
  });

  it('say in `why` whether anybody asks', async () => {
    const shop = new Shop();
    const run = await shop.begin();
    const before = (await shop.verbs.why(run)).reasons.map(({ text }) => text);
    expect(before).toContain('label waits for a worker of queue printers; none has ever asked');
    const { handOut } = await shop.pullOne();
    const during = (await shop.verbs.why(run)).reasons;
    expect(during).toMatchObject([
      { kind: 'queue', text: 'label is with a remote worker: it is to say what became of it' },
    ]);
    await shop.settle(handOut);
    const after = (await shop.verbs.why(run)).reasons.map(({ text }) => text);
    expect(after[0]).toMatch(/^box waits for a worker of queue printers; one last asked at 2030-/);
    expect(await shop.verbs.queues()).toMatchObject([{ queue: 'printers', offered: 1 }]);
  });

  it('are refused what is no pull, no lease and no hand-out', async () => {
    const shop = new Shop();
    await shop.begin();
    const ask = { queue: 'printers', limit: 1, leaseMs: 60_000, waitMs: 0, by: 'w1' };
    for (const wrong of [{ limit: 0 }, { limit: 101 }, { leaseMs: 1 }, { leaseMs: 9e12 }, { waitMs: 9e5 }])
      await expect(shop.verbs.pullAttempts({ ...ask, ...wrong })).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    const { handOut } = await shop.pullOne();
    await expect(shop.settle('run_1.2.3')).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    await expect(shop.settle(handOut, { code: 'No Code' })).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    await expect(shop.verbs.extendHandOut({ handOut, leaseMs: 1, by: 'w1' })).rejects.toMatchObject({
      code: 'PAWL_INPUT_INVALID',
    });
    const [run, key, ...numbers] = handOut.split('.');
    const other = [run, key?.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')), ...numbers].join('.');
    await expect(shop.settle(other)).rejects.toMatchObject({ code: 'PAWL_EFFECT_NOT_FOUND' });
    const forged = [run, key, 7, 7].join('.');
    expect(await shop.settle(forged)).toMatchObject({ outcome: 'refused', code: 'never-handed-out' });
  });
});
