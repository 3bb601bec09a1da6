import assert from 'node:assert/strict';
import { sha256 } from '../../model/hash.ts';
import type { Digest } from '../../model/ids.ts';
import type { DueSchedule, ScheduleRecord } from '../../model/schedule.ts';
import type { Store, StoredVersion } from '../../ports/store.ts';
import { type ConformanceHarness, type OpenedStore, testWith } from './harness.ts';
import { newRunId } from './rows.ts';

const MINUTE_MS = 60_000;
const PART = 1;
const ASK = { tenant: 'default', limit: 10, forMs: 60_000 };
const NIGHTLY = { part: PART, tenant: 'default', workflow: 'nightly' };

function versionOf(version: number, workflow = 'nightly'): StoredVersion {
  return {
    tenant: 'default',
    workflow,
    version,
    digest: sha256(`${workflow}@${version}`) as Digest,
    digests: {},
    source: '',
    machine: '{}',
    publishedBy: 'anna',
    publishedAtMs: 0,
  };
}

/** Publishes a version whose schedule comes first after that time, milliseconds from now. @returns the instant. */
async function publish(store: Store, version: number, afterMs: number, workflow = 'nightly'): Promise<number> {
  const dueAtMs = (await store.nowMs()) + afterMs;
  await store.publish(versionOf(version, workflow), { part: PART, dueAtMs, timesOf: null });
  return dueAtMs;
}

async function only(store: Store): Promise<ScheduleRecord> {
  const [record, ...more] = await store.schedules('default', 10);
  assert.ok(record);
  assert.deepEqual(more, []);
  return record;
}

async function takeOne(store: Store): Promise<DueSchedule> {
  const { due } = await store.claimSchedules(PART, ASK);
  const [one, ...more] = due;
  assert.ok(one);
  assert.deepEqual(more, []);
  return one;
}

async function takesNothing(store: Store): Promise<void> {
  assert.deepEqual((await store.claimSchedules(PART, ASK)).due, []);
}

/** A schedule whose instant has come a minute ago. */
async function late({ store, advance }: OpenedStore): Promise<number> {
  const dueAtMs = await publish(store, 1, MINUTE_MS);
  await advance(2 * MINUTE_MS);
  return dueAtMs;
}

function claimConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A schedule is taken when its instant has come, not before, in its own part, by its own tenant', async ({
    store,
    advance,
  }) => {
    const dueAtMs = await publish(store, 1, MINUTE_MS);
    const before = await store.claimSchedules(PART, ASK);
    assert.deepEqual([before.due, before.nextAtMs], [[], dueAtMs]);
    assert.ok(before.nowMs < dueAtMs);
    await advance(MINUTE_MS);
    const elsewhere = await store.claimSchedules(0, ASK);
    assert.deepEqual([elsewhere.due, elsewhere.nextAtMs], [[], null]);
    assert.deepEqual((await store.claimSchedules(PART, { ...ASK, tenant: 'other' })).due, []);
    const { takenAtMs, sinceMs, ...one } = await takeOne(store);
    assert.deepEqual(one, { address: NIGHTLY, version: 1, dueAtMs, attempt: 1, lastRunId: null });
    assert.ok(sinceMs < dueAtMs && dueAtMs <= takenAtMs);
  });

  test('Of many processes that look at once one has the instant; the claim of one that died is over by itself', async (opened) => {
    await late(opened);
    const stores = [opened.store, await opened.again(), await opened.again(), await opened.again()];
    const told = await Promise.all(stores.map((store) => store.claimSchedules(PART, ASK)));
    const [first, ...more] = told.flatMap(({ due }) => due);
    assert.ok(first);
    assert.deepEqual(more, []);
    const { due, nextAtMs } = await opened.store.claimSchedules(PART, ASK);
    assert.deepEqual(due, []);
    assert.ok(nextAtMs !== null && nextAtMs >= first.takenAtMs + ASK.forMs, 'somebody looks again when it is over');
    await opened.advance(ASK.forMs);
    const again = await takeOne(opened.store);
    assert.deepEqual([again.takenAtMs, again.attempt], [first.takenAtMs, 2], 'as of when it was taken first');
  });

  test('At most so many schedules are taken at once, longest due first', async ({ store, advance }) => {
    const nowMs = await store.nowMs();
    for (const [workflow, afterMs] of [
      ['c', 1],
      ['a', 3],
      ['b', 2],
    ] as const)
      await store.publish(versionOf(1, workflow), { part: PART, dueAtMs: nowMs + afterMs, timesOf: null });
    await advance(MINUTE_MS);
    const taken: string[][] = [];
    for (let round = 0; round < 3; round += 1) {
      const { due } = await store.claimSchedules(PART, { ...ASK, limit: 2 });
      taken.push(due.map(({ address }) => address.workflow).sort());
    }
    assert.deepEqual(taken, [['b', 'c'], ['a'], []]);
  });
}

function settleConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('What became of an instant is written down with the move to the next one', async (opened) => {
    const { store } = opened;
    const dueAtMs = await late(opened);
    const nowMs = await store.nowMs();
    const runId = newRunId();
    const at = (n: number): number => nowMs - MINUTE_MS + n;
    const first = await takeOne(store);
    await store.settleSchedule(first, { kind: 'failed', error: 'no such account' });
    const failed = await only(store);
    assert.deepEqual([failed.lastError, failed.dueAtMs], ['no such account', dueAtMs]);
    await takesNothing(store);
    await opened.advance(ASK.forMs);
    await store.settleSchedule(await takeOne(store), { kind: 'fired', atMs: dueAtMs, runId, nextAtMs: at(1) });
    const fired = await only(store);
    assert.deepEqual([fired.lastFiredAtMs, fired.lastRunId, fired.dueAtMs], [dueAtMs, runId, at(1)]);
    assert.equal(fired.lastError, null);
    const second = await takeOne(store);
    assert.deepEqual([second.lastRunId, second.dueAtMs], [runId, at(1)]);
    assert.ok(second.takenAtMs >= first.takenAtMs + ASK.forMs, 'another instant is taken anew');
    await store.settleSchedule(second, { kind: 'skipped', atMs: at(1), nextAtMs: at(2) });
    await store.settleSchedule(await takeOne(store), { kind: 'passed', nextAtMs: at(3) });
    const last = await only(store);
    assert.deepEqual(
      [last.lastFiredAtMs, last.lastRunId, last.lastSkippedAtMs, last.dueAtMs],
      [dueAtMs, runId, at(1), at(3)],
    );
  });

  test('Only the claim of now settles an instant, and once', async (opened) => {
    const { store, advance } = opened;
    const dueAtMs = await late(opened);
    const slow = await takeOne(store);
    await advance(ASK.forMs);
    const quick = await takeOne(store);
    const fired = { kind: 'fired', atMs: dueAtMs, runId: newRunId(), nextAtMs: dueAtMs + 1 } as const;
    await store.settleSchedule(slow, fired);
    assert.equal((await only(store)).dueAtMs, dueAtMs);
    await store.settleSchedule(quick, fired);
    await store.settleSchedule(quick, { ...fired, nextAtMs: dueAtMs + 2 });
    await store.settleSchedule(slow, { ...fired, nextAtMs: dueAtMs + 3 });
    assert.equal((await only(store)).dueAtMs, dueAtMs + 1);
  });
}

function publishConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('Publishing the same version again moves no schedule', async ({ store }) => {
    const dueAtMs = await publish(store, 1, MINUTE_MS);
    await publish(store, 1, 2 * MINUTE_MS);
    assert.equal((await only(store)).dueAtMs, dueAtMs);
  });

  test('The schedule of a higher version takes the place of a lower one; a higher version without one ends it', async (opened) => {
    const { store } = opened;
    await publish(store, 2, MINUTE_MS);
    await publish(store, 1, 2 * MINUTE_MS);
    assert.equal((await only(store)).version, 2, 'a lower version that comes later changes nothing');
    const dueAtMs = await publish(store, 3, 3 * MINUTE_MS);
    const { version, ...rest } = await only(store);
    assert.deepEqual([version, rest.dueAtMs], [3, dueAtMs]);
    await store.publish(versionOf(4));
    assert.deepEqual(await store.schedules('default', 10), []);
    await opened.advance(10 * MINUTE_MS);
    const { due, nextAtMs } = await store.claimSchedules(PART, ASK);
    assert.deepEqual([due, nextAtMs], [[], null]);
    const again = await publish(store, 5, MINUTE_MS);
    assert.equal((await only(store)).dueAtMs, again, 'what the ended one had left is not made up for');
    await publish(store, 1, MINUTE_MS, 'other');
    assert.deepEqual(
      (await store.schedules('default', 10)).map(({ workflow }) => workflow),
      ['nightly', 'other'],
    );
    assert.equal((await store.schedules('default', 1)).length, 1);
    assert.deepEqual(
      (await store.schedules('default', 1, 'other')).map(({ workflow }) => workflow),
      ['other'],
    );
    assert.deepEqual(await store.schedules('elsewhere', 10), []);
  });

  test('An instant that is late when a higher version comes stays due, and a claim on it is not settled by the lower one', async (opened) => {
    const { store } = opened;
    const dueAtMs = await late(opened);
    const claimed = await takeOne(store);
    const failed = { kind: 'failed', error: 'no' } as const;
    await store.settleSchedule(claimed, failed);
    await publish(store, 2, 5 * MINUTE_MS);
    const kept = await only(store);
    assert.deepEqual([kept.dueAtMs, kept.version, kept.lastError], [dueAtMs, 2, null]);
    await store.settleSchedule(claimed, { kind: 'passed', nextAtMs: dueAtMs + 1 });
    assert.equal((await only(store)).dueAtMs, dueAtMs);
    await opened.advance(ASK.forMs);
    const again = await takeOne(store);
    assert.deepEqual([again.version, again.takenAtMs], [2, claimed.takenAtMs]);
    assert.ok(again.sinceMs > claimed.sinceMs && again.sinceMs > dueAtMs);
  });

  test('A claim on the instant of a version that is not due any more is over with it', async (opened) => {
    const { store } = opened;
    await late(opened);
    const claimed = await takeOne(store);
    await store.orderSchedule({ ...NIGHTLY, version: 1 }, { act: 'pause', by: 'ops', reason: 'audit' });
    await publish(store, 2, MINUTE_MS);
    const { dueAtMs, isPaused } = await only(store);
    assert.equal(isPaused, true, 'a higher version does not undo what a person has done');
    await store.settleSchedule({ ...claimed, version: 2 }, { kind: 'passed', nextAtMs: dueAtMs + 7 });
    assert.equal((await only(store)).dueAtMs, dueAtMs);
  });
}

function lateConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('What is late is that of a higher version with the same times, too; of what was stopped or ended nothing is', async (opened) => {
    const { store } = opened;
    const sameAs = async (version: number, timesOf: number): Promise<number> => {
      const dueAtMs = (await store.nowMs()) + MINUTE_MS;
      await store.publish(versionOf(version), { part: PART, dueAtMs, timesOf });
      return dueAtMs;
    };
    const lateMs = await late(opened);
    await sameAs(2, 1);
    await sameAs(3, 2);
    const { dueAtMs, sinceMs } = await takeOne(store);
    assert.ok(dueAtMs === lateMs && sinceMs < lateMs, 'its times count since the first of them was published');
    await sameAs(4, 2);
    await opened.advance(ASK.forMs);
    assert.ok((await takeOne(store)).sinceMs > lateMs, 'it was not compared with the one that is there');
    await store.orderSchedule({ ...NIGHTLY, version: 4 }, { act: 'pause', by: 'ops', reason: 'audit' });
    await opened.advance(MINUTE_MS);
    const nextMs = await sameAs(5, 4);
    await store.orderSchedule(
      { ...NIGHTLY, version: 5 },
      { act: 'resume', by: 'ops', reason: 'done', dueAtMs: nextMs },
    );
    await opened.advance(2 * MINUTE_MS);
    const gone = await takeOne(store);
    assert.ok(gone.dueAtMs === nextMs && gone.sinceMs > lateMs + 2 * MINUTE_MS);
  });
}

function operatorConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A person stops a schedule and has it go on with what comes then; both are recorded', async (opened) => {
    const { store } = opened;
    await late(opened);
    const of = { ...NIGHTLY, version: 1 };
    assert.equal(await store.orderSchedule(of, { act: 'pause', by: 'ops', reason: 'audit' }), true);
    assert.equal((await only(store)).isPaused, true);
    const { due, nextAtMs } = await store.claimSchedules(PART, ASK);
    assert.deepEqual([due, nextAtMs], [[], null]);
    const nextMs = (await store.nowMs()) + MINUTE_MS;
    await store.orderSchedule(of, { act: 'resume', by: 'ana', reason: 'done', dueAtMs: nextMs });
    const { isPaused, dueAtMs, acts } = await only(store);
    assert.deepEqual([isPaused, dueAtMs], [false, nextMs]);
    assert.deepEqual(
      acts.map(({ act, by, reason }) => [act, by, reason]),
      [
        ['resume', 'ana', 'done'],
        ['pause', 'ops', 'audit'],
      ],
    );
    assert.ok(acts.every(({ atMs }) => atMs > 0));
    await opened.advance(2 * MINUTE_MS);
    assert.equal((await takeOne(store)).dueAtMs, nextMs);
  });

  test('Who has a claim when a schedule is stopped and goes on settles nothing more', async (opened) => {
    const { store } = opened;
    await late(opened);
    const claimed = await takeOne(store);
    const of = { ...NIGHTLY, version: 1 };
    await store.orderSchedule(of, { act: 'pause', by: 'ops', reason: 'audit' });
    const nextMs = (await store.nowMs()) + 1;
    await store.orderSchedule(of, { act: 'resume', by: 'ops', reason: 'done', dueAtMs: nextMs });
    await store.settleSchedule(claimed, { kind: 'passed', nextAtMs: nextMs + MINUTE_MS });
    await opened.advance(1_000);
    assert.equal((await takeOne(store)).dueAtMs, nextMs, 'and keeps nobody from the next instant');
  });

  test('One that was not stopped goes on as it is, and none is nobody’s', async (opened) => {
    const { store } = opened;
    const dueAtMs = await late(opened);
    const resume = { act: 'resume', by: 'ops', reason: 'sure', dueAtMs: dueAtMs + 9 * MINUTE_MS } as const;
    assert.equal(await store.orderSchedule({ ...NIGHTLY, version: 1 }, resume), true);
    assert.equal((await only(store)).dueAtMs, dueAtMs);
    assert.equal(await store.orderSchedule({ ...NIGHTLY, version: 2 }, resume), false);
    assert.equal(await store.orderSchedule({ ...NIGHTLY, workflow: 'none', version: 1 }, resume), false);
    assert.equal((await only(store)).acts.length, 1);
  });
}

/** Schedules: taken by one, moved once, replaced by publication, stopped by people. */
export function scheduleConformance(harness: ConformanceHarness): void {
  claimConformance(harness);
  settleConformance(harness);
  publishConformance(harness);
  lateConformance(harness);
  operatorConformance(harness);
}
