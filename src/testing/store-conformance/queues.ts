import assert from 'node:assert/strict';
import type { RunId } from '../../model/ids.ts';
import type { Offer } from '../../model/offer.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { effectOf, identityOf, inserting, loadOne, newRunId, seated, startOf, startOneHeld, stepOf } from './rows.ts';

const TAKE = { tenant: 'default', queue: 'desk', limit: 10, forMs: 5_000 };
const LONG_AGO_MS = 1_700_000_000_000;

/** An offer of an effect of that name, in `desk`. */
function offerOf(name: string, set: Partial<Offer> = {}): Offer {
  return { effectKey: effectOf(name).key, queue: 'desk', dueAtMs: LONG_AGO_MS, ...set };
}

/** A run whose next commit writes these. @returns its id. */
async function runWith(store: Store, offers: readonly Offer[]): Promise<RunId> {
  const worker = await seated(store);
  const runId = await startOneHeld(store, worker);
  const [answer] = await store.commit(0, worker, [stepOf(runId, 1, 1, { offers })]);
  assert.equal(answer?.kind, 'applied');
  return runId;
}

async function taken(store: Store, set: Partial<typeof TAKE> = {}): Promise<readonly string[]> {
  return (await store.takeOffers(0, { ...TAKE, ...set })).map(({ effectKey }) => effectKey);
}

function writeConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P01: an offer is written with its commit, also with a start, and withdrawn by a later one', async ({
    store,
  }) => {
    const worker = await seated(store);
    const run = identityOf(newRunId(), store.parts);
    const row = effectOf('a', { state: 'AUTHORIZED', attempt: 0, countedAttempts: 0, queue: 'desk' });
    const start = startOf(
      run,
      { kind: 'keep', workerId: worker },
      { effects: [inserting(row)], offers: [offerOf('a')] },
    );
    await store.start(0, [start]);
    assert.deepEqual((await loadOne(store, run.runId)).effects, [row]);
    const [first] = await store.takeOffers(0, { ...TAKE, forMs: 0 });
    assert.deepEqual(first, { runId: run.runId, effectKey: row.key });
    const stale = stepOf(run.runId, 1, 0, { offers: [offerOf('a', { dueAtMs: null })] });
    assert.equal((await store.commit(0, worker, [stale]))[0]?.kind, 'stale');
    assert.deepEqual(await taken(store, { forMs: 0 }), [row.key]);
    const next = stepOf(run.runId, 1, 1, { offers: [offerOf('a', { dueAtMs: null }), offerOf('b')] });
    assert.equal((await store.commit(0, worker, [next]))[0]?.kind, 'applied');
    assert.deepEqual(await taken(store), [offerOf('b').effectKey]);
  });

  test('P01: an offer that is made again has its new time', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.commit(0, worker, [stepOf(runId, 1, 1, { offers: [offerOf('a')] })]);
    const later = (await store.nowMs()) + 60_000;
    await store.commit(0, worker, [stepOf(runId, 1, 2, { offers: [offerOf('a', { dueAtMs: later })] })]);
    assert.deepEqual(await taken(store), []);
    await store.commit(0, worker, [stepOf(runId, 1, 3, { offers: [offerOf('a')] })]);
    assert.deepEqual(await taken(store), [offerOf('a').effectKey]);
  });
}

function takeConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('E03: of two who take at once none gets what the other got', async (opened) => {
    const other = await opened.again();
    await runWith(
      opened.store,
      ['a', 'b', 'c', 'd'].map((name) => offerOf(name)),
    );
    const both = await Promise.all(
      [opened.store, other, opened.store, other].map((store) => taken(store, { limit: 3 })),
    );
    const all = both.flat();
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(
      [...all, ...(await taken(opened.store))].sort(),
      ['a', 'b', 'c', 'd'].map((name) => offerOf(name).effectKey).sort(),
    );
  });

  test('P06: an offer whose taker is gone can be taken again after its time, and not before', async (opened) => {
    const { store } = opened;
    await runWith(store, [offerOf('a')]);
    assert.equal((await taken(store)).length, 1);
    assert.equal((await taken(store)).length, 0);
    await opened.advance(5_100);
    assert.equal((await taken(store)).length, 1);
  });

  test('W04: those that wait longest are taken first, of one queue, tenant and part, when they are due', async ({
    store,
  }) => {
    const nowMs = await store.nowMs();
    const late = offerOf('late', { dueAtMs: nowMs - 1_000 });
    const ahead = offerOf('ahead', { dueAtMs: nowMs + 60_000 });
    await runWith(store, [late, offerOf('first'), ahead, offerOf('other', { queue: 'other' })]);
    assert.deepEqual(await taken(store, { tenant: 'nobody' }), []);
    assert.deepEqual(await store.takeOffers(1, TAKE), []);
    assert.deepEqual(await taken(store, { limit: 1 }), [offerOf('first').effectKey]);
    assert.deepEqual(await taken(store), [late.effectKey]);
    assert.deepEqual(await taken(store, { queue: 'other' }), [offerOf('other').effectKey]);
  });

  test('V11: what waits in a queue is told, and when somebody last asked, to the second', async (opened) => {
    const { store } = opened;
    assert.deepEqual(await store.queues(0, 'default'), []);
    const ahead = offerOf('ahead', { dueAtMs: (await store.nowMs()) + 600_000 });
    await runWith(store, [offerOf('a'), offerOf('b', { dueAtMs: LONG_AGO_MS + 1 }), ahead]);
    const waiting = { part: 0, queue: 'desk', offered: 2, sinceMs: LONG_AGO_MS };
    assert.deepEqual(await store.queues(0, 'default'), [{ ...waiting, askedAtMs: null }]);
    await taken(store);
    const [asked] = await store.queues(0, 'default');
    const askedAtMs = asked?.askedAtMs ?? 0;
    assert.deepEqual(asked, { ...waiting, askedAtMs });
    await taken(store);
    assert.equal((await store.queues(0, 'default'))[0]?.askedAtMs, askedAtMs);
    await opened.advance(2_000);
    await taken(store, { queue: 'idle' });
    await taken(store);
    const [desk, idle, ...none] = await store.queues(0, 'default');
    assert.ok((desk?.askedAtMs ?? 0) >= askedAtMs + 2_000);
    assert.deepEqual(idle, { part: 0, queue: 'idle', offered: 0, sinceMs: null, askedAtMs: idle?.askedAtMs ?? 0 });
    assert.deepEqual(none, []);
    assert.deepEqual(await store.queues(1, 'default'), []);
    assert.deepEqual(await store.queues(0, 'other'), []);
  });
}

/** Queues of remote workers: what may be pulled, written by commits, and taken once. */
export function queueConformance(harness: ConformanceHarness): void {
  writeConformance(harness);
  takeConformance(harness);
}
