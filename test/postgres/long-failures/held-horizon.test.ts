import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedRun, Store } from '../../../src/ports/store.ts';
import type { WorkerId } from '../../../src/model/ids.ts';
import { CLAIM } from '../../../src/store/postgres/sql/claim.ts';
import { newWorkerId, startFree, stepOf } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, type TestStore } from '../../support/postgres.ts';
import { LENGTH } from '../support/length.ts';
import { WITHIN_MS } from '../support/saga-house.ts';

const FOR_MS = 600_000 * LENGTH;
/** No more than so many transitions a second; a machine that is slow makes fewer, and says how many. */
const PER_SECOND = 500;
const RUNS = 500;
const BATCH = 50;
const LEASE_MS = 1_200_000;
/** What each of them may leave in the way of a claim, as long as nobody may clear it away: at most half a page. */
const PAGES_PER_TRANSITION = 0.5;
/** As the writers' connections are set. */
const PINNED =
  'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off';

let opened: TestStore;
let client: pg.Client;
beforeAll(async () => {
  if (LENGTH === 0) return;
  opened = await openTestStore({ parts: 1 });
  client = new pg.Client({ connectionString: opened.url });
  await client.connect();
}, WITHIN_MS);
afterAll(async () => {
  if (LENGTH === 0) return;
  await client.end();
  await opened.close();
});

/** A run does something and is due again at once. */
function nextStep({ run }: ClaimedRun): ReturnType<typeof stepOf> {
  return stepOf(run.run.runId, run.fence, run.revision, {
    lease: { kind: 'release', wakeSeen: null, readyAtMs: 0 },
  });
}

/** How many pages a claim looks at, as the server does it; it is taken back. */
async function weighClaim(store: Store): Promise<number> {
  const worker = newWorkerId();
  await store.takeSeat(0, worker, LEASE_MS);
  await client.query('BEGIN');
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE claim(0, '${worker}', ${BATCH}, ${LEASE_MS})`,
  );
  await client.query('ROLLBACK');
  await store.leaveSeat(0, worker);
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** Transitions at the agreed pace for as long as agreed. @returns how many they were, and how long each claim took, milliseconds. */
async function work(store: Store, worker: WorkerId): Promise<{ readonly done: number; readonly tookMs: number[] }> {
  const startedMs = performance.now();
  const sinceMs = (): number => performance.now() - startedMs;
  const tookMs: number[] = [];
  let done = 0;
  while (sinceMs() < FOR_MS) {
    const askedMs = sinceMs();
    const claims = await store.claim(0, worker, BATCH);
    tookMs.push(sinceMs() - askedMs);
    const answers = await store.commit(0, worker, claims.map(nextStep));
    expect(answers.every(({ kind }) => kind === 'applied')).toBe(true);
    done += claims.length;
    await pass(Math.max(0, (done / PER_SECOND) * 1_000 - sinceMs()));
  }
  return { done, tookMs };
}

/** The slowest of the first and of the last hundred. */
function slowest(tookMs: readonly number[]): string {
  return [tookMs.slice(0, 100), tookMs.slice(-100)]
    .map((some) => `${Math.round(Math.max(...some))} ms`)
    .join(', later ');
}

/** Somebody's transaction that sees the database as it was, and keeps everything that is deleted from now on. */
async function holdHorizon(url: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await holder.query('SELECT count(*) FROM pawl.run_head');
  return holder;
}

describe.skipIf(LENGTH === 0)('a transaction that stays open', () => {
  it(
    'F18 a snapshot held for ten minutes of 500 transitions a second: claims stay within their bound, and are light again after it',
    async () => {
      const { store, url } = opened;
      await client.query(PINNED);
      await client.query(`PREPARE claim AS ${CLAIM.text}`);
      await startFree(store, RUNS);
      const worker = newWorkerId();
      await store.takeSeat(0, worker, LEASE_MS);
      const before = await weighClaim(store);
      const holder = await holdHorizon(url);
      const { done, tookMs } = await work(store, worker);
      const under = await weighClaim(store);
      await holder.end();
      await client.query('VACUUM pawl.ready, pawl.run_head, pawl.lease');
      const after = await weighClaim(store);
      console.log(
        `F18: a claim of ${BATCH} looks at ${before} pages before, ${under} after ${done} transitions under a held snapshot, ${after} once it is gone; a claim took at most ${slowest(tookMs)}`,
      );
      expect(under).toBeLessThan(before + PAGES_PER_TRANSITION * done);
      expect(after).toBeLessThan(under / 2);
    },
    FOR_MS + 5 * WITHIN_MS,
  );
});
