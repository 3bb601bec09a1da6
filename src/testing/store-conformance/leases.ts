import assert from 'node:assert/strict';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, type OpenedStore, testWith } from './harness.ts';
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

const RELEASE = { kind: 'release', wakeSeen: null, readyAtMs: null } as const;

async function crashesOf(store: Store, runId: RunId): Promise<number> {
  return (await loadOne(store, runId)).crashes;
}

/** A worker claims runs and is not heard of any more. @returns its name. */
async function fallSilent({ store, advance }: OpenedStore, runIds: readonly RunId[]): Promise<WorkerId> {
  const worker = await seated(store, 1_000);
  for (const runId of runIds) assert.ok(await store.claimRun(0, runId, worker));
  await advance(1_001);
  assert.equal((await store.sweep(0, 10)).length, runIds.length);
  return worker;
}

function livingConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P03 a seat lives by the database clock: a beat renews only a living one, a lost one is never renewed', async ({
    store,
    advance,
  }) => {
    const worker = newWorkerId();
    const { leaseUntilMs } = await store.takeSeat(0, worker, 1_000);
    assert.equal((await store.takeSeat(0, worker, 9_000)).leaseUntilMs, leaseUntilMs);
    const renewed = await store.beat(0, worker, LEASE_MS);
    assert.ok(renewed !== null && renewed.leaseUntilMs > leaseUntilMs);
    await advance(LEASE_MS + 1);
    assert.equal(await store.beat(0, worker, LEASE_MS), null);
    assert.equal(await store.beat(0, worker, LEASE_MS), null);
    assert.equal(await store.beat(0, newWorkerId(), LEASE_MS), null);
  });

  test('P03 nothing is claimed without a living seat, and each claim raises the fence, which survives release', async ({
    store,
    advance,
  }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    assert.deepEqual(await store.claim(0, newWorkerId(), 10), []);
    const late = await seated(store, 1_000);
    await advance(1_001);
    assert.deepEqual(await store.claim(0, late, 10), []);
    const worker = await seated(store);
    const [claimed] = await store.claim(0, worker, 10);
    assert.deepEqual(
      [claimed?.run.run.runId, claimed?.run.fence, claimed?.run.owner, claimed?.suspect],
      [runId, 1, worker, false],
    );
    assert.deepEqual(await store.claim(0, worker, 10), []);
    await store.commit(0, worker, [commitOf(runId, 1, 1, { lease: { ...RELEASE, readyAtMs: 0 } })]);
    assert.deepEqual([(await loadOne(store, runId)).fence, (await loadOne(store, runId)).owner], [1, null]);
    assert.equal((await store.claimRun(0, runId, worker))?.run.fence, 2);
    assert.equal(await store.claimRun(0, runId, worker), null);
  });

  test('P03 the sweep takes only from seats that are expired or missing, raises the fence and wakes the run', async ({
    store,
    advance,
  }) => {
    const [dying, gone, living] = [await seated(store, 1_000), await seated(store), await seated(store)];
    const [a, b, c] = [
      await startOneHeld(store, dying),
      await startOneHeld(store, gone),
      await startOneHeld(store, living),
    ];
    await store.leaveSeat(0, gone);
    assert.deepEqual(await store.sweep(0, 10), [b]);
    await advance(1_001);
    assert.deepEqual(await store.sweep(0, 10), [a]);
    assert.deepEqual(await store.sweep(0, 10), []);
    assert.deepEqual([(await loadOne(store, a)).fence, (await loadOne(store, a)).owner], [2, null]);
    assert.equal((await loadOne(store, c)).owner, living);
    const [answer] = await store.commit(0, dying, [stepOf(a, 1, 1)]);
    assert.deepEqual(answer, { kind: 'fenced', fence: 2 });
    const [next] = await store.claim(0, living, 1);
    assert.equal(next, undefined);
    const heir = await seated(store);
    const claimed = [...(await store.claim(0, heir, 10))];
    assert.deepEqual(
      claimed.map(({ suspect }) => suspect),
      [true],
    );
  });
}

function sweepConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('F2 an owner that completes before the sweep writes keeps its end: the sweep finds nothing to take', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store, 1_000);
    const runId = await startOneHeld(store, worker);
    await advance(1_001);
    const end = stepOf(runId, 1, 1, {
      head: headAt(2, { status: 'COMPLETED', phase: 'ended', endedAtMs: 1 }),
      lease: RELEASE,
    });
    assert.equal((await store.commit(0, worker, [end]))[0]?.kind, 'applied');
    assert.deepEqual(await store.sweep(0, 10), []);
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.status, stored.fence, stored.crashes], ['COMPLETED', 1, 0]);
  });

  test('F3 of five sweepers at once each takes its share: 100 expired leases are queued exactly once each', async (opened) => {
    const worker = await seated(opened.store, 1_000);
    const runs = await startHeld(opened.store, worker, 100);
    await opened.advance(1_001);
    const stores = [opened.store, ...(await Promise.all(Array.from({ length: 4 }, () => opened.again())))];
    const swept: RunId[] = [];
    for (let round = 0; round < 10 && swept.length < runs.length; round += 1) {
      const taken = await Promise.all(stores.map((store) => store.sweep(0, 30)));
      swept.push(...taken.flat());
    }
    assert.deepEqual([...swept].sort(), [...runs].sort());
    const { runs: stored } = await opened.store.load(0, runs);
    assert.ok(stored.every((run) => run.fence === 2 && run.owner === null));
  });

  test('F5 a worker that comes back under another name does not keep the leases of its old life', async ({
    store,
    advance,
  }) => {
    const before = await seated(store, 1_000);
    const runId = await startOneHeld(store, before);
    await advance(1_001);
    const after = await seated(store);
    assert.equal(await store.disown(0, after, [], 0), 0);
    assert.deepEqual(await store.sweep(0, 10), [runId]);
  });
}

function seatConformance(harness: ConformanceHarness): void {
  livingConformance(harness);
  sweepConformance(harness);
}

function aloneConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P06 a run taken from a dead worker is claimed alone, and nothing else while it is not proven', async ({
    store,
  }) => {
    const dead = await seated(store);
    const suspects = await startHeld(store, dead, 3);
    await store.leaveSeat(0, dead);
    assert.equal((await store.sweep(0, 10)).length, 3);
    const worker = await seated(store);
    const [only, ...others] = await store.claim(0, worker, 10);
    assert.ok(only);
    assert.deepEqual([only.suspect, only.run.suspect, others.length], [true, true, 0]);
    await startFree(store, 2);
    assert.deepEqual(await store.claim(0, worker, 10), []);
    const { runId } = only.run.run;
    await store.commit(0, worker, [stepOf(runId, only.run.fence, 1)]);
    assert.equal((await store.load(0, [runId])).runs[0]?.suspect, false);
    assert.equal((await store.claim(0, worker, 10)).length, 2);
    assert.deepEqual(await store.claim(0, worker, 10), [], 'busy hands are offered no suspect');
    const idle = await seated(store);
    const [next] = await store.claim(0, idle, 10);
    assert.ok(next?.suspect === true && suspects.includes(next.run.run.runId));
  });

  test('P06 only a crash of a suspect that was held alone counts, and the next journal row sets the count back to 0', async (opened) => {
    const { store } = opened;
    const [runId, neighbour] = await startFree(store, 2);
    assert.ok(runId && neighbour);
    await fallSilent(opened, [runId]);
    assert.equal(await crashesOf(store, runId), 0, 'the first crash makes it suspect');
    await fallSilent(opened, [runId]);
    assert.equal(await crashesOf(store, runId), 1);
    await fallSilent(opened, [runId, neighbour]);
    assert.equal(await crashesOf(store, runId), 1, 'it was not alone');
    await fallSilent(opened, [runId]);
    assert.equal(await crashesOf(store, runId), 2);

    const worker = await seated(store);
    const claimed = await store.claimRun(0, runId, worker);
    assert.ok(claimed?.suspect === true);
    const [effect] = claimed.run.effects;
    assert.ok(effect);
    const attempt = changing(effect, { state: 'REQUESTED', attempt: 1 });
    await store.commit(0, worker, [commitOf(runId, claimed.run.fence, 1, { effects: [attempt] })]);
    assert.equal(await crashesOf(store, runId), 2, 'an attempt is no journal row');
    await store.commit(0, worker, [stepOf(runId, claimed.run.fence, 1)]);
    assert.equal(await crashesOf(store, runId), 0);
  });
}

function takenBackConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P06 a worker that comes back and leaves its lost seat lives: its crash is taken back, once, and the run is woken', async (opened) => {
    const { store } = opened;
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    await fallSilent(opened, [runId]);
    const [first, second] = [await fallSilent(opened, [runId]), await fallSilent(opened, [runId])];
    assert.equal(await crashesOf(store, runId), 2);
    const holder = await seated(store);
    assert.ok(await store.claimRun(0, runId, holder));
    await store.leaveSeat(0, first);
    assert.equal(await crashesOf(store, runId), 1);
    assert.deepEqual(
      (await store.drain(0, holder)).map((row) => row.runId),
      [runId],
    );
    await store.leaveSeat(0, first);
    assert.equal(await crashesOf(store, runId), 1, 'an answer that was lost is asked for again');
    assert.equal(
      (await store.commit(0, holder, [stepOf(runId, (await loadOne(store, runId)).fence, 1)]))[0]?.kind,
      'applied',
    );
    await store.leaveSeat(0, second);
    assert.equal(await crashesOf(store, runId), 0, 'a journal row has taken all of them back');
  });

  test('P06 no crash is counted for a run whose holder has left, nor for one that a visitor decides', async (opened) => {
    const { store, advance } = opened;
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    await fallSilent(opened, [runId]);
    const leaving = await seated(store);
    assert.ok(await store.claimRun(0, runId, leaving));
    await store.leaveSeat(0, leaving);
    assert.deepEqual(await store.sweep(0, 10), [runId]);
    const visit = await store.deliverAndClaim(signalTo(runId, 'e-1'), newWorkerId(), 1_000);
    assert.equal(visit.claimed, true);
    await advance(1_001);
    assert.deepEqual(await store.sweep(0, 10), [runId]);
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.crashes, stored.owner], [0, null]);
    await fallSilent(opened, [runId]);
    assert.equal(await crashesOf(store, runId), 1);
  });
}

function patienceConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P06 a suspect goes to idle hands first, also when younger runs wait', async ({ store }) => {
    const dead = await seated(store);
    const suspect = await startOneHeld(store, dead);
    await store.leaveSeat(0, dead);
    await store.sweep(0, 10);
    const [younger] = await startFree(store, 1, await store.nowMs());
    assert.ok(younger);
    assert.deepEqual(
      (await store.claim(0, await seated(store), 10)).map(({ run }) => run.run.runId),
      [suspect],
      'idle hands take it at once',
    );
  });

  test('P06 busy hands go on without a suspect for the length of a lease, then claim nothing until they are empty', async ({
    store,
    advance,
  }) => {
    const dead = await seated(store);
    const suspect = await startOneHeld(store, dead);
    await store.leaveSeat(0, dead);
    await store.sweep(0, 10);
    const worker = await seated(store, 1_000 * LEASE_MS);
    const held = await startOneHeld(store, worker);
    const release = (runId: RunId, fence: number) =>
      store.commit(0, worker, [commitOf(runId, fence, 1, { lease: RELEASE })]);
    const [first] = await startFree(store, 1, await store.nowMs());
    assert.deepEqual(
      (await store.claim(0, worker, 10)).map(({ run }) => run.run.runId),
      [first],
    );
    await advance(LEASE_MS);
    await startFree(store, 1, await store.nowMs());
    assert.deepEqual(await store.claim(0, worker, 10), []);
    await release(held, 1);
    assert.ok(first);
    await release(first, 1);
    assert.deepEqual(
      (await store.claim(0, worker, 10)).map(({ run }) => run.run.runId),
      [suspect],
    );
  });
}

function suspectConformance(harness: ConformanceHarness): void {
  aloneConformance(harness);
  takenBackConformance(harness);
  patienceConformance(harness);
}

function ownerConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P16 a worker disowns what is leased to it and not in its hands, once it is older than a statement can last', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store);
    const [held, lost] = await startHeld(store, worker, 2);
    assert.ok(held && lost);
    assert.equal(await store.disown(0, worker, [held], 5_000), 0);
    await advance(5_001);
    assert.equal(await store.disown(0, worker, [held], 5_000), 1);
    const [kept, freed] = [await loadOne(store, held), await loadOne(store, lost)];
    assert.deepEqual([kept.owner, kept.fence, freed.owner, freed.fence, freed.crashes], [worker, 1, null, 2, 0]);
    const [claimed] = await store.claim(0, worker, 10);
    assert.deepEqual([claimed?.run.run.runId, claimed?.suspect, claimed?.run.fence], [lost, false, 3]);
  });

  test('P17 an event is stored, and its run claimed in the same statement when it is free; only a new event claims', async ({
    store,
  }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    const visitor = newWorkerId();
    const first = await store.deliverAndClaim(signalTo(runId, 'e-1'), visitor, LEASE_MS);
    assert.deepEqual([first.exists, first.event, first.claimed, first.outcome], [true, 'new', true, null]);
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.owner, stored.fence, stored.inbox.map((event) => event.eventId)], [visitor, 1, ['e-1']]);
    const busy = await store.deliverAndClaim(signalTo(runId, 'e-2'), newWorkerId(), LEASE_MS);
    assert.deepEqual([busy.event, busy.claimed], ['new', false]);
    const answer = {
      source: 'signal:shop',
      eventId: 'e-1',
      outcome: 'applied',
      code: null,
      detail: { step: 'pay' },
      consumed: true,
    } as const;
    await store.commit(0, visitor, [stepOf(runId, 1, 1, { inbox: [answer], lease: RELEASE })]);
    const again = await store.deliverAndClaim(signalTo(runId, 'e-1'), newWorkerId(), LEASE_MS);
    assert.deepEqual(
      [again.event, again.claimed, again.outcome, again.detail, again.consumed],
      ['same', false, 'applied', { step: 'pay' }, true],
    );
    assert.equal((await loadOne(store, runId)).owner, null);
  });

  test('P17 an event for an unknown run leaves nothing, not even a seat', async ({ store }) => {
    const { run } = { run: '01890000-0000-7000-8000-000000000000' as RunId };
    const answer = await store.deliverAndClaim(signalTo(run, 'e-1'), newWorkerId(), LEASE_MS);
    assert.deepEqual([answer.exists, answer.claimed], [false, false]);
    assert.deepEqual(
      await store.deliver(0, [signalTo(run, 'e-2')]).then((answers) => answers.map(({ exists }) => exists)),
      [false],
    );
    assert.deepEqual([await store.answerOf(0, run, 'signal:shop', 'e-1'), await store.workers()], [null, []]);
  });

  test('P17 a process whose seat is lost stores events and claims nothing', async ({ store, advance }) => {
    const [runId] = await startFree(store, 1);
    assert.ok(runId);
    const late = await seated(store, 1_000);
    await advance(1_001);
    const answer = await store.deliverAndClaim(signalTo(runId, 'e-1'), late, LEASE_MS);
    assert.deepEqual([answer.event, answer.claimed], ['new', false]);
    assert.equal(await store.claimRun(0, runId, late), null);
  });
}

/** P03, P06, P16, P17, F2, F3, F5: who may decide for a run, and until when. */
export function leaseConformance(harness: ConformanceHarness): void {
  seatConformance(harness);
  suspectConformance(harness);
  ownerConformance(harness);
}
