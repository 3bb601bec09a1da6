import { expect, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { RunId, WorkerId } from '../../../src/model/ids.ts';
import type { RunCommit } from '../../../src/model/run-commit.ts';
import type { ClaimedRun, DrainedRun, Store } from '../../../src/ports/store.ts';
import { LEASE_MS, newWorkerId, signalTo, startFree, stepOf } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, runSql } from '../../support/postgres.ts';

const RUNS = 2_000;
/** So many transitions are committed among everything else, however long that takes. */
const TRANSITIONS = 2_000;

/** A seeded row of numbers in [0, 1): the same every time. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function nextCommit({ run }: ClaimedRun, drained: DrainedRun | undefined, dice: () => number): RunCommit {
  const release = dice() < 0.7;
  const due = { name: 'nap:wait', dueAtMs: dice() < 0.5 ? 0 : 4_000_000_000_000, generation: run.revision + 1 };
  const answers = (drained ?? run).inbox.map(
    ({ source, eventId }) =>
      ({ source, eventId, outcome: 'applied', code: null, detail: null, consumed: true }) as const,
  );
  return stepOf(run.run.runId, run.fence, run.revision, {
    timersSet: dice() < 0.5 ? [due] : [],
    timersCleared: dice() < 0.5 ? ['nap:wait'] : [],
    inbox: answers,
    lease: release
      ? { kind: 'release', wakeSeen: drained?.wake ?? null, readyAtMs: dice() < 0.5 ? 0 : null }
      : { kind: 'keep' },
  });
}

/** A worker's life in fast motion: claims, commits in batches of mixed order, loses its seat now and then. */
async function work(store: Store, dice: () => number, progress: { applied: number }): Promise<void> {
  let worker: WorkerId = newWorkerId();
  while (progress.applied < TRANSITIONS) {
    await store.takeSeat(0, worker, LEASE_MS);
    const claims = await store.claim(0, worker, 50);
    const drained = new Map((await store.drain(0, worker)).map((row) => [row.runId, row]));
    const answers = await store.commit(
      0,
      worker,
      claims.map((claimed) => nextCommit(claimed, drained.get(claimed.run.run.runId), dice)),
    );
    progress.applied += answers.filter((answer) => answer.kind === 'applied').length;
    expect(answers.filter((answer) => answer.kind === 'failed')).toEqual([]);
    if (dice() < 0.2) {
      await store.leaveSeat(0, worker);
      worker = newWorkerId();
    } else await store.disown(0, worker, [], 0);
  }
}

async function deliverAll(
  store: Store,
  runs: readonly RunId[],
  dice: () => number,
  until: () => boolean,
): Promise<void> {
  for (let event = 0; !until(); event += 1) {
    const some = Array.from({ length: 40 }, () => runs[Math.floor(dice() * runs.length)]).filter(
      (runId) => runId !== undefined,
    );
    await store.deliver(
      0,
      some.map((runId, index) => signalTo(runId, `${event}-${index}`)),
    );
    const one = some[0];
    if (one !== undefined) await store.deliverAndClaim(signalTo(one, `api-${event}`), newWorkerId(), LEASE_MS);
  }
}

async function repeat(until: () => boolean, round: () => Promise<unknown>): Promise<void> {
  while (!until()) await round();
}

it('Commit, fire, sweep, deliver, claim and disown together on 2,000 runs, for 2,000 transitions: no deadlock, and nothing torn', async () => {
  const opened = await openTestStore({ numbers: numbersFor(LEASE_MS), parts: 1, connections: 8 });
  const { store, url } = opened;
  const other = await opened.again();
  const runs = await startFree(store, RUNS);
  const progress = { applied: 0 };
  const until = (): boolean => progress.applied >= TRANSITIONS;
  await Promise.all([
    work(store, createDice(1), progress),
    work(other, createDice(2), progress),
    work(other, createDice(3), progress),
    deliverAll(store, runs, createDice(4), until),
    deliverAll(other, runs, createDice(5), until),
    repeat(until, () => store.fireTimers(0, 100)),
    repeat(until, () => other.fireTimers(0, 100)),
    repeat(until, () => store.sweep(0, 50)),
    repeat(until, () => other.sweep(0, 50)),
  ]);
  await opened.close();
  const [{ deadlocks } = {}] = await runSql(
    url,
    'SELECT pg_stat_force_next_flush(), deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
  ).catch(() => runSql(url, 'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()'));
  expect(deadlocks).toBe(0);
  const torn = await runSql(
    url,
    `SELECT h.run_id FROM pawl.run_head h
     WHERE h.revision <> (SELECT count(*) FROM pawl.journal j WHERE j.part = h.part AND j.run_id = h.run_id)
        OR (h.owner IS NULL) <> NOT EXISTS (SELECT FROM pawl.lease l WHERE l.part = h.part AND l.run_id = h.run_id AND l.worker_id = h.owner AND l.fence = h.fence)
        OR (h.owner IS NULL AND EXISTS (SELECT FROM pawl.inbox b WHERE b.part = h.part AND b.run_id = h.run_id AND NOT b.consumed)
            AND NOT EXISTS (SELECT FROM pawl.ready r WHERE r.part = h.part AND r.run_id = h.run_id))`,
  );
  expect(torn).toEqual([]);
}, 60_000);
