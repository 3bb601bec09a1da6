import assert from 'node:assert/strict';
import type { RunId } from '../../model/ids.ts';
import type { ClaimedMessage, OutboxMessage } from '../../model/outbox.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { commitOf, identityOf, newRunId, seated, startOf, startOneHeld, stepOf } from './rows.ts';

const ALL = { outward: true, limit: 10, forMs: 5_000 };

/** A message of a revision; its id is its name. */
function messageOf(messageId: string, revision: number, set: Partial<OutboxMessage> = {}): OutboxMessage {
  return {
    revision,
    ordinal: 0,
    messageId,
    topic: 'event',
    key: null,
    step: 'tell',
    frames: [['v', 1]],
    body: JSON.stringify({ id: messageId }),
    atMs: 1_700_000_000_000 + revision,
    ...set,
  };
}

function namesOf(claimed: readonly ClaimedMessage[]): readonly string[] {
  return claimed.map(({ message }) => message.messageId).sort();
}

/** A run whose next commit writes these. @returns its id. */
async function runWith(store: Store, messages: readonly OutboxMessage[]): Promise<RunId> {
  const worker = await seated(store);
  const runId = await startOneHeld(store, worker);
  const [answer] = await store.commit(0, worker, [stepOf(runId, 1, 1, { outbox: messages })]);
  assert.equal(answer?.kind, 'applied');
  return runId;
}

async function statesOf(store: Store, runId: RunId): Promise<readonly (readonly [string, string, number])[]> {
  return (await store.outbox(0, runId)).map(({ messageId, state, attempts }) => [messageId, state, attempts]);
}

function writeConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('V09: a message is written with its commit, also with a start, and once however often it is decided', async ({
    store,
  }) => {
    const worker = await seated(store);
    const run = identityOf(newRunId(), store.parts);
    const first = messageOf('first', 1);
    await store.start(0, [startOf(run, { kind: 'keep', workerId: worker }, { outbox: [first] })]);
    const again = { ...messageOf('first', 2), body: '{"other":true}' };
    const second = messageOf('second', 2, { ordinal: 1, key: 'k', topic: 'reminder', step: null });
    await store.commit(0, worker, [stepOf(run.runId, 1, 1, { outbox: [again, second] })]);
    const stale = stepOf(run.runId, 1, 1, { outbox: [messageOf('third', 2)] });
    assert.deepEqual((await store.commit(0, worker, [stale]))[0]?.kind, 'stale');
    const [one, two, ...none] = await store.outbox(0, run.runId);
    const fresh = { state: 'waiting', attempts: 0, lastError: null, settledAtMs: null };
    assert.deepEqual(one, { ...first, ...fresh, dueAtMs: one?.dueAtMs });
    assert.deepEqual(two, { ...second, ...fresh, dueAtMs: two?.dueAtMs });
    assert.deepEqual(none, []);
    const { runs } = await store.records(0, null, 10);
    assert.deepEqual(
      runs.flatMap((stored) => ('run' in stored ? stored.outbox : [])),
      [one, two].map((message) => ({ ...message, outward: true })),
    );
    assert.deepEqual(await store.strays(0, 10), []);
  });
}

function claimConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('V09: a message is claimed by one process at a time; the claim of one that died is over by itself', async ({
    store,
    advance,
  }) => {
    const runId = await runWith(store, [messageOf('m', 2)]);
    const told = await Promise.all([store.claimOutbox(0, ALL), store.claimOutbox(0, ALL)]);
    assert.deepEqual(
      told.flat().map(({ attempt }) => attempt),
      [1],
    );
    assert.deepEqual(told.flat()[0]?.address, { part: 0, runId, revision: 2, ordinal: 0 });
    assert.deepEqual(told.flat()[0]?.message, messageOf('m', 2));
    assert.deepEqual(await store.claimOutbox(0, ALL), []);
    await advance(5_001);
    const [again] = await store.claimOutbox(0, ALL);
    assert.deepEqual([again?.message.messageId, again?.attempt], ['m', 2]);
    assert.deepEqual(await store.claimOutbox(1, ALL), []);
  });

  test('V09: of one run, key and direction the first that is open goes before all others', async ({ store }) => {
    const address = { part: 0, runId: newRunId(), revision: 2 };
    const messages = [
      messageOf('a1', 2, { key: 'a' }),
      messageOf('a2', 2, { key: 'a', ordinal: 1 }),
      messageOf('b1', 2, { key: 'b', ordinal: 2 }),
      messageOf('free', 2, { ordinal: 3 }),
      messageOf('loose', 2, { ordinal: 4 }),
      messageOf('inward', 2, { key: 'a', ordinal: 5, topic: 'child.start' }),
    ];
    const at = { ...address, runId: await runWith(store, messages) };
    const other = await runWith(store, [messageOf('else', 2, { key: 'a' })]);
    assert.deepEqual(namesOf(await store.claimOutbox(0, { ...ALL, outward: false })), ['inward']);
    assert.deepEqual(namesOf(await store.claimOutbox(0, ALL)), ['a1', 'b1', 'else', 'free', 'loose']);
    assert.deepEqual(await store.claimOutbox(0, ALL), [], 'a claimed one is not delivered: the next waits');
    await store.settleOutbox({ ...at, ordinal: 0 }, 1, { kind: 'dead', error: 'gone' });
    assert.deepEqual(await store.claimOutbox(0, ALL), [], 'one that was given up holds the next one back');
    assert.equal(
      await store.actOnOutbox(0, at.runId, 'a1', { act: 'drop', by: 'ops', reason: 'told by phone' }),
      'dead',
    );
    assert.deepEqual(namesOf(await store.claimOutbox(0, ALL)), ['a2']);
    assert.deepEqual(
      (await statesOf(store, other)).map(([name]) => name),
      ['else'],
    );
  });

  test('Claims take as many of each direction as they ask for, longest due first', async ({ store, advance }) => {
    const runId = await runWith(store, [messageOf('old', 2)]);
    await advance(1_000);
    await runWith(store, [messageOf('young', 2), messageOf('inward', 2, { ordinal: 1, topic: 'child.end' })]);
    assert.deepEqual(namesOf(await store.claimOutbox(0, { ...ALL, limit: 1 })), ['inward', 'old']);
    assert.deepEqual((await statesOf(store, runId))[0], ['old', 'waiting', 1]);
  });
}

function settleConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('V09: a failure is tried again after its wait, and only the latest sending can fail; that it arrived counts from whoever says it', async ({
    store,
    advance,
  }) => {
    const runId = await runWith(store, [messageOf('m', 2)]);
    const [first] = await store.claimOutbox(0, ALL);
    assert.ok(first);
    await store.settleOutbox(first.address, 1, { kind: 'failed', error: 'no answer', waitMs: 60_000 });
    const [waiting] = await store.outbox(0, runId);
    assert.deepEqual([waiting?.state, waiting?.lastError], ['waiting', 'no answer']);
    await advance(59_000);
    assert.deepEqual(await store.claimOutbox(0, ALL), []);
    await advance(1_001);
    const [second] = await store.claimOutbox(0, ALL);
    assert.equal(second?.attempt, 2);
    await store.settleOutbox(first.address, 1, { kind: 'dead', error: 'late' });
    assert.deepEqual(await statesOf(store, runId), [['m', 'waiting', 2]]);
    await store.settleOutbox(first.address, 2, { kind: 'dead', error: 'given up' });
    await store.settleOutbox(first.address, 1, { kind: 'delivered' });
    const [delivered] = await store.outbox(0, runId);
    assert.deepEqual(
      [delivered?.state, delivered?.lastError, delivered?.settledAtMs !== null],
      ['delivered', null, true],
    );
    await store.settleOutbox(first.address, 2, { kind: 'failed', error: 'late', waitMs: 0 });
    assert.deepEqual(await statesOf(store, runId), [['m', 'delivered', 2]]);
    assert.deepEqual(await store.claimOutbox(0, ALL), []);
  });
}

/** The outbox: written by commits, claimed, settled and acted on. */
export function outboxConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);
  writeConformance(harness);
  claimConformance(harness);
  settleConformance(harness);

  test('A person has a message sent again or dropped, with a reason that is kept; what is over stays as it is', async ({
    store,
  }) => {
    const runId = await runWith(store, [messageOf('m', 2)]);
    const [claimed] = await store.claimOutbox(0, ALL);
    assert.ok(claimed);
    await store.settleOutbox(claimed.address, 1, { kind: 'dead', error: 'given up' });
    const lines = await store.listOutbox('default', ['dead'], 10);
    assert.deepEqual(
      lines.map((line) => [line.part, line.runId, line.messageId, line.lastError]),
      [[0, runId, 'm', 'given up']],
    );
    assert.deepEqual(await store.listOutbox('default', ['waiting'], 10), []);
    assert.deepEqual(await store.listOutbox('other', null, 10), []);
    assert.equal(await store.actOnOutbox(0, runId, 'm', { act: 'retry', by: 'ops', reason: 'it is back' }), 'dead');
    assert.deepEqual(await statesOf(store, runId), [['m', 'waiting', 0]]);
    assert.equal((await store.claimOutbox(0, ALL))[0]?.attempt, 1);
    assert.equal(
      await store.actOnOutbox(0, runId, 'm', { act: 'drop', by: 'ops', reason: 'told by phone' }),
      'waiting',
    );
    assert.equal(await store.actOnOutbox(0, runId, 'm', { act: 'retry', by: 'ops', reason: 'again' }), 'dropped');
    assert.equal(await store.actOnOutbox(0, runId, 'none', { act: 'retry', by: 'ops', reason: 'again' }), null);
    assert.equal(await store.actOnOutbox(0, newRunId(), 'm', { act: 'retry', by: 'ops', reason: 'again' }), null);
    assert.deepEqual(await store.listOutbox('default', null, 10), []);
    assert.deepEqual(
      (await store.audit(0, runId)).map(({ actor, act, target, reason, detail }) => [
        actor,
        act,
        target,
        reason,
        detail,
      ]),
      [
        ['ops', 'outbox.retry', 'm', 'it is back', { was: 'dead' }],
        ['ops', 'outbox.drop', 'm', 'told by phone', { was: 'waiting' }],
      ],
    );
  });

  test('A commit without messages writes none', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    await store.commit(0, worker, [commitOf(runId, 1, 1)]);
    assert.deepEqual(await store.outbox(0, runId), []);
    assert.deepEqual(await store.outbox(0, newRunId()), []);
  });
}
