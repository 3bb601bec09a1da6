import assert from 'node:assert/strict';
import type { ActionContract } from '../../model/definition.ts';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { SendOrder } from '../../model/order.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import type { StatementAsk, StatementStore } from '../../ports/statement-store.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { effectOf, headAt, identityOf, loadOne, newRunId, newWorkerId, seated, startOneHeld, stepOf } from './rows.ts';

/** The statement of these tests, and the only one that a store without a database has to know: it gives back what it is given. */
export const GIVEN_BACK = 'SELECT :n::int AS n';

const CONTRACT: ActionContract = {
  name: 'books.read',
  transport: { kind: 'sql', statement: GIVEN_BACK, expectRows: null },
  auth: null,
  effect: 'write',
  idempotency: null,
  settlesWithinMs: 0,
  outcome: [],
  reconcile: null,
  compensate: null,
  retry: { attempts: 1, delayMs: 0, factor: 1, capMs: null, jitter: 0, withinMs: null, on: [], when: null },
  timeoutMs: 5_000,
  input: {},
  output: {},
  maxResponseBytes: 1_048_576,
  redact: [],
  contract: 1,
  pointer: '/actions/books.read',
};

function orderOf(runId: RunId, parts: number): SendOrder {
  const request = {
    ...{ action: 'books.read', contract: 1, method: null, url: null, headers: {}, function: null, body: null },
    with: { n: 7 },
  };
  return {
    run: identityOf(runId, parts),
    effect: effectOf(`effect of ${runId}`),
    request,
    contract: CONTRACT,
    attempt: 1,
    fence: 1,
    timeoutMs: 5_000,
  };
}

function doorOf(store: Store): StatementStore['act'] {
  assert.ok(store.act, 'the store was opened without statements');
  return store.act;
}

function askOf(store: Store, runId: RunId, workerId: WorkerId, set: Partial<StatementAsk> = {}): StatementAsk {
  return { part: 0, workerId, runId, fence: 1, revision: 1, order: orderOf(runId, store.parts), ...set };
}

function bodyOf(report: AttemptReport | undefined): unknown {
  return report?.kind === 'answered' ? report.body : report;
}

/** E13: a statement and the run's commit are one transaction. The store is opened with statements. */
export function actConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('E13: what a statement came to is decided before it is kept, and kept with the commit of the run', async ({
    store,
  }) => {
    const workerId = await seated(store);
    const runId = await startOneHeld(store, workerId);
    const seen: AttemptReport[] = [];
    const answer = await doorOf(store)(askOf(store, runId, workerId), (report) => {
      seen.push(report);
      return stepOf(runId, 1, 1, { head: headAt(2, { status: 'WAITING' }) });
    });
    assert.deepEqual(seen.map(bodyOf), [{ rows: [{ n: 7 }], rowCount: 1 }]);
    assert.equal(answer.kind, 'applied');
    const { revision, status } = await loadOne(store, runId);
    assert.deepEqual([revision, status], [2, 'WAITING']);
    assert.deepEqual(
      (await store.journal(0, runId)).map((row) => row.revision),
      [1, 2],
    );
  });

  test('E13: what nobody wants to keep is taken back, and the run is as it was', async ({ store }) => {
    const workerId = await seated(store);
    const runId = await startOneHeld(store, workerId);
    const before = await loadOne(store, runId);
    assert.deepEqual(await doorOf(store)(askOf(store, runId, workerId), () => null), { kind: 'undone' });
    assert.deepEqual(await loadOne(store, runId), before);
  });

  test('E13: for a run that is not as its holder knows it no statement is carried out', async ({ store }) => {
    const workerId = await seated(store);
    const runId = await startOneHeld(store, workerId);
    const nobody = newRunId();
    const asks: readonly (readonly [StatementAsk, object])[] = [
      [askOf(store, runId, workerId, { fence: 2 }), { kind: 'fenced', fence: 1 }],
      [askOf(store, runId, newWorkerId()), { kind: 'fenced', fence: 1 }],
      [askOf(store, runId, workerId, { revision: 2 }), { kind: 'stale', revision: 1 }],
      [askOf(store, nobody, workerId), { kind: 'busy' }],
    ];
    for (const [ask, told] of asks) {
      const answer = await doorOf(store)(ask, () => assert.fail('it was carried out'));
      assert.deepEqual(answer, told);
    }
    assert.equal((await loadOne(store, runId)).revision, 1);
  });
}
