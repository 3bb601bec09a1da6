import assert from 'node:assert/strict';
import type { RunId } from '../../model/ids.ts';
import type { RunChange } from '../../model/run-change.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  changing,
  commitOf,
  effectOf,
  headAt,
  identityOf,
  inserting,
  newRunId,
  seated,
  startFree,
  startHeld,
  startOneHeld,
  startOf,
  stepOf,
} from './rows.ts';

const MANY = 1_000;
const LOOKS_MAX = 20_000;

/** Where a part stands now. */
async function standing(store: Store): Promise<number> {
  return (await store.changes('default', 0, null, 1)).horizon;
}

/**
 * All that was told since a position, as soon as `isAll`: what is committed is told once nothing that is under way, of whoever else
 * uses the server, could come before it.
 */
async function since(
  store: Store,
  position: number,
  isAll: (changes: readonly RunChange[]) => boolean,
): Promise<readonly RunChange[]> {
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const { changes } = await store.changes('default', 0, { position, runId: null }, MANY);
    if (isAll(changes)) return changes;
  }
  assert.fail('what was committed is not told');
}

/** What is told, and what is not. */
function tellingConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('a start and each commit that somebody could see is told once, in order; one that only files something is not', async ({
    store,
  }) => {
    const worker = await seated(store);
    const from = await standing(store);
    const runId = await startOneHeld(store, worker);
    const effect = effectOf('seen');
    await store.commit(0, worker, [stepOf(runId, 1, 1, { effects: [inserting(effect)] })]);
    // Nothing of the head moves, and yet it is in doubt now.
    const doubt = { state: 'UNKNOWN', everUnknown: true } as const;
    await store.commit(0, worker, [commitOf(runId, 1, 2, { effects: [changing(effect, doubt)] })]);
    await store.commit(0, worker, [stepOf(runId, 1, 1)]);
    const filed = { part: 0, runId, effectKey: effect.key, source: 's', sourceId: 'i', detail: null };
    await store.commit(0, worker, [commitOf(runId, 1, 2, { observations: [filed] })]);
    await store.commit(0, worker, [stepOf(runId, 1, 2, { head: headAt(3, { status: 'WAITING' }) })]);
    const told = await since(store, from, (changes) => changes.some(({ status }) => status === 'WAITING'));
    assert.deepEqual(
      told.map(({ revision, status, effects }) => [
        revision,
        status,
        effects.map(({ step, state }) => `${step} ${state}`),
      ]),
      [
        [1, 'RUNNING', ['pay AUTHORIZED']],
        [2, 'RUNNING', ['pay REQUESTED']],
        [2, 'RUNNING', ['pay UNKNOWN']],
        [3, 'WAITING', []],
      ],
    );
    assert.equal(told[1]?.effects[0]?.key, effect.key);
    assert.ok(told.every(({ workflow, version, key }) => workflow === 'shop' && version === 1 && key === runId));
    assert.ok(told.every(({ atMs }) => atMs > 0));
    const behind = { position: await standing(store), runId: null };
    const { changes, next, horizon } = await store.changes('default', 0, behind, MANY);
    assert.deepEqual([changes, next], [[], horizon]);
    assert.deepEqual((await store.changes('other', 0, { position: from, runId: null }, MANY)).changes, []);
  });

  test('a start that was there already tells nothing', async ({ store }) => {
    const from = await standing(store);
    const run = identityOf(newRunId(), store.parts, { key: 'order-1' });
    const again = identityOf(newRunId(), store.parts, { key: 'order-1' });
    const started: RunId[] = [];
    for (const one of [run, again])
      for (const { runId } of await store.start(0, [startOf(one, { kind: 'free', readyAtMs: null })]))
        started.push(runId);
    assert.deepEqual(started, [run.runId, run.runId]);
    const [last] = await startFree(store, 1);
    const told = await since(store, from, (changes) => changes.some(({ runId }) => runId === last));
    assert.deepEqual(
      told.map(({ runId }) => runId),
      [run.runId, last],
    );
  });
}

/** How it is read page by page, and dropped. */
function pagingConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('pages meet: each has all runs of its last position, and a place between two of them goes on behind the first', async ({
    store,
  }) => {
    const worker = await seated(store);
    const from = await standing(store);
    await startHeld(store, worker, 3);
    await startFree(store, 3);
    await startOneHeld(store, worker);
    const all = await since(store, from, ({ length }) => length >= 7);
    assert.equal(new Set(all.map(({ runId }) => runId)).size, 7);
    const paged: RunChange[] = [];
    for (let position = from; ; ) {
      const page = await store.changes('default', 0, { position, runId: null }, 2);
      paged.push(...page.changes);
      position = page.next;
      if (page.changes.length < 2) break;
    }
    assert.deepEqual(paged, all);
    for (const [at, { position, runId }] of all.entries())
      assert.deepEqual((await store.changes('default', 0, { position, runId }, MANY)).changes, all.slice(at + 1));
  });

  test('what is older than asked is dropped, the oldest first, and what was before it is said to be gone', async ({
    store,
    advance,
  }) => {
    const from = await standing(store);
    for (let count = 0; count < 3; count += 1) await startFree(store, 1);
    const old = await since(store, from, ({ length }) => length >= 3);
    await advance(10_000);
    await startFree(store, 1);
    await since(store, from, ({ length }) => length >= 4);
    assert.equal(await store.forgetChanges(0, 20_000, MANY), 0);
    assert.equal((await store.changes('default', 0, null, 1)).keptFrom, 0);
    assert.equal(await store.forgetChanges(0, 5_000, 2), 2);
    const { changes, keptFrom } = await store.changes('default', 0, { position: from, runId: null }, MANY);
    assert.equal(changes.length, 2);
    assert.ok(keptFrom > (old[1]?.position ?? 0) && keptFrom <= (old[2]?.position ?? 0));
    assert.equal(await store.forgetChanges(0, 5_000, MANY), 1);
    assert.equal(await store.forgetChanges(0, 5_000, MANY), 0);
    assert.equal((await store.changes('default', 0, { position: from, runId: null }, MANY)).changes.length, 1);
  });
}

/** What a store tells of what its commits have changed. */
export function changeConformance(harness: ConformanceHarness): void {
  tellingConformance(harness);
  pagingConformance(harness);
}
