import assert from 'node:assert/strict';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { OutboxMessage } from '../../model/outbox.ts';
import { PRUNED_REQUEST, type PruneAsk, type RetainedRun } from '../../model/retention.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  commitOf,
  effectOf,
  headAt,
  inserting,
  loadOne,
  receiptOf,
  seated,
  signalTo,
  startOneHeld,
  stepOf,
} from './rows.ts';

const RELEASE = { kind: 'release', wakeSeen: null, readyAtMs: null } as const;
const ENDED = { status: 'COMPLETED', phase: 'ended', endedAtMs: 1_800_000_000_000, output: { paid: true } } as const;

/** The end of a run of revision 1 that is held under fence 1; its first effect was never wanted. */
async function endOf(store: Store, runId: RunId, set: Partial<RunCommit> = {}): Promise<RunCommit> {
  const [first] = (await loadOne(store, runId)).effects;
  const withdrawn = { state: 'CANCELLED', settledAtMs: 1_800_000_000_000 } as const;
  const effects =
    first === undefined
      ? []
      : [{ expect: { state: first.state, attempt: first.attempt }, effect: { ...first, ...withdrawn } }];
  return stepOf(runId, 1, 1, {
    head: headAt(2, ENDED),
    lease: RELEASE,
    ...set,
    effects: [...effects, ...(set.effects ?? [])],
  });
}

/** The end of a run with rows of every kind. */
async function fullEndOf(store: Store, runId: RunId): Promise<RunCommit> {
  const done = effectOf('done', {
    state: 'CONFIRMED',
    settledAtMs: 1_800_000_000_000,
    output: { id: 'x' },
    lastError: 'late',
    receiptNo: 1,
  });
  return endOf(store, runId, {
    effects: [inserting(done)],
    receipts: [receiptOf(1, done)],
    inbox: [
      { source: 'signal:shop', eventId: 'e-1', outcome: 'applied', code: null, detail: { n: 1 }, consumed: true },
    ],
    observations: [{ part: 0, runId, effectKey: done.key, source: 's', sourceId: 'i', detail: { seen: 1 } }],
    audit: [{ actor: 'user:anna', act: 'retry', target: 'pay', reason: 'why', detail: null, atMs: 1_800_000_000_000 }],
    outbox: [messageOf('k')],
    lease: { kind: 'release', wakeSeen: 1, readyAtMs: null },
  });
}

async function startEnded(store: Store, worker: WorkerId, set: Partial<RunCommit> = {}): Promise<RunId> {
  const runId = await startOneHeld(store, worker);
  const [answer] = await store.commit(0, worker, [await endOf(store, runId, set)]);
  assert.equal(answer?.kind, 'applied');
  return runId;
}

/** A run as whoever prunes reads it. */
async function retainedOne(store: Store, runId: RunId): Promise<RetainedRun> {
  const found = (await store.retained(0, null, 100)).runs.find((run) => run.runId === runId);
  assert.ok(found !== undefined, `run ${runId} has its state`);
  return found;
}

async function prune(store: Store, runId: RunId, set: Partial<PruneAsk> = {}): Promise<readonly RunId[]> {
  return store.prune(0, [{ ...(await retainedOne(store, runId)), ...set }], null);
}

function messageOf(key: string): OutboxMessage {
  return {
    revision: 2,
    ordinal: 0,
    messageId: `m-${key}`,
    topic: 'event',
    key,
    step: 'tell',
    frames: [],
    body: '{}',
    atMs: 1_800_000_000_000,
  };
}

function goesAndStays(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('P10: the state of an ended run goes, and its proof stays', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    const end = await fullEndOf(store, runId);
    await store.commit(0, worker, [end]);
    for (const { address, attempt } of await store.claimOutbox(0, { outward: true, limit: 9, forMs: 1_000 }))
      await store.settleOutbox(address, attempt, { kind: 'delivered' });
    const before = await loadOne(store, runId);
    const kept = async () => [await store.receipts(0, runId), await store.observations(0, runId)];
    const proof = await kept();
    assert.deepEqual(await store.prune(0, [await retainedOne(store, runId)], { actor: 'ops', reason: 'room' }), [
      runId,
    ]);
    const after = await loadOne(store, runId);
    assert.deepEqual(await kept(), proof);
    assert.deepEqual(
      (await store.audit(0, runId)).map(({ actor, act, reason }) => [actor, act, reason]),
      [
        ['user:anna', 'retry', 'why'],
        ['ops', 'prune', 'room'],
      ],
    );
    assert.deepEqual(
      [after.run.input, after.snapshot, after.output, await store.journal(0, runId)],
      [null, '', undefined, []],
    );
    assert.deepEqual(
      after.effects,
      before.effects.map((effect) => ({ ...effect, request: PRUNED_REQUEST, output: undefined, lastError: null })),
    );
    assert.deepEqual(
      (await store.inbox(0, runId)).map(({ eventId, payload, detail, outcome }) => [eventId, payload, detail, outcome]),
      [['e-1', null, null, 'applied']],
    );
    assert.deepEqual(await store.outbox(0, runId), []);
    assert.notEqual(after.prunedAtMs, null);
    const { prunedAtMs } = after;
    assert.deepEqual(await store.heads(0, [runId]), [
      { runId, status: 'COMPLETED', endedAtMs: ENDED.endedAtMs, prunedAtMs },
    ]);
    const [records] = (await store.records(0, null, 9)).runs;
    assert.ok(records !== undefined && 'head' in records && records.head.prunedAtMs === prunedAtMs);
    assert.deepEqual(await store.strays(0, 9), []);
    const same = {
      ...after,
      run: { ...after.run, input: before.run.input },
      effects: before.effects,
      prunedAtMs: null,
    };
    assert.deepEqual({ ...same, snapshot: before.snapshot, output: before.output }, before);
  });
}

function waits(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('V19: a run stays as it is as long as anything of it is on its way', async ({ store }) => {
    const worker = await seated(store);
    const unknown = effectOf('unknown', { state: 'UNKNOWN', everUnknown: true, doubt: 'review' });
    const approval = {
      approvalId: 'a',
      step: 'ask',
      state: 'open',
      title: 'Go',
      subject: null,
      subjectHash: 'h',
      authorizes: [],
      from: [],
      quorum: 1,
      denials: 1,
      except: [],
      askedAtMs: 1_800_000_000_000,
      expiresAtMs: null,
      onExpire: 'deny',
      decidedAtMs: null,
      votes: [],
    } as const;
    const cases: readonly (readonly [string, Partial<RunCommit>])[] = [
      ['lease', { lease: { kind: 'keep' } }],
      ['wake-up', { lease: { kind: 'release', wakeSeen: null, readyAtMs: 1 } }],
      ['timer', { timersSet: [{ name: 'a:wait', dueAtMs: 4_000_000_000_000, generation: 1 }] }],
      ['effect', { effects: [inserting(unknown)] }],
      ['message', { outbox: [messageOf('k')] }],
      ['approval', { approvals: [approval] }],
    ];
    for (const [openEnd, set] of cases) {
      const runId = await startEnded(store, worker, set);
      assert.equal((await retainedOne(store, runId)).openEnd, openEnd);
      const before = await loadOne(store, runId);
      assert.deepEqual(await prune(store, runId), [], openEnd);
      assert.deepEqual(await loadOne(store, runId), before);
    }
    const runId = await startEnded(store, worker);
    const asked = await retainedOne(store, runId);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    assert.deepEqual(await store.prune(0, [asked], null), []);
    await store.claimRun(0, runId, worker);
    await store.commit(0, worker, [commitOf(runId, 2, 2, { lease: RELEASE })]);
    assert.equal((await retainedOne(store, runId)).openEnd, 'event');
    assert.deepEqual(await prune(store, runId), []);
  });
}

function isLeftAlone(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('P10: one that has not ended, has moved or was claimed since it was read is left alone', async ({ store }) => {
    const worker = await seated(store);
    const going = await startOneHeld(store, worker);
    await store.commit(0, worker, [commitOf(going, 1, 1, { lease: RELEASE })]);
    assert.deepEqual([await prune(store, going), (await retainedOne(store, going)).openEnd], [[], null]);
    const runId = await startEnded(store, worker);
    assert.deepEqual(await prune(store, runId, { revision: 1 }), []);
    assert.deepEqual(await prune(store, runId, { fence: 0 }), []);
    assert.deepEqual(await prune(store, runId), [runId]);
    assert.deepEqual(await store.prune(0, [{ runId, revision: 2, fence: 1 }], null), []);
    assert.deepEqual(await store.prune(0, [], null), []);
  });
}

function raced(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('P10: of many who prune at once one does, and each run goes whole', async (opened) => {
    const { store } = opened;
    const worker = await seated(store);
    const runs: RunId[] = [];
    for (let no = 0; no < 8; no += 1) runs.push(await startEnded(store, worker));
    const stores = [store, await opened.again(), await opened.again()];
    const asks = (await store.retained(0, null, 100)).runs;
    const told = await Promise.all(stores.map((one) => one.prune(0, asks, null)));
    assert.deepEqual(told.flat().sort(), [...runs].sort());
    assert.deepEqual((await store.retained(0, null, 100)).runs, []);
  });
}

function paged(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('P10: runs come page by page in the order of their ids, and what was pruned never again', async ({ store }) => {
    const worker = await seated(store);
    const runs: RunId[] = [];
    for (let no = 0; no < 3; no += 1) runs.push(await startEnded(store, worker));
    runs.sort();
    const idsOf = (page: Awaited<ReturnType<Store['retained']>>) => page.runs.map(({ runId }) => runId);
    const first = await store.retained(0, null, 2);
    assert.deepEqual([idsOf(first), first.next], [runs.slice(0, 2), runs[1]]);
    const second = await store.retained(0, first.next, 2);
    assert.deepEqual([idsOf(second), second.next], [runs.slice(2), null]);
    await prune(store, runs[1] as RunId);
    assert.deepEqual(idsOf(await store.retained(0, null, 9)), [runs[0], runs[2]]);
    const none = await store.retained(0, runs[2] as RunId, 9);
    assert.deepEqual([none.runs, none.next, Math.abs(none.nowMs - (await store.nowMs())) < 60_000], [[], null, true]);
  });
}

function filed(harness: ConformanceHarness): void {
  const test = testWith(harness);
  test('P10: what comes for a pruned run is stored, wakes it and is answered', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startEnded(store, worker);
    await prune(store, runId);
    const [answer] = await store.deliver(0, [signalTo(runId, 'e-9')]);
    assert.deepEqual([answer?.exists, answer?.event], [true, 'new']);
    const [claimed] = await store.claim(0, worker, 9);
    assert.deepEqual([claimed?.run.run.runId, claimed?.run.inbox.length], [runId, 1]);
    const ended = {
      source: 'signal:shop',
      eventId: 'e-9',
      outcome: 'ended',
      code: 'pruned',
      detail: null,
      consumed: true,
    } as const;
    const filed = { part: 0, runId, effectKey: effectOf('x').key, source: 's', sourceId: 'late', detail: null };
    const [told] = await store.commit(0, worker, [
      commitOf(runId, 2, 2, { inbox: [ended], observations: [filed], lease: RELEASE }),
    ]);
    assert.equal(told?.kind, 'applied');
    assert.equal((await store.answerOf(0, runId, 'signal:shop', 'e-9'))?.code, 'pruned');
    assert.deepEqual([await store.holder(0, runId), (await store.observations(0, runId)).length], [null, 1]);
  });
}

/** Retention: what goes, what stays, and what waits. */
export function retentionConformance(harness: ConformanceHarness): void {
  goesAndStays(harness);
  waits(harness);
  isLeftAlone(harness);
  raced(harness);
  paged(harness);
  filed(harness);
}
