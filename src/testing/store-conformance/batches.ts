import assert from 'node:assert/strict';
import type { BatchRun, NewBatch } from '../../model/batch.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { newRunId } from './rows.ts';

const ID = '00000000-0000-8000-8000-00000000000';

function batchOf(number: number, set: Partial<NewBatch> = {}): NewBatch {
  return {
    batchId: `${ID}${number}`,
    tenant: 'default',
    action: 'retry',
    params: { step: 'pay', b: 1, a: [null] },
    requestHash: 'h',
    by: 'ana',
    keyId: '0000000a',
    reason: 'the bank is back',
    maxFailures: null,
    ratePerSecond: null,
    ...set,
  };
}

const runsOf = (count: number): readonly BatchRun[] =>
  Array.from({ length: count }, (_, at) => ({ runId: newRunId(), part: at % 2, workflow: 'shop' }));

const applied = { outcome: 'applied', code: 'x', message: null } as const;
const refused = { outcome: 'refused', code: 'ended', message: 'it has ended' } as const;
const pending = { outcome: 'pending', code: null, message: null } as const;
const ASK = { forMs: 30_000, limit: 2 } as const;

/** Batches: frozen once, taken by one at a time, each run settled once. */
export function batchConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);
  writing(test);
  settling(test);
  ordering(test);
}

type Register = ReturnType<typeof testWith>;

function writing(test: Register): void {
  test('a batch is written with its runs once, is told as it was ordered, and is in the audit', async ({ store }) => {
    const batch = batchOf(1);
    const runs = runsOf(3);
    assert.equal(await store.createBatch(batch, runs), true);
    assert.equal(await store.createBatch(batchOf(1, { reason: 'other' }), runsOf(1)), false);
    assert.equal(await store.createBatch(batchOf(1, { tenant: 'other' }), []), true);
    const [told] = await store.batches({ tenant: 'default', limit: 9 });
    assert.ok(told);
    const counts = { total: 3, applied: 0, refused: 0, failed: 0, state: 'running' };
    assert.deepEqual(told, { ...batch, ...counts, createdAtMs: told.createdAtMs });
    assert.equal((await store.batches({ tenant: 'other', limit: 9 }))[0]?.state, 'done');
    const items = await store.batchItems(batch, { outcome: null, afterNo: 0, limit: 9 });
    assert.deepEqual(
      items,
      runs.map((run, at) => ({ ...run, no: at + 1, ...pending, atMs: null })),
    );
    const [act] = await store.acts({ tenant: 'default', limit: 1 });
    const { by: actor, batchId: target, reason } = batch;
    const after = { action: 'retry', total: 3 };
    assert.deepEqual(
      { actor: act?.actor, act: act?.act, target: act?.target, reason: act?.reason, detail: act?.detail },
      { actor, act: 'batch.create', target, reason, detail: { before: null, after } },
    );
  });

  test('P17: a batch is taken by one at a time, and by the next when that one has died', async ({ store, advance }) => {
    await store.createBatch(batchOf(2), runsOf(3));
    const first = await store.takeBatch('default', ASK);
    assert.deepEqual([first.taken?.batch.batchId, first.taken?.items.map(({ no }) => no)], [`${ID}2`, [1, 2]]);
    const none = await store.takeBatch('default', ASK);
    assert.deepEqual([none.taken, none.nextAtMs], [null, first.nowMs + 30_000]);
    assert.equal((await store.takeBatch('other', ASK)).taken, null);
    await advance(31_000);
    const next = await store.takeBatch('default', ASK);
    assert.deepEqual(next.taken?.items, first.taken?.items);
  });
}

function settling(test: Register): void {
  test('P17: what became of a run is written once; a batch is done with its last one', async ({ store, advance }) => {
    const batch = batchOf(3);
    await store.createBatch(batch, runsOf(3));
    assert.equal(await store.settleBatchItem({ ...batch, no: 1 }, applied, 0), 'running');
    assert.equal(await store.settleBatchItem({ ...batch, no: 1 }, refused, 0), 'running');
    assert.equal(await store.settleBatchItem({ ...batch, no: 2 }, pending, 0), 'running');
    const taken = await store.takeBatch('default', ASK);
    assert.deepEqual(
      taken.taken?.items.map(({ no }) => no),
      [3, 2],
    );
    assert.equal(await store.settleBatchItem({ ...batch, no: 3 }, refused, 5_000), 'running');
    assert.equal((await store.takeBatch('default', ASK)).taken, null);
    await advance(5_001);
    assert.equal((await store.takeBatch('default', ASK)).taken?.items.length, 1);
    assert.equal(await store.settleBatchItem({ ...batch, no: 2 }, applied, 0), 'done');
    const [told] = await store.batches({ tenant: 'default', batchId: batch.batchId, limit: 1 });
    assert.deepEqual([told?.applied, told?.refused, told?.failed, told?.state], [2, 1, 0, 'done']);
    const items = await store.batchItems(batch, { outcome: 'refused', afterNo: 0, limit: 9 });
    assert.deepEqual(
      items.map(({ no, code, message, atMs }) => [no, code, message, atMs === null]),
      [[3, 'ended', 'it has ended', false]],
    );
    assert.deepEqual(await store.batchItems(batch, { outcome: 'refused', afterNo: 3, limit: 9 }), []);
    assert.equal(await store.settleBatchItem({ tenant: 'default', batchId: `${ID}9`, no: 1 }, applied, 0), 'stopped');
  });
}

function ordering(test: Register): void {
  test('a batch is stopped by its failures, takes one run at a time where it has a rate, and is paused and resumed', async ({
    store,
  }) => {
    const batch = batchOf(4, { maxFailures: 2, ratePerSecond: 5 });
    await store.createBatch(batch, runsOf(4));
    assert.equal((await store.takeBatch('default', ASK)).taken?.items.length, 1);
    const order = (act: 'pause' | 'resume' | 'stop') => store.orderBatch(batch, { act, by: 'kai', reason: 'wait' });
    assert.equal(await order('resume'), false);
    assert.equal(await order('pause'), true);
    assert.equal(await order('pause'), false);
    assert.equal((await store.takeBatch('default', ASK)).taken, null);
    assert.equal(await store.settleBatchItem({ ...batch, no: 1 }, refused, 0), 'paused');
    assert.equal(await order('resume'), true);
    assert.equal((await store.takeBatch('default', ASK)).taken?.items[0]?.no, 2);
    assert.equal(await store.settleBatchItem({ ...batch, no: 2 }, { ...refused, outcome: 'failed' }, 0), 'stopped');
    assert.equal((await store.takeBatch('default', ASK)).taken, null);
    assert.equal(await order('stop'), false);
    assert.equal(await order('resume'), false);
    const acts = (await store.acts({ tenant: 'default', limit: 2 })).map(({ act, detail }) => [act, detail]);
    const [running, paused] = [{ state: 'running' }, { state: 'paused' }];
    assert.deepEqual(acts, [
      ['batch.resume', { before: paused, after: running }],
      ['batch.pause', { before: running, after: paused }],
    ]);
    assert.equal(await store.orderBatch({ ...batch, batchId: `${ID}9` }, { act: 'stop', by: 'x', reason: 'y' }), false);
  });

  test('batches are listed, the newest first, page by page', async ({ store, advance }) => {
    for (const number of [5, 6, 7]) {
      await store.createBatch(batchOf(number), runsOf(1));
      await advance(1_000);
    }
    const [first, second] = await store.batches({ tenant: 'default', limit: 2 });
    assert.ok(first && second);
    const { createdAtMs, batchId } = second;
    const rest = await store.batches({ tenant: 'default', limit: 2, after: { createdAtMs, batchId } });
    assert.deepEqual(
      [first, second, ...rest].map((batch) => batch.batchId),
      [`${ID}7`, `${ID}6`, `${ID}5`],
    );
  });
}
