import assert from 'node:assert/strict';
import { sha256 } from '../../model/hash.ts';
import { keyShard, partOf } from '../../model/virtual-shard.ts';
import type { StartRequest, Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { headAt, identityOf, loadOne, newRunId, newWorkerId, seated, startOf, stepOf, transitionAt } from './rows.ts';

function keyed(
  store: Store,
  key: string,
  input: string,
  set: Partial<StartRequest> & { readonly startNumber?: number } = {},
): StartRequest {
  const { startNumber = 1, ...rest } = set;
  const runId = newRunId(keyShard('default', 'shop', key));
  const run = identityOf(runId, store.parts, { key, input, startNumber });
  return startOf(run, { kind: 'free', readyAtMs: null }, { requestHash: sha256(input), ...rest });
}

function keyConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A start stores the run as it was decided', async ({ store }) => {
    const worker = await seated(store);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const request = startOf(
      identityOf(newRunId(), store.parts, { traceparent }),
      { kind: 'keep', workerId: worker },
      { timers: [{ name: 'run:deadline', dueAtMs: 4_000_000_000_000, generation: 1 }] },
    );
    const [answer] = await store.start(0, [request]);
    assert.deepEqual([answer?.created, answer?.same, answer?.runId], [true, true, request.run.runId]);
    const stored = await loadOne(store, request.run.runId);
    assert.deepEqual(stored.run, request.run);
    assert.deepEqual(
      [stored.revision, stored.fence, stored.owner, stored.snapshot],
      [1, 1, worker, request.head.snapshot],
    );
    assert.deepEqual(
      stored.effects,
      request.effects.map((change) => change.effect),
    );
    assert.deepEqual(stored.timers, request.timers);
    assert.deepEqual(await store.holder(0, request.run.runId).then((holder) => holder?.workerId), worker);
  });

  test('The same key with the same input is the same run, with other input a conflict that names it', async ({
    store,
  }) => {
    const first = keyed(store, 'o-1', 'a');
    const { part } = first.run;
    await store.start(part, [first]);
    const [same] = await store.start(part, [keyed(store, 'o-1', 'a')]);
    const [other] = await store.start(part, [keyed(store, 'o-1', 'b')]);
    assert.deepEqual([same?.runId, same?.created, same?.same], [first.run.runId, false, true]);
    assert.deepEqual([other?.runId, other?.created, other?.same], [first.run.runId, false, false]);
    assert.equal((await store.findRun('default', 'o-1')).length, 1);
  });

  test('Of many starters of one key, in one batch and in many, exactly one creates it and all learn its id', async (opened) => {
    const stores = [opened.store, await opened.again(), await opened.again()];
    const { part } = keyed(opened.store, 'o-2', 'a').run;
    const batches = await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 5 }, () => store.start(part, [keyed(store, 'o-2', 'a'), keyed(store, 'o-2', 'a')])),
      ),
    );
    const answers = batches.flat();
    assert.equal(answers.length, 30);
    assert.equal(answers.filter((answer) => answer.created).length, 1);
    assert.equal(new Set(answers.map((answer) => answer.runId)).size, 1);
  });
}

function againConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A start whose answer was lost is asked for again with the same bytes and changes nothing', async ({
    store,
  }) => {
    const request = keyed(store, 'o-3', 'a');
    const first = await store.start(request.run.part, [request]);
    const before = await loadOne(store, request.run.runId);
    const second = await store.start(request.run.part, [request]);
    assert.deepEqual(
      second.map(({ runId, created, same }) => ({ runId, created, same })),
      first.map(({ runId, created, same }) => ({ runId, created, same })),
    );
    assert.deepEqual(await loadOne(store, request.run.runId), before);
    const unkeyed = startOf(identityOf(newRunId(), store.parts), { kind: 'free', readyAtMs: 0 });
    await store.start(0, [unkeyed]);
    assert.equal((await store.start(0, [unkeyed]))[0]?.created, true);
  });

  test('again: afterFailure frees a key whose run failed, for the next start number only', async ({ store }) => {
    const worker = newWorkerId();
    const first = keyed(store, 'o-4', 'a', { again: 'afterFailure' });
    const { part, runId } = first.run;
    await store.takeSeat(part, worker, 60_000);
    await store.start(part, [{ ...first, lease: { kind: 'keep', workerId: worker } }]);
    const [running] = await store.start(part, [keyed(store, 'o-4', 'a', { again: 'afterFailure', startNumber: 2 })]);
    assert.deepEqual([running?.created, running?.runId], [false, runId]);
    const failed = stepOf(runId, 1, 1, {
      part,
      head: headAt(2, { status: 'FAILED', phase: 'ended', endedAtMs: 1_700_000_001_000 }),
    });
    assert.equal((await store.commit(part, worker, [failed]))[0]?.kind, 'applied');
    const [wrongNumber] = await store.start(part, [
      keyed(store, 'o-4', 'a', { again: 'afterFailure', startNumber: 3 }),
    ]);
    const [notAgain] = await store.start(part, [keyed(store, 'o-4', 'a')]);
    assert.deepEqual([wrongNumber?.created, notAgain?.created], [false, false]);
    const next = keyed(store, 'o-4', 'b', { again: 'afterFailure', startNumber: 2 });
    const [freed] = await store.start(part, [next]);
    assert.deepEqual([freed?.created, freed?.runId, freed?.same], [true, next.run.runId, true]);
    assert.deepEqual(
      (await store.findRun('default', 'o-4')).map((run) => run.runId),
      [next.run.runId],
    );
  });

  test('A start under a seat that is lost is born free, with a wake-up, and its fence is not given twice', async ({
    store,
  }) => {
    const run = identityOf(newRunId(), store.parts);
    await store.start(0, [startOf(run, { kind: 'keep', workerId: newWorkerId() })]);
    const stored = await loadOne(store, run.runId);
    assert.deepEqual([stored.owner, stored.fence], [null, 1]);
    const [claimed] = await store.claim(0, await seated(store), 10);
    assert.deepEqual([claimed?.run.run.runId, claimed?.run.fence], [run.runId, 2]);
  });

  test('A key and all its runs live in one part', async ({ store }) => {
    for (const key of ['a', 'b', 'o-17', 'Ünïcode']) {
      const { run } = keyed(store, key, 'a');
      assert.equal(partOf(run.runId, store.parts), keyShard('default', 'shop', key) % store.parts);
    }
  });
}

function refusedConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P01 a start that is refused leaves nothing, not even its key', async ({ store }) => {
    const refused = keyed(store, 'o-5', 'a', { transitions: [transitionAt(0)] });
    const [answer] = await store.start(refused.run.part, [refused]);
    assert.deepEqual([answer?.refused?.code, answer?.created], ['PAWL_STORE_REFUSED', false]);
    const [next] = await store.start(refused.run.part, [keyed(store, 'o-5', 'b')]);
    assert.deepEqual([next?.created, next?.same], [true, true]);
  });

  test('P02 a start that is refused touches none of those that travel with it, before it or behind', async ({
    store,
  }) => {
    const free = (startedBy = 'ana', set: Partial<StartRequest> = {}): StartRequest =>
      startOf(identityOf(newRunId(), store.parts, { startedBy }), { kind: 'free', readyAtMs: null }, set);
    const starts = [free(), free('ana', { transitions: [transitionAt(0)] }), free(), free('a\u0000b'), free()];
    const answers = await store.start(0, starts);
    assert.deepEqual(
      answers.map(({ refused, created }) => refused?.code ?? created),
      [true, 'PAWL_STORE_REFUSED', true, 'PAWL_VALUE_NOT_STORABLE', true],
    );
    assert.deepEqual(
      answers.map(({ runId }) => runId),
      starts.map(({ run }) => run.runId),
    );
    const { runs } = await store.load(
      0,
      starts.map(({ run }) => run.runId),
    );
    assert.equal(runs.length, 3);
  });
}

/** Starting: a business key names one run, whoever comes first. */
export function startConformance(harness: ConformanceHarness): void {
  keyConformance(harness);
  againConformance(harness);
  refusedConformance(harness);
}
