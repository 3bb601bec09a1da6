import assert from 'node:assert/strict';
import { hashJson, sha256 } from '../../model/hash.ts';
import type { Approval } from '../../model/approval.ts';
import type { Digest, RunId } from '../../model/ids.ts';
import type { RunRecords } from '../../model/run-records.ts';
import { partOf } from '../../model/virtual-shard.ts';
import type { Store, StoredVersion } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  commitOf,
  effectOf,
  headAt,
  identityOf,
  inserting,
  loadOne,
  newRunId,
  receiptOf,
  seated,
  signalTo,
  startFree,
  startHeld,
  startOf,
  stepOf,
  transitionAt,
} from './rows.ts';

const ASKED: Approval = {
  approvalId: 'ask',
  step: 'ask',
  state: 'open',
  title: 'Pay?',
  subject: { amount: 5 },
  subjectHash: sha256('subject'),
  authorizes: [],
  from: ['role:approver'],
  quorum: 2,
  denials: 1,
  except: [],
  askedAtMs: 1_700_000_000_000,
  expiresAtMs: null,
  onExpire: 'deny',
  votes: [],
  decidedAtMs: null,
};
const SHOP: StoredVersion = {
  tenant: 'default',
  workflow: 'shop',
  version: 1,
  digest: sha256('shop@1') as Digest,
  digests: {},
  source: '',
  machine: '{}',
  publishedBy: 'anna',
  publishedAtMs: 0,
};
const VOTE = {
  principal: 'kai',
  decision: 'approve',
  subjectHash: ASKED.subjectHash,
  roles: ['approver'],
  comment: null,
  atMs: 1_700_000_000_001,
} as const;

async function readable(store: Store, runId: RunId): Promise<RunRecords> {
  const { runs } = await store.records(partOf(runId, store.parts), null, 10);
  const found = runs.find((one) => 'run' in one && one.run.runId === runId);
  if (found === undefined || !('run' in found)) throw new Error(`run ${runId} has no records`);
  return found;
}

function recordsConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('Records are everything that is stored of a run, as every other verb tells it', async ({ store }) => {
    const worker = await seated(store);
    await store.publish(SHOP);
    const run = identityOf(newRunId(), store.parts, { key: 'order-1' });
    const { runId } = run;
    await store.start(0, [startOf(run, { kind: 'keep', workerId: worker })]);
    await store.deliver(0, [signalTo(runId, 'first'), signalTo(runId, 'second')]);
    const effect = effectOf('paid', { request: 'not what was hashed', requestHash: sha256('something else') });
    const receipt = receiptOf(1, effect);
    const timer = { name: 'pause:wait', dueAtMs: 1_900_000_000_000, generation: 1 };
    const answer = {
      source: 'signal:shop',
      eventId: 'first',
      outcome: 'applied',
      code: null,
      detail: { step: 'pay' },
    } as const;
    const commit = stepOf(runId, 1, 1, {
      head: headAt(2, { status: 'WAITING', needs: ['approval:decision'], output: { n: 1 }, failure: null }),
      effects: [inserting(effect)],
      receipts: [receipt],
      timersSet: [timer],
      approvals: [ASKED],
      votes: [{ approvalId: 'ask', vote: VOTE }],
      inbox: [{ ...answer, consumed: true }],
    });
    assert.equal((await store.commit(0, worker, [commit]))[0]?.kind, 'applied');

    const { head, lease, wakeUp, ...rows } = await readable(store, runId);
    assert.deepEqual(
      [head.revision, head.fence, head.owner, head.status, head.phase, head.needs, head.output, head.failure],
      [2, 1, worker, 'WAITING', 'forward', ['approval:decision'], { n: 1 }, null],
    );
    assert.equal(head.snapshot, headAt(2).snapshot);
    const holder = await store.holder(0, runId);
    assert.deepEqual([lease?.workerId, lease?.fence, lease?.seatUntilMs], [worker, 1, holder?.leaseUntilMs]);
    assert.equal(wakeUp?.wake, 1);
    assert.deepEqual(rows.run, run);
    assert.deepEqual(rows.journal, await store.journal(0, runId));
    assert.deepEqual(rows.receipts, [receipt]);
    const payload = { type: 'timer', ...timer } as const;
    assert.deepEqual(rows.timers, [{ ...timer, payload, payloadHash: hashJson(payload) }]);
    assert.deepEqual(rows.approvals, [{ ...ASKED, votes: [VOTE] }]);
    assert.deepEqual(
      rows.effects.find(({ key }) => key === effect.key),
      effect,
      'as it stands, though no hash covers it',
    );
    const [first, second] = rows.inbox;
    const told = await store.inbox(0, runId);
    assert.deepEqual(
      [first, second],
      [
        { ...told[0], consumedRevision: 2 },
        { ...told[1], consumedRevision: null },
      ],
    );
    assert.deepEqual(rows.startKey && [rows.startKey.runId, rows.startKey.startNumber], [runId, 1]);
    assert.equal(rows.publishedDigest, SHOP.digest);
  });
}

/** What the invariants are looked for in: everything of a run, unchecked, page by page. */
export function checkConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);
  recordsConformance(harness);

  test('Records of a run that nobody holds, without key and version, say so', async ({ store }) => {
    const [runId] = await startFree(store, 1, 1_700_000_000_000);
    assert.ok(runId);
    const rows = await readable(store, runId);
    assert.deepEqual([rows.lease, rows.head.owner, rows.startKey, rows.publishedDigest], [null, null, null, null]);
    assert.deepEqual(rows.wakeUp, { dueAtMs: 1_700_000_000_000, wake: 1 });
    assert.equal((await loadOne(store, runId)).revision, rows.head.revision);
  });

  test('Records come in pages, each run once, in the order of their ids, and no row is a stray', async ({ store }) => {
    const worker = await seated(store);
    const held = await startHeld(store, worker, 5);
    await store.commit(0, worker, [
      commitOf(held[0] as RunId, 1, 1, { transitions: [transitionAt(2)], head: headAt(2) }),
    ]);
    const seen: RunId[] = [];
    let after: RunId | null = null;
    do {
      const page: Awaited<ReturnType<Store['records']>> = await store.records(0, after, 2);
      seen.push(...page.runs.map((one) => ('run' in one ? one.run.runId : one.runId)));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(seen, [...held].sort());
    assert.deepEqual([(await store.records(1, null, 2)).runs, (await store.records(1, null, 2)).next], [[], null]);
    assert.deepEqual(await store.strays(0, 10), []);
  });
}
