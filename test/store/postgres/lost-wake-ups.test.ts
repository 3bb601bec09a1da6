import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { ChangePlace } from '../../../src/model/run-change.ts';
import { commitBatch } from '../../../src/store/postgres/commit-batch.ts';
import { type Connections, openConnections } from '../../../src/store/postgres/connections.ts';
import { payloadText } from '../../../src/store/postgres/rows.ts';
import { COMMIT } from '../../../src/store/postgres/sql/commit.ts';
import { DELIVER } from '../../../src/store/postgres/sql/deliver.ts';
import { commitOf, LEASE_MS, seated, signalTo, startFree } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, runSql, type TestStore } from '../../support/postgres.ts';

const RIGHT_UPSERT = 'DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1';
const RIGHT_RELEASE = 'r.wake IS NOT DISTINCT FROM w.wake_seen AS seen';

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore({ numbers: numbersFor(LEASE_MS) });
});
afterEach(() => opened.close());

/** The claim of a waking run while a deliverer's transaction is open. @returns the events that a later claim finds. */
async function claimDuringDelivery(deliverText: string): Promise<string[]> {
  const { store, url } = opened;
  const [runId] = await startFree(store, 1);
  if (runId === undefined) throw new Error('no run');
  const signal = signalTo(runId, 'e-1');
  const worker = await seated(store);
  const deliverer = new pg.Client({ connectionString: url });
  await deliverer.connect();
  try {
    await deliverer.query('BEGIN');
    await deliverer.query(deliverText, [
      0,
      [runId],
      [signal.source],
      [signal.eventId],
      [payloadText(signal.payload)],
      [signal.payloadHash],
    ]);
    const claims = await store.claim(0, worker, 10);
    for (const { run } of claims) {
      expect(run.inbox).toEqual([]);
      const [seen] = await store.drain(0, worker);
      await store.commit(0, worker, [
        commitOf(runId, run.fence, 1, { lease: { kind: 'release', wakeSeen: seen?.wake ?? null, readyAtMs: null } }),
      ]);
    }
    await deliverer.query('COMMIT');
  } finally {
    await deliverer.end();
  }
  return (await store.claim(0, worker, 10)).flatMap(({ run }) => run.inbox.map((event) => event.eventId));
}

/** A release after a drain that a signal overtook, by a commit statement with this text. @returns the events that a later claim finds. */
async function releaseAfterSignal(commitText: string): Promise<string[]> {
  const { store, url } = opened;
  const [runId] = await startFree(store, 1);
  if (runId === undefined) throw new Error('no run');
  const worker = await seated(store);
  await store.claim(0, worker, 1);
  await store.deliver(0, [signalTo(runId, 'e-1')]);
  const [drained] = await store.drain(0, worker);
  await store.deliver(0, [signalTo(runId, 'e-2')]);
  const connections = openConnections({
    url,
    connections: 1,
    pooler: 'none',
    applicationName: 'test',
    numbers: numbersFor(LEASE_MS),
  });
  const altered: Connections = {
    ...connections,
    run: (statement, values, lane) => connections.run({ ...statement, text: commitText }, values, lane),
  };
  const answer = {
    source: 'signal:shop',
    eventId: 'e-1',
    outcome: 'kept',
    code: null,
    detail: null,
    consumed: false,
  } as const;
  await store.commit(0, worker, [commitOf(runId, 1, 1, { inbox: [answer] })]);
  const release = commitOf(runId, 1, 1, {
    lease: { kind: 'release', wakeSeen: drained?.wake ?? null, readyAtMs: null },
  });
  expect((await commitBatch(altered, 0, worker, [release]))[0]?.kind).toBe('applied');
  await connections.close();
  return (await store.claim(0, worker, 10)).flatMap(({ run }) =>
    run.inbox.filter((event) => event.outcome === null).map((event) => event.eventId),
  );
}

describe('The two lost wake-ups', () => {
  it('W01 a signal in an open transaction keeps its wake-up from a claim that comes meanwhile', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    expect(await claimDuringDelivery(DELIVER.text)).toEqual(['e-1']);
  });

  it('W01 with DO NOTHING the same signal is forgotten: the test sees the fault', async () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert DO UPDATE SET due_at = least(…), wake = wake + 1."
    expect(DELIVER.text.split(RIGHT_UPSERT)).toHaveLength(2);
    expect(await claimDuringDelivery(DELIVER.text.replace(RIGHT_UPSERT, 'DO NOTHING'))).toEqual([]);
  });

  it('W03 a signal committed between the last drain and the release is found by the next claim', async () => {
    // W03: "Only a claim, or a drain or release that names the `wake` it saw, deletes a wake-up."
    expect(await releaseAfterSignal(COMMIT.text)).toEqual(['e-2']);
  });

  it('W03 with a release that deletes any wake-up the same signal is forgotten: the test sees the fault', async () => {
    // W03: "Only a claim, or a drain or release that names the `wake` it saw, deletes a wake-up."
    expect(COMMIT.text.split(RIGHT_RELEASE)).toHaveLength(2);
    expect(await releaseAfterSignal(COMMIT.text.replace(RIGHT_RELEASE, 'true AS seen'))).toEqual([]);
  });
});

describe('Changes that become visible late', () => {
  const WRITE = `INSERT INTO pawl.change (part, run_id, tenant, revision, status, effects, at)
VALUES (0, $1, 'default', 2, 'HELD', '[]', now())`;
  const LOOKS_MAX = 20_000;

  it('A commit that is slower than those after it is not passed over: nothing is told before it', async () => {
    const { store, url } = opened;
    let position = (await store.changes('default', 0, null, 1)).horizon;
    const told: string[] = [];
    /** Goes on reading as a stream does, one by one. */
    const readOn = async (): Promise<void> => {
      const { changes, next } = await store.changes('default', 0, { position, runId: null }, 1);
      told.push(...changes.map(({ status, runId }) => `${status} ${runId}`));
      position = next;
    };
    const readUntil = async (count: number): Promise<void> => {
      for (let look = 0; look < LOOKS_MAX && told.length < count; look += 1) await readOn();
    };
    const [first] = await startFree(store, 1);
    const [second] = await startFree(store, 1);
    await readUntil(2);
    expect(told).toEqual([`RUNNING ${first}`, `RUNNING ${second}`]);
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    try {
      await slow.query('BEGIN');
      await slow.query(WRITE, [first]);
      await runSql(url, WRITE, [second]);
      for (let look = 0; look < 5; look += 1) await readOn();
      expect(told).toHaveLength(2);
      await slow.query('COMMIT');
    } finally {
      await slow.end();
    }
    await readUntil(4);
    expect(told.slice(2)).toEqual([`HELD ${first}`, `HELD ${second}`]);
  });

  it('Cut behind every change while others write, a reader finds each once: none is missing', async () => {
    const { store, url } = opened;
    const from = (await store.changes('default', 0, null, 1)).horizon;
    const runs = await startFree(store, 20);
    const writers = await Promise.all(
      [0, 1, 2, 3].map(async () => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        return client;
      }),
    );
    /** Each run by two of them, in transactions that overlap and end in another order than they began. */
    const write = async (client: pg.Client, at: number): Promise<void> => {
      for (const [index, runId] of runs.entries()) {
        if (index % 2 !== at % 2) continue;
        await client.query('BEGIN');
        await client.query(WRITE, [runId]);
        for (let pause = 0; pause < at; pause += 1) await store.nowMs();
        await client.query('COMMIT');
      }
    };
    const written = Promise.all(writers.map(write));
    const told: string[] = [];
    let place: ChangePlace = { position: from, runId: null };
    for (let look = 0; look < LOOKS_MAX && told.length < 60; look += 1) {
      const { changes, next } = await store.changes('default', 0, place, 1);
      const [change] = changes;
      if (change !== undefined) told.push(`${change.status} ${change.position} ${change.runId}`);
      place = change ?? { position: next, runId: null };
    }
    await written;
    for (const client of writers) await client.end();
    expect([told.length, new Set(told).size]).toEqual([60, 60]);
    expect((await store.changes('default', 0, place, 100)).changes).toEqual([]);
  });
});
