import assert from 'node:assert/strict';
import type { RunId } from '../../model/ids.ts';
import type { LockAddress, LockGrant, LockPlace } from '../../model/lock.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { identityOf, newRunId, startOf } from './rows.ts';

const LOCK: LockAddress = { part: 0, tenant: 'default', name: 'account/a' };
const STARTED_MS = 1_700_000_000_000;

type Asking = Omit<LockPlace, 'slot' | 'grantedAtMs'>;

function asking(startedAtMs: number, limit = 1, runId: RunId = newRunId()): Asking {
  return { runId, runPart: 1, limit, startedAtMs: STARTED_MS + startedAtMs };
}

function idsOf(grants: readonly LockGrant[]): readonly RunId[] {
  return grants.map(({ runId }) => runId).sort();
}

async function placesOf(store: Store): Promise<readonly (readonly [RunId, number | null])[]> {
  const [lock] = await store.locks(LOCK.tenant, LOCK.name, 10);
  return (lock?.places ?? []).map(({ runId, slot }) => [runId, slot]);
}

function queueConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('QUEUED: a lock is given in the order of starts, by time and then by run, never to more than its limit', async ({
    store,
  }) => {
    // The latest start has the lowest id: the time comes first.
    const ids = Array.from({ length: 4 }, () => newRunId()).sort();
    const [third, second, twin, first] = [2, 1, 1, 0].map((at, index) => asking(at, 1, ids[index])) as [
      Asking,
      Asking,
      Asking,
      Asking,
    ];
    assert.deepEqual(await store.joinLock(LOCK, first), [{ runId: first.runId, runPart: 1 }]);
    for (const late of [third, twin, second]) assert.deepEqual(await store.joinLock(LOCK, late), []);
    const queue = [first, second, twin, third].map(({ runId }, index) => [runId, index === 0 ? 1 : null]);
    assert.deepEqual(await placesOf(store), queue);
    for (const [left, next] of [
      [first, second],
      [second, twin],
      [twin, third],
    ] as const)
      assert.deepEqual(idsOf(await store.leaveLock(LOCK, left.runId)), [next.runId]);
    assert.deepEqual(await store.leaveLock(LOCK, third.runId), []);
    assert.deepEqual(await store.locks(LOCK.tenant, null, 10), [], 'a name that nobody asks for leaves nothing behind');
  });

  test('QUEUED: of many that ask at once, in many processes, as many get a slot as the limit says, each its own', async (opened) => {
    const stores = [opened.store, await opened.again(), await opened.again(), await opened.again()];
    const runs = Array.from({ length: 24 }, (_, at) => asking(at, 3));
    const told = await Promise.all(runs.map((run, at) => (stores[at % 4] as Store).joinLock(LOCK, run)));
    assert.equal(new Set(told.flatMap(idsOf)).size, 3);
    const slots = (await placesOf(opened.store)).map(([, slot]) => slot);
    assert.deepEqual(slots.slice(0, 4), [1, 2, 3, null]);
    const holders = (await placesOf(opened.store)).slice(0, 3).map(([runId]) => runId);
    const next = await Promise.all(holders.map((runId, at) => (stores[at] as Store).leaveLock(LOCK, runId)));
    assert.equal(next.flatMap(idsOf).length, 3);
    const [lock] = await opened.store.locks(LOCK.tenant, LOCK.name, 1);
    assert.deepEqual([lock?.held, lock?.waiting], [3, 18]);
  });

  test('QUEUED: asked again, a place stays as it is, and a holder is told again', async ({ store }) => {
    const [first, second] = [asking(0), asking(1)];
    await store.joinLock(LOCK, first);
    await store.joinLock(LOCK, second);
    assert.deepEqual(await store.joinLock(LOCK, { ...first, limit: 9 }), [{ runId: first.runId, runPart: 1 }]);
    assert.deepEqual(await store.joinLock(LOCK, { ...second, limit: 9 }), []);
    assert.deepEqual(await placesOf(store), [
      [first.runId, 1],
      [second.runId, null],
    ]);
    assert.deepEqual(await store.leaveLock(LOCK, newRunId()), [], 'who has no place leaves none');
  });

  test('QUEUED: of files that word the limit differently each keeps its promise', async ({ store }) => {
    const [wide, narrow, late] = [asking(0, 3), asking(1, 1), asking(2, 3)];
    for (const run of [wide, narrow, late]) await store.joinLock(LOCK, run);
    assert.deepEqual(await placesOf(store), [
      [wide.runId, 1],
      [narrow.runId, null],
      [late.runId, null],
    ]);
    assert.deepEqual(idsOf(await store.leaveLock(LOCK, wide.runId)), [narrow.runId]);
    assert.deepEqual(idsOf(await store.leaveLock(LOCK, narrow.runId)), [late.runId]);
  });
}

/** What operators set and did with a lock. */
function operatorConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test("QUEUED: an operator's limit counts for all files, takes nothing from holders, and is recorded", async ({
    store,
  }) => {
    const runs = [0, 1, 2, 3].map((at) => asking(at));
    for (const run of runs) await store.joinLock(LOCK, run);
    const [first, second, third, fourth] = runs as [Asking, Asking, Asking, Asking];
    const told = await store.limitLock(LOCK, { by: 'ops', reason: 'month end', limit: 3 });
    assert.deepEqual(idsOf(told), idsOf([second, third]));
    assert.deepEqual(await store.limitLock(LOCK, { by: 'ops', reason: 'slower', limit: 2 }), []);
    assert.deepEqual(await store.leaveLock(LOCK, second.runId), [], 'two hold it still');
    assert.deepEqual(idsOf(await store.leaveLock(LOCK, first.runId)), [fourth.runId]);
    assert.deepEqual(await placesOf(store), [
      [fourth.runId, 1],
      [third.runId, 3],
    ]);
    const [lock] = await store.locks(LOCK.tenant, LOCK.name, 1);
    assert.deepEqual(
      lock?.acts.map(({ reason, limit }) => [reason, limit]),
      [
        ['slower', 2],
        ['month end', 3],
      ],
    );
    for (const { runId } of runs) await store.leaveLock(LOCK, runId);
    assert.equal((await store.locks(LOCK.tenant, LOCK.name, 1))[0]?.setLimit, 2, 'what an operator has set stays');
    await store.limitLock(LOCK, { by: 'ops', reason: 'over', limit: null });
    assert.equal((await store.locks(LOCK.tenant, LOCK.name, 1))[0]?.setLimit, null);
    await store.joinLock(LOCK, first);
    await store.leaveLock(LOCK, first.runId);
    assert.deepEqual(await store.locks(LOCK.tenant, null, 10), [], 'nobody asks for it any more');
    await store.joinLock(LOCK, first);
    const [again] = await store.locks(LOCK.tenant, LOCK.name, 1);
    assert.deepEqual(again?.acts.length, 3, 'what people have done with it outlives the asking');
  });
}

/** Locks: the queue, the operator's limit, the sweep of holders. */
export function lockConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);
  queueConformance(harness);
  operatorConformance(harness);

  test('Holders are looked at in turn, each once in a while, those that wait never', async ({ store, advance }) => {
    const runs = [asking(0, 2), asking(1, 2), asking(2, 2)];
    for (const run of runs) await store.joinLock(LOCK, run);
    assert.deepEqual(await store.sweepLocks(0, 60_000, 10), []);
    await advance(61_000);
    const seen = [...(await store.sweepLocks(0, 60_000, 1)), ...(await store.sweepLocks(0, 60_000, 10))];
    assert.deepEqual(idsOf(seen), idsOf(runs.slice(0, 2)));
    assert.deepEqual(
      seen.map(({ tenant, name, runPart }) => [tenant, name, runPart]),
      [
        ['default', LOCK.name, 1],
        ['default', LOCK.name, 1],
      ],
    );
    assert.deepEqual(await store.sweepLocks(0, 60_000, 10), []);
    assert.deepEqual(await store.sweepLocks(1, 0, 10), []);
  });

  test('A run keeps the lock that it was started with, and its records tell its place', async ({ store }) => {
    const run = { ...identityOf(newRunId(), store.parts), lock: { name: LOCK.name, limit: 2 } };
    await store.start(run.part, [startOf(run, { kind: 'free', readyAtMs: null })]);
    const recorded = async () =>
      (await store.records(run.part, null, 10)).runs.flatMap((one) => ('run' in one ? one : []));
    assert.deepEqual(
      (await recorded()).map((one) => [one.run.lock, one.place]),
      [[run.lock, null]],
    );
    const place = { runId: run.runId, runPart: run.part, limit: 2, startedAtMs: run.startedAtMs };
    await store.joinLock(LOCK, place);
    const [found] = await recorded();
    assert.deepEqual([found?.place?.slot, found?.place?.limit, found?.place?.startedAtMs], [1, 2, run.startedAtMs]);
    const heads = await store.heads(run.part, [run.runId, newRunId()]);
    assert.deepEqual(heads, [{ runId: run.runId, status: 'RUNNING', endedAtMs: null, prunedAtMs: null }]);
    assert.deepEqual(await store.strays(run.part, 10), []);
  });
}
