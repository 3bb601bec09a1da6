import assert from 'node:assert/strict';
import type { Approval } from '../../model/approval.ts';
import { sha256 } from '../../model/hash.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  changing,
  commitOf,
  effectOf,
  headAt,
  inserting,
  loadOne,
  receiptOf,
  seated,
  signalTo,
  startHeld,
  startOneHeld,
  stepOf,
  transitionAt,
} from './rows.ts';

const APPROVAL: Approval = {
  approvalId: 'refund',
  step: 'refund',
  state: 'open',
  title: 'Refund?',
  subject: { subject: { b: 1, a: 2 }, effects: [] },
  subjectHash: sha256('subject'),
  authorizes: [],
  from: ['role:support'],
  quorum: 2,
  denials: 1,
  except: ['user:anna'],
  askedAtMs: 1_700_000_000_000,
  expiresAtMs: null,
  onExpire: 'hold',
  votes: [],
  decidedAtMs: null,
};

function everything(runId: RunCommit['runId'], name: string): Partial<RunCommit> {
  const effect = effectOf(name, {
    state: 'CONFIRMED',
    settledAtMs: 1_700_000_000_500,
    receiptNo: 1,
    output: { id: 'ch_1' },
    clearedAtMs: 1_700_000_000_200,
  });
  return {
    effects: [inserting(effect)],
    receipts: [receiptOf(1, effect)],
    timersSet: [{ name: 'pay:timeout', dueAtMs: 4_000_000_000_000, generation: 1 }],
    approvals: [APPROVAL],
    votes: [
      {
        approvalId: 'refund',
        vote: {
          principal: 'user:bea',
          decision: 'approve',
          subjectHash: APPROVAL.subjectHash,
          roles: ['support'],
          comment: 'ok',
          atMs: 1_700_000_000_400,
          form: { amount: 5, note: null },
        },
      },
    ],
    inbox: [
      {
        source: 'signal:shop',
        eventId: 'e-1',
        outcome: 'applied',
        code: null,
        detail: { step: 'pay' },
        consumed: true,
      },
    ],
    observations: [{ part: 0, runId, effectKey: effect.key, source: 'webhook', sourceId: 'w-1', detail: { ok: true } }],
    audit: [
      {
        actor: 'user:anna',
        act: 'retry',
        target: 'pay',
        reason: 'asked',
        detail: { before: 'HELD' },
        atMs: 1_700_000_000_300,
      },
    ],
  };
}

function transactionConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P01 a transition is one transaction: all rows of a commit are there, or none', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.deliver(0, [signalTo(runId, 'e-1')]);
    const before = await loadOne(store, runId);
    const refused = stepOf(runId, 1, 1, { ...everything(runId, 'all'), receipts: [receiptOf(0, effectOf('all'))] });
    const [failed] = await store.commit(0, worker, [refused]);
    assert.equal(failed?.kind, 'failed');
    assert.deepEqual(await loadOne(store, runId), before);
    assert.deepEqual(
      [await store.receipts(0, runId), await store.audit(0, runId), await store.observations(0, runId)],
      [[], [], []],
    );

    const commit = stepOf(runId, 1, 1, everything(runId, 'all'));
    const [answer] = await store.commit(0, worker, [commit]);
    assert.equal(answer?.kind, 'applied');
    const after = await loadOne(store, runId);
    assert.equal(after.revision, 2);
    assert.deepEqual(after.timers, commit.timersSet);
    assert.deepEqual(after.approvals, [{ ...APPROVAL, votes: commit.votes.map(({ vote }) => vote) }]);
    assert.deepEqual(
      after.effects.find((effect) => effect.key === commit.effects[0]?.effect.key),
      commit.effects[0]?.effect,
    );
    assert.deepEqual(await store.receipts(0, runId), commit.receipts);
    assert.deepEqual(await store.audit(0, runId), commit.audit);
    assert.deepEqual(await store.observations(0, runId), commit.observations);
    assert.deepEqual((await store.journal(0, runId)).at(-1), { ...transitionAt(2), fence: 1, workerId: worker });
    assert.deepEqual(after.inbox, []);
    assert.equal((await store.answerOf(0, runId, 'signal:shop', 'e-1'))?.outcome, 'applied');
  });
}

function answerConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P02 each member of a batch is answered for itself: applied, stale, fenced, conflict, and nobody suffers for another', async ({
    store,
  }) => {
    const worker = await seated(store);
    const [good, stale, fenced, conflict] = (await startHeld(store, worker, 4)).sort();
    assert.ok(good && stale && fenced && conflict);
    await store.commit(0, worker, [commitOf(conflict, 1, 1, { effects: [inserting(effectOf('charge'))] })]);
    const other = effectOf('charge', { requestHash: sha256('other'), request: 'other' });
    const answers = await store.commit(0, worker, [
      stepOf(conflict, 1, 1, { effects: [inserting(other)] }),
      stepOf(stale, 1, 0),
      stepOf(good, 1, 1, { effects: [inserting(effectOf('good'))] }),
      stepOf(fenced, 2, 1),
    ]);
    assert.deepEqual(
      answers.map((answer) => (answer.kind === 'applied' ? { kind: answer.kind, revision: answer.revision } : answer)),
      [
        { kind: 'conflict', effectKey: other.key },
        { kind: 'stale', revision: 1 },
        { kind: 'applied', revision: 2 },
        { kind: 'fenced', fence: 1 },
      ],
    );
    assert.equal((await loadOne(store, good)).revision, 2);
    for (const untouched of [stale, fenced, conflict]) assert.equal((await loadOne(store, untouched)).revision, 1);
    assert.equal(
      (await loadOne(store, conflict)).effects.find((effect) => effect.key === other.key)?.request,
      effectOf('charge').request,
    );
  });

  test('P02 a member that the database refuses is told so, its neighbours are applied', async ({ store }) => {
    const worker = await seated(store);
    const [first, broken, last] = await startHeld(store, worker, 3);
    assert.ok(first && broken && last);
    const answers = await store.commit(0, worker, [
      stepOf(first, 1, 1),
      stepOf(broken, 1, 1, { receipts: [receiptOf(0, effectOf('no'))] }),
      stepOf(last, 1, 1),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.kind),
      ['applied', 'failed', 'applied'],
    );
    assert.equal((await loadOne(store, broken)).revision, 1);
  });

  test('P02 a released run is not written by the worker that held it, even under its last fence', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.commit(0, worker, [
      commitOf(runId, 1, 1, { lease: { kind: 'release', wakeSeen: null, readyAtMs: null } }),
    ]);
    const [answer] = await store.commit(0, worker, [stepOf(runId, 1, 1)]);
    assert.deepEqual(answer, { kind: 'fenced', fence: 1 });
    assert.equal((await loadOne(store, runId)).revision, 1);
  });
}

function memberConformance(harness: ConformanceHarness): void {
  transactionConformance(harness);
  answerConformance(harness);
}

function rowGuardConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P02b what the guard protects is written by commits alone; observations are append-only by anyone and never overwritten', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const seen = {
      part: 0,
      runId,
      effectKey: effectOf('x').key,
      source: 'late-answer',
      sourceId: 'attempt:1',
      detail: { kind: 'confirmed' },
    };
    const before = await loadOne(store, runId);
    await store.observe([seen]);
    await store.observe([{ ...seen, detail: { kind: 'rejected' } }]);
    assert.deepEqual(await store.observations(0, runId), [seen]);
    assert.deepEqual(await loadOne(store, runId), before);
  });

  test('P02c a commit without transition keeps the revision and is guarded by the fence and the state and attempt of each row', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const [first] = (await loadOne(store, runId)).effects;
    assert.ok(first);
    const requested = changing(first, { state: 'REQUESTED', attempt: 1 });
    const [sent] = await store.commit(0, worker, [commitOf(runId, 1, 1, { effects: [requested] })]);
    assert.deepEqual(sent?.kind, 'applied');
    const [again] = await store.commit(0, worker, [commitOf(runId, 1, 1, { effects: [requested] })]);
    assert.deepEqual(again, { kind: 'conflict', effectKey: first.key });
    const wrongAttempt = {
      expect: { state: 'REQUESTED', attempt: 2 },
      effect: { ...first, state: 'UNKNOWN' },
    } as const;
    const [wrong] = await store.commit(0, worker, [commitOf(runId, 1, 1, { effects: [wrongAttempt] })]);
    assert.deepEqual(wrong, { kind: 'conflict', effectKey: first.key });
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.revision, stored.effects[0]?.state, stored.effects[0]?.attempt], [1, 'REQUESTED', 1]);
    assert.equal((await store.journal(0, runId)).length, 1);
  });
}

function openConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P02c a release leaves a run to its wake-ups, so it counts only at the revision that it was decided on', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const lease = { kind: 'release', wakeSeen: null, readyAtMs: null } as const;
    const [elsewhere] = await store.commit(0, worker, [commitOf(runId, 1, 2, { lease })]);
    assert.deepEqual(elsewhere, { kind: 'stale', revision: 1 });
    assert.equal((await loadOne(store, runId)).owner, worker);
    const [here] = await store.commit(0, worker, [commitOf(runId, 1, 1, { lease })]);
    assert.equal(here?.kind, 'applied');
  });

  test('V01 a commit answers events that are stored and open: what a database has lost, or has answered, is stale', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const answer = {
      source: 'signal:shop',
      eventId: 'e1',
      outcome: 'applied',
      code: null,
      detail: null,
      consumed: true,
    } as const;
    const commit = commitOf(runId, 1, 1, { inbox: [answer] });
    assert.deepEqual(await store.commit(0, worker, [commit]), [{ kind: 'stale', revision: 1 }]);
    await store.deliver(0, [signalTo(runId, 'e1')]);
    assert.equal((await store.commit(0, worker, [commit]))[0]?.kind, 'applied');
    assert.deepEqual(await store.commit(0, worker, [commit]), [{ kind: 'stale', revision: 1 }]);
    assert.equal((await store.inbox(0, runId))[0]?.outcome, 'applied');
  });
}

function batchConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P02c a commit of 64 transitions is one write, and a batch applies two commits of one run one after the other', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const many = Array.from({ length: 64 }, (_, index) => transitionAt(index + 2));
    const answers = await store.commit(0, worker, [
      commitOf(runId, 1, 1, { transitions: many, head: headAt(65) }),
      stepOf(runId, 1, 65),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.kind),
      ['applied', 'applied'],
    );
    assert.deepEqual(
      (await store.journal(0, runId)).map((row) => row.revision),
      Array.from({ length: 66 }, (_, index) => index + 1),
    );
  });

  test('P02 an illegal move of a ledger row is refused by the store, whatever the decision thought', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const [first] = (await loadOne(store, runId)).effects;
    assert.ok(first);
    const [answer] = await store.commit(0, worker, [
      stepOf(runId, 1, 1, { effects: [changing(first, { state: 'WAIVED' })] }),
    ]);
    assert.deepEqual(answer, { kind: 'conflict', effectKey: first.key });
    assert.equal((await loadOne(store, runId)).revision, 1);
  });
}

function guardConformance(harness: ConformanceHarness): void {
  rowGuardConformance(harness);
  batchConformance(harness);
  openConformance(harness);
}

function endConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('E10 receipts are numbered per run, a number is given once, and the last one comes back with the run', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const [a, b] = [effectOf('a'), effectOf('b')];
    const [first, second] = [receiptOf(1, a), receiptOf(2, b, { previous: receiptOf(1, a).integrity })];
    await store.commit(0, worker, [stepOf(runId, 1, 1, { effects: [inserting(a), inserting(b)], receipts: [first] })]);
    await store.commit(0, worker, [stepOf(runId, 1, 2, { receipts: [second] })]);
    const [twice] = await store.commit(0, worker, [stepOf(runId, 1, 3, { receipts: [receiptOf(2, a)] })]);
    assert.equal(twice?.kind, 'failed');
    assert.deepEqual(await store.receipts(0, runId), [first, second]);
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.revision, stored.lastReceiptNo, stored.lastReceiptHash], [3, 2, second.integrity]);
  });

  test('An end is left only by the ways that the rules know', async ({ store }) => {
    const worker = await seated(store);
    const [done, failed] = await startHeld(store, worker, 2);
    assert.ok(done && failed);
    await store.commit(0, worker, [
      stepOf(done, 1, 1, {
        head: headAt(2, { status: 'COMPLETED', phase: 'ended', endedAtMs: 1_700_000_001_000, output: { total: 3 } }),
      }),
      stepOf(failed, 1, 1, {
        head: headAt(2, { status: 'FAILED', phase: 'ended', endedAtMs: 1_700_000_001_000, failure: { code: 'x' } }),
      }),
    ]);
    const ended = await loadOne(store, done);
    assert.deepEqual([ended.endedAtMs, ended.output, ended.failure], [1_700_000_001_000, { total: 3 }, undefined]);
    const answers = await store.commit(0, worker, [
      stepOf(done, 1, 2, { head: headAt(3, { status: 'COMPENSATING', phase: 'compensating' }) }),
      stepOf(failed, 1, 2, { head: headAt(3, { status: 'COMPENSATING', phase: 'compensating' }) }),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.kind),
      ['applied', 'failed'],
    );
    const [held] = await store.commit(0, worker, [stepOf(failed, 1, 2, { head: headAt(3, { status: 'HELD' }) })]);
    assert.equal(held?.kind, 'applied');
  });
}

/** P01, P02, P02b, P02c and E10: the one door through which a run is written. */
export function doorConformance(harness: ConformanceHarness): void {
  memberConformance(harness);
  guardConformance(harness);
  endConformance(harness);
}
