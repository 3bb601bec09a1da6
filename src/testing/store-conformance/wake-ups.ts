import assert from 'node:assert/strict';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  changing,
  commitOf,
  headAt,
  LEASE_MS,
  loadOne,
  newWorkerId,
  seated,
  signalTo,
  startFree,
  startHeld,
  startOneHeld,
  stepOf,
} from './rows.ts';

async function wakeOf(store: Store, worker: WorkerId, runId: RunId): Promise<number | null> {
  return (await store.drain(0, worker)).find((row) => row.runId === runId)?.wake ?? null;
}

async function claimedIds(store: Store, worker: WorkerId): Promise<RunId[]> {
  return (await store.claim(0, worker, 100)).map(({ run }) => run.run.runId);
}

function inboxConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('W01 a delivery is an inbox row and a wake-up that counts up, and never moves a due time back', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const answers = await store.deliver(0, [signalTo(runId, 'e-1'), signalTo(runId, 'e-2')]);
    assert.deepEqual(
      answers.map(({ exists, event, claimed }) => [exists, event, claimed]),
      [
        [true, 'new', false],
        [true, 'new', false],
      ],
    );
    const first = await wakeOf(store, worker, runId);
    await store.deliver(0, [signalTo(runId, 'e-3')]);
    const second = await wakeOf(store, worker, runId);
    assert.ok(first !== null && second === first + 1);
    await store.deliver(0, [signalTo(runId, 'e-3')]);
    assert.equal(await wakeOf(store, worker, runId), second, 'an event that is there already wakes nobody');
    const { dueAtMs, nowMs } = await store.nextDueMs(0);
    assert.ok(dueAtMs !== null && dueAtMs <= nowMs);
    assert.equal((await loadOne(store, runId)).inbox.length, 3);
  });

  test('W02 the holder reads the wake-ups of its own runs and what is undecided in their inboxes, in the order of arrival', async ({
    store,
  }) => {
    const [mine, theirs] = [await seated(store), await seated(store)];
    const [a, b] = [await startOneHeld(store, mine), await startOneHeld(store, theirs)];
    await store.deliver(0, [signalTo(a, 'e-1')]);
    await store.deliver(0, [signalTo(a, 'e-0'), signalTo(b, 'e-2')]);
    const kept = {
      source: 'signal:shop',
      eventId: 'e-1',
      outcome: 'kept',
      code: null,
      detail: null,
      consumed: false,
    } as const;
    const [before] = await store.drain(0, mine);
    assert.deepEqual([before?.runId, before?.inbox.map((event) => event.eventId)], [a, ['e-1', 'e-0']]);
    await store.commit(0, mine, [commitOf(a, 1, 1, { inbox: [kept] })]);
    const rows = await store.drain(0, mine);
    assert.deepEqual(
      rows.map((row) => [row.runId, row.inbox.map((event) => event.eventId)]),
      [[a, ['e-0']]],
    );
    assert.deepEqual(
      (await loadOne(store, a)).inbox.map((event) => [event.eventId, event.outcome]),
      [
        ['e-1', 'kept'],
        ['e-0', null],
      ],
    );
  });
}

function duplicateConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('V02 the same event again is the same row; another payload under its id is told apart and changes nothing', async ({
    store,
  }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    const [first, second, third] = await store.deliver(0, [
      signalTo(runId, 'e-1'),
      signalTo(runId, 'e-1'),
      signalTo(runId, 'e-1', 'other'),
    ]);
    assert.deepEqual([first?.event, second?.event, third?.event], ['new', 'same', 'other']);
    const [again, other] = await store.deliver(0, [signalTo(runId, 'e-1'), signalTo(runId, 'e-1', 'other')]);
    assert.deepEqual([again?.event, other?.event], ['same', 'other']);
    assert.deepEqual(
      (await store.inbox(0, runId)).map(({ payload }) => payload),
      [signalTo(runId, 'e-1').payload],
    );
  });

  test('V02 of two members of one batch with one address the first is stored, whatever else travels with them', async ({
    store,
  }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    const ids = Array.from({ length: 30 }, (_, index) => `e-${99 - index}`);
    const batchOf = (data: string) => ids.map((id) => signalTo(runId, id, data));
    const answers = await store.deliver(0, [...batchOf('first'), ...batchOf('second')]);
    assert.deepEqual(
      answers.map(({ event }) => event),
      [...ids.map(() => 'new'), ...ids.map(() => 'other')],
    );
    const stored = new Map((await store.inbox(0, runId)).map(({ eventId, payload }) => [eventId, payload]));
    for (const { eventId, payload } of batchOf('first')) assert.deepEqual(stored.get(eventId), payload);
  });

  test('V02 fifty deliverers of one event at once make one row, and each is told so', async (opened) => {
    const [runId] = await startFree(opened.store, 1);
    assert.ok(runId);
    const stores = [opened.store, await opened.again()];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (stores[index % 2] ?? opened.store).deliver(0, [signalTo(runId, 'e-1')]),
      ),
    );
    assert.deepEqual(
      answers
        .flat()
        .map(({ event }) => event)
        .sort(),
      ['new', ...Array.from({ length: 49 }, () => 'same')],
    );
    assert.equal((await opened.store.inbox(0, runId)).length, 1);
  });
}

function deliverConformance(harness: ConformanceHarness): void {
  inboxConformance(harness);
  duplicateConformance(harness);
}

function deletingConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('W03 a release deletes a wake-up only at the value that the drain saw', async ({ store }) => {
    const worker = await seated(store);
    const [seen, missed, unseen] = await startHeld(store, worker, 3);
    assert.ok(seen && missed && unseen);
    await store.deliver(0, [signalTo(seen, 'e-1'), signalTo(missed, 'e-1')]);
    const wakes = new Map((await store.drain(0, worker)).map((row) => [row.runId, row.wake]));
    await store.deliver(0, [signalTo(missed, 'e-2'), signalTo(unseen, 'e-1')]);
    const release = (runId: RunId) =>
      commitOf(runId, 1, 1, { lease: { kind: 'release', wakeSeen: wakes.get(runId) ?? null, readyAtMs: null } });
    const answers = await store.commit(0, worker, [release(seen), release(missed), release(unseen)]);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['applied', 'applied', 'applied'],
    );
    assert.deepEqual((await claimedIds(store, await seated(store))).sort(), [missed, unseen].sort());
  });

  test('W03 a claim deletes the wake-up, and a wake-up that comes while the run is held waits for its release', async ({
    store,
  }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    const worker = await seated(store);
    assert.deepEqual(await claimedIds(store, worker), [runId]);
    assert.equal(await wakeOf(store, worker, runId), null);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    assert.deepEqual(await claimedIds(store, await seated(store)), [], 'its holder has it');
    await store.commit(0, worker, [
      commitOf(runId, 1, 1, { lease: { kind: 'release', wakeSeen: null, readyAtMs: null } }),
    ]);
    assert.deepEqual(await claimedIds(store, worker), [runId]);
  });
}

function laterConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('W04 a wake-up is a hint: the not-before of a retry is in the effect row and comes back with the run, whenever it is claimed', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store, 10 * LEASE_MS);
    const runId = await startOneHeld(store, worker);
    const nowMs = await store.nowMs();
    const [effect] = (await loadOne(store, runId)).effects;
    assert.ok(effect);
    const waiting = changing(effect, { state: 'AUTHORIZED', notBeforeMs: nowMs + 20_000 });
    const release = commitOf(runId, 1, 1, {
      effects: [waiting],
      lease: { kind: 'release', wakeSeen: null, readyAtMs: nowMs + 20_000 },
    });
    await store.commit(0, worker, [release]);
    assert.deepEqual(await claimedIds(store, worker), []);
    assert.equal((await store.nextDueMs(0)).dueAtMs, nowMs + 20_000);
    await store.deliver(0, [signalTo(runId, 'early')]);
    const [early] = await store.claim(0, worker, 10);
    assert.equal(early?.run.effects[0]?.notBeforeMs, nowMs + 20_000);
    await store.commit(0, worker, [
      commitOf(runId, 2, 1, { lease: { kind: 'release', wakeSeen: null, readyAtMs: nowMs + 20_000 } }),
    ]);
    await advance(20_001);
    assert.deepEqual(await claimedIds(store, worker), [runId]);
  });

  test('W04 a release that asks for a later wake-up replaces the one it saw and never puts off one it did not', async ({
    store,
  }) => {
    const worker = await seated(store);
    const [seen, missed] = await startHeld(store, worker, 2);
    assert.ok(seen && missed);
    await store.deliver(0, [signalTo(seen, 'e-1'), signalTo(missed, 'e-1')]);
    const wakes = new Map((await store.drain(0, worker)).map((row) => [row.runId, row.wake]));
    await store.deliver(0, [signalTo(missed, 'e-2')]);
    const laterMs = (await store.nowMs()) + 30_000;
    const release = (runId: RunId) =>
      commitOf(runId, 1, 1, { lease: { kind: 'release', wakeSeen: wakes.get(runId) ?? null, readyAtMs: laterMs } });
    await store.commit(0, worker, [release(seen), release(missed)]);
    assert.deepEqual(await claimedIds(store, worker), [missed]);
  });
}

function passedConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('W05 a run that has ended can be woken and claimed, so that its holder answers what still comes', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const end = {
      head: headAt(2, { status: 'COMPLETED', phase: 'ended', endedAtMs: 1 }),
      lease: { kind: 'release', wakeSeen: null, readyAtMs: null },
    } as const;
    await store.commit(0, worker, [stepOf(runId, 1, 1, end)]);
    await store.deliver(0, [signalTo(runId, 'late')]);
    const [claimed] = await store.claim(0, worker, 10);
    assert.deepEqual([claimed?.run.status, claimed?.run.inbox.map((event) => event.eventId)], ['COMPLETED', ['late']]);
    const answer = {
      source: 'signal:shop',
      eventId: 'late',
      outcome: 'ended',
      code: null,
      detail: null,
      consumed: true,
    } as const;
    await store.commit(0, worker, [
      commitOf(runId, 2, 2, { inbox: [answer], lease: { kind: 'release', wakeSeen: null, readyAtMs: null } }),
    ]);
    assert.equal((await store.answerOf(0, runId, 'signal:shop', 'late'))?.outcome, 'ended');
    assert.deepEqual(await claimedIds(store, worker), []);
  });

  test('W06 a picker that passed 500 rows of leased runs pushes them back by a second, and a release pulls its own forward', async ({
    store,
  }) => {
    const holder = await seated(store);
    const held = await startHeld(store, holder, 500);
    await store.deliver(
      0,
      held.map((runId) => signalTo(runId, 'e-1')),
    );
    const [free] = await startFree(store, 1);
    assert.ok(free);
    await store.deliver(0, [signalTo(free, 'e-1')]);
    const before = await store.nextDueMs(0);
    const worker = await seated(store);
    assert.deepEqual(await claimedIds(store, worker), [free]);
    const after = await store.nextDueMs(0);
    assert.ok(before.dueAtMs !== null && after.dueAtMs !== null && after.dueAtMs >= before.nowMs + 1_000);
    const [runId] = held;
    assert.ok(runId);
    await store.commit(0, holder, [
      commitOf(runId, 1, 1, { lease: { kind: 'release', wakeSeen: null, readyAtMs: null } }),
    ]);
    assert.deepEqual(await claimedIds(store, worker), [runId]);
  });
}

function hintConformance(harness: ConformanceHarness): void {
  laterConformance(harness);
  passedConformance(harness);
}

function releaseConformance(harness: ConformanceHarness): void {
  deletingConformance(harness);
  hintConformance(harness);
}

function timerConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('V06 a due timer becomes one inbox row with a wake-up, never early, once, whoever fires', async (opened) => {
    const { store, advance } = opened;
    const worker = await seated(store, 1_000 * LEASE_MS);
    const runId = await startOneHeld(store, worker);
    const dueAtMs = (await store.nowMs()) + 400 * 86_400_000;
    const timers = [{ name: 'nap:wait', dueAtMs, generation: 2 }];
    await store.commit(0, worker, [
      stepOf(runId, 1, 1, { timersSet: timers, lease: { kind: 'release', wakeSeen: null, readyAtMs: null } }),
    ]);
    await advance(400 * 86_400_000 - 1_000_000);
    assert.equal(await store.fireTimers(0, 10), 0);
    assert.deepEqual((await loadOne(store, runId)).timers, timers);
    await advance(1_000_000);
    const other = await opened.again();
    const fired = await Promise.all([store.fireTimers(0, 10), other.fireTimers(0, 10)]);
    assert.equal(fired[0] + fired[1], 1);
    const late = newWorkerId();
    await store.takeSeat(0, late, LEASE_MS);
    const [claimed] = await store.claim(0, late, 10);
    assert.deepEqual([claimed?.run.run.runId, claimed?.run.timers], [runId, []]);
    assert.deepEqual(
      claimed?.run.inbox.map((event) => event.payload),
      [{ type: 'timer', name: 'nap:wait', generation: 2, dueAtMs }],
    );
    assert.equal(await store.fireTimers(0, 10), 0);
  });

  test('V06 a commit that leaves a state takes its timer along, and arming a name again replaces it', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store, 10 * LEASE_MS);
    const runId = await startOneHeld(store, worker);
    const nowMs = await store.nowMs();
    const at = (name: string, generation: number, ms: number) => ({ name, dueAtMs: nowMs + ms, generation });
    await store.commit(0, worker, [
      stepOf(runId, 1, 1, { timersSet: [at('a', 1, 1_000), at('b', 1, 1_000), at('c', 1, 1_000)] }),
    ]);
    await store.commit(0, worker, [
      stepOf(runId, 1, 2, { timersCleared: ['a', 'c'], timersSet: [at('b', 2, 5_000), at('c', 2, 2_000)] }),
    ]);
    await advance(3_000);
    assert.equal(await store.fireTimers(0, 10), 1);
    assert.deepEqual(
      (await loadOne(store, runId)).inbox.map(({ payload }) => payload),
      [{ type: 'timer', ...at('c', 2, 2_000) }],
    );
    await advance(3_000);
    assert.equal(await store.fireTimers(0, 10), 1);
    assert.deepEqual((await loadOne(store, runId)).inbox.map(({ eventId }) => eventId).sort(), ['b#2', 'c#2']);
  });
}

/** W01 to W06, V02, V06: nothing that concerns a run is forgotten, and nothing is told twice. */
export function wakeUpConformance(harness: ConformanceHarness): void {
  deliverConformance(harness);
  releaseConformance(harness);
  timerConformance(harness);
}
