import assert from 'node:assert/strict';
import { type ConformanceHarness, testWith } from './harness.ts';
import { commitOf, LEASE_MS, seated, startOneHeld } from './rows.ts';

const GRACE_MS = 1_000;
const ACT = { tenant: 'default', by: 'ana', reason: 'compared with the bank' };

/** P05: what any living process can see of runs that nobody moves. */
export function watchConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P05 a run that should have moved and is in no living hands is overdue; one that is held, waits or was just due is not', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store);
    const due = await startOneHeld(store, worker);
    const lease = { kind: 'release', wakeSeen: null, readyAtMs: await store.nowMs() } as const;
    await store.commit(0, worker, [commitOf(due, 1, 1, { lease })]);
    assert.deepEqual(await store.overdue(0, GRACE_MS, 10), []);
    await advance(GRACE_MS + 50);
    const held = await startOneHeld(store, worker);
    const late = await store.overdue(0, GRACE_MS, 10);
    assert.deepEqual(
      late.map(({ runId }) => runId),
      [due],
    );
    const [claimed] = await store.claim(0, worker, 10);
    assert.equal(claimed?.run.run.runId, due);
    assert.deepEqual(await store.overdue(0, GRACE_MS, 10), []);
    await advance(LEASE_MS + GRACE_MS + 50);
    const orphans = await store.overdue(0, GRACE_MS, 10);
    assert.deepEqual(orphans.map(({ runId }) => runId).sort(), [due, held].sort());
    assert.equal((await store.overdue(0, GRACE_MS, 1)).length, 1);
    await store.sweep(0, 10);
    assert.deepEqual(await store.overdue(0, GRACE_MS, 10), []);
  });

  test('P05 a timer that nobody fires is overdue', async ({ store, advance }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const dueAtMs = (await store.nowMs()) + 100;
    const timer = { name: 'w:wait', dueAtMs, generation: 1 };
    const lease = { kind: 'release', wakeSeen: null, readyAtMs: null } as const;
    await store.commit(0, worker, [commitOf(runId, 1, 1, { timersSet: [timer], lease })]);
    await advance(100 + GRACE_MS + 50);
    assert.deepEqual(await store.overdue(0, GRACE_MS, 10), [{ runId, sinceMs: dueAtMs }]);
    await store.fireTimers(0, 10);
    assert.deepEqual(await store.overdue(0, GRACE_MS, 10), []);
  });
}

/** P14: what a store knows of the database that it is in, and of what that may have forgotten. */
export function witnessConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P14 a database that is looked at again is the same, and there is no recovery mode to end', async ({
    store,
  }) => {
    const first = await store.witness('worker');
    assert.equal(first.recovery, null);
    assert.deepEqual(await store.witness('worker'), first);
    assert.equal(await store.endRecovery({ ...ACT, reason: 'nothing was lost' }), false);
  });

  test('P14 an operator says that an older copy was put back: recovery mode begins, once, and reaches back to what is said', async ({
    store,
  }) => {
    const { identity } = await store.witness('worker');
    const sinceMs = (await store.nowMs()) - 60_000;
    assert.equal(await store.beginRecovery(sinceMs, ACT), true);
    assert.equal(await store.beginRecovery(null, ACT), false);
    const { recovery } = await store.witness('worker');
    assert.deepEqual([recovery?.was, recovery?.lastSeenMs], [identity, sinceMs]);
    assert.equal(await store.endRecovery(ACT), true);
    assert.equal((await store.witness('worker')).recovery, null);
  });

  test('P14 what may be forgotten is remembered after the window was gone through: from the earliest to the latest', async ({
    store,
    advance,
  }) => {
    const firstMs = (await store.nowMs()) - 3_600_000;
    await store.witness('worker');
    await store.beginRecovery(firstMs, ACT);
    const first = (await store.witness('reader')).recovery;
    await store.endRecovery(ACT);
    const { window } = await store.witness('worker');
    assert.deepEqual(window, { lastSeenMs: firstMs, sinceMs: first?.sinceMs });
    await advance(1_000);
    await store.beginRecovery(null, ACT);
    const second = (await store.witness('worker')).recovery;
    assert.deepEqual((await store.witness('worker')).window, window);
    await store.endRecovery(ACT);
    assert.deepEqual((await store.witness('reader')).window, { lastSeenMs: firstMs, sinceMs: second?.sinceMs });
  });

  test('P14 without a time what was done since a worker was last seen may be forgotten', async ({ store, advance }) => {
    await store.witness('worker');
    const seenMs = await store.nowMs();
    await advance(5_000);
    assert.equal(await store.beginRecovery(null, ACT), true);
    const { recovery } = await store.witness('reader');
    assert.ok(recovery !== null && recovery.lastSeenMs <= seenMs && recovery.sinceMs > seenMs);
    await store.endRecovery(ACT);
  });
}
