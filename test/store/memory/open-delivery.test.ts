import { describe, expect, it } from 'vitest';
import type { RunId, WorkerId } from '../../../src/model/ids.ts';
import { openMemoryStore, type MemoryStore } from '../../../src/store/memory/memory-store.ts';
import {
  commitOf,
  LEASE_MS,
  newWorkerId,
  seated,
  signalTo,
  startFree,
  startOneHeld,
  stepOf,
} from '../../../src/testing/store-conformance/rows.ts';

const RELEASE = { kind: 'release', wakeSeen: null, readyAtMs: null } as const;

function open(): MemoryStore & { at: number } {
  const clock = { nowMs: () => opened.at };
  const opened = { at: 1_800_000_000_000, ...openMemoryStore({ clock, parts: 4, leaseMs: LEASE_MS }) };
  return opened;
}

async function oneFree(store: MemoryStore, readyAtMs = 0): Promise<RunId> {
  const [runId] = await startFree(store, 1, readyAtMs);
  if (runId === undefined) throw new Error('no run');
  return runId;
}

async function claimedEvents(store: MemoryStore, worker: WorkerId): Promise<readonly string[]> {
  return (await store.claim(0, worker, 10)).flatMap(({ run }) => run.inbox.map((event) => event.eventId));
}

/** Whether a promise is still open after everything that could run has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return !settled;
}

describe('A delivery whose transaction is open', () => {
  it('W01 keeps the wake-up that was there from a claim, so that its signal is found after the commit', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    const store = open();
    const runId = await oneFree(store);
    const worker = await seated(store);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-1')]);
    expect(await claimedEvents(store, worker)).toEqual([]);
    expect(store.dump().runs[0]?.inbox).toEqual([]);
    expect((await delivery.commit()).map(({ event }) => event)).toEqual(['new']);
    expect(await claimedEvents(store, worker)).toEqual(['e-1']);
  });

  it('W01 leaves the wake-up with a run that is claimed by name meanwhile: its holder drains the signal', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    const store = open();
    const runId = await oneFree(store);
    const worker = await seated(store);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-1')]);
    expect((await store.claimRun(0, runId, worker))?.run.inbox).toEqual([]);
    await delivery.commit();
    const [drained] = await store.drain(0, worker);
    expect([drained?.wake, drained?.inbox.map((event) => event.eventId)]).toEqual([2, ['e-1']]);
  });

  it('W03 keeps the wake-up from a release that saw it before: the next claim finds the signal', async () => {
    // W03: "Only a claim, or a drain or release that names the `wake` it saw, deletes a wake-up."
    const store = open();
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    const [drained] = await store.drain(0, worker);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-2')]);
    const release = { ...RELEASE, wakeSeen: drained?.wake ?? null };
    await store.commit(0, worker, [commitOf(runId, 1, 1, { lease: release })]);
    await delivery.commit();
    expect(await claimedEvents(store, worker)).toEqual(['e-1', 'e-2']);
  });

  it('W01 makes everybody wait who wakes the same run: another deliverer, a timer, a sweep, a release that asks for a wake-up', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    const store = open();
    const [worker, dead] = [await seated(store), newWorkerId()];
    const runId = await startOneHeld(store, worker);
    await store.takeSeat(0, dead, 1);
    const timers = [{ name: 'nap', dueAtMs: store.at, generation: 1 }];
    await store.commit(0, worker, [stepOf(runId, 1, 1, { timersSet: timers })]);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-1')]);
    const release = commitOf(runId, 1, 2, { lease: { ...RELEASE, readyAtMs: store.at + 9_000 } });
    const waiting = [
      store.deliver(0, [signalTo(runId, 'e-1')]),
      store.fireTimers(0, 10),
      store.disown(0, worker, [], -1),
      store.commit(0, worker, [release]),
      store.beginDelivery(0, [signalTo(runId, 'e-2')]),
      store.deliverAndClaim(signalTo(runId, 'e-1'), dead, LEASE_MS),
    ];
    expect(await Promise.all(waiting.map(isPending))).toEqual(waiting.map(() => true));
    await delivery.commit();
    const [same, fired, disowned, released] = await Promise.all(waiting.slice(0, 4));
    expect([same, fired, disowned, released]).toMatchObject([[{ event: 'same' }], 1, 1, [{ kind: 'fenced' }]]);
    expect(store.dump().runs[0]?.wakeUp?.wake).toBe(3);
  });

  it('P17 does not keep a run from being claimed by another event', async () => {
    // P17: "the same statement claims that run if it is free, and then the storer decides, commits and releases (it sends nothing)."
    const store = open();
    const runId = await oneFree(store);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-1')]);
    const visitor = newWorkerId();
    expect((await store.deliverAndClaim(signalTo(runId, 'e-2'), visitor, LEASE_MS)).claimed).toBe(true);
    await delivery.commit();
    const [drained] = await store.drain(0, visitor);
    expect(drained?.inbox.map((event) => event.eventId).sort()).toEqual(['e-1', 'e-2']);
  });

  it('W06 is passed by a picker that pushes back what is leased', async () => {
    // W06: "A picker that passed 500 rows of leased runs pushes them back by 1 s; release pulls its own forward."
    const store = open();
    const holder = await seated(store);
    const held: RunId[] = [];
    for (let count = 0; count < 500; count += 1) held.push(await startOneHeld(store, holder));
    await store.deliver(
      0,
      held.map((runId) => signalTo(runId, 'e-1')),
    );
    const [first = held[0]] = held;
    if (first === undefined) throw new Error('no run');
    const delivery = await store.beginDelivery(0, [signalTo(first, 'e-2')]);
    await store.claim(0, await seated(store), 10);
    const dueAt = () => store.dump().runs.filter(({ wakeUp }) => wakeUp?.dueAtMs === store.at);
    expect(dueAt().map(({ run }) => run.runId)).toEqual([first]);
    delivery.abort();
  });

  it('W01 that is taken back leaves nothing, and who waited goes on', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    const store = open();
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const delivery = await store.beginDelivery(0, [signalTo(runId, 'e-1')]);
    const readyAtMs = store.at + 9_000;
    const released = store.commit(0, worker, [commitOf(runId, 1, 1, { lease: { ...RELEASE, readyAtMs } })]);
    expect(await isPending(released)).toBe(true);
    delivery.abort();
    expect((await released)[0]?.kind).toBe('applied');
    expect(store.dump().runs[0]).toMatchObject({ inbox: [], wakeUp: { dueAtMs: readyAtMs, wake: 1 } });
  });
});
