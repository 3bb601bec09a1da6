import assert from 'node:assert/strict';
import type { RunId } from '../../model/ids.ts';
import type { EffectFilter, EffectLine } from '../../ports/ledger-store.ts';
import type { RunsAsked, Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { effectOf, identityOf, inserting, newRunId, seated, startOf } from './rows.ts';

const T0 = 1_700_000_000_000;

/** A run with three effects: one in doubt since a minute after its start, one confirmed after two, one that was not sent yet. */
async function runWith(store: Store, workflow: string, startedAtMs: number): Promise<RunId> {
  const workerId = await seated(store);
  const run = identityOf(newRunId(), store.parts, { workflow, startedAtMs });
  const pay = {
    action: 'bank.pay',
    state: 'UNKNOWN',
    unknownSinceMs: startedAtMs + 60_000,
    requestedAtMs: startedAtMs,
  } as const;
  const book = { action: 'books.write', state: 'CONFIRMED', settledAtMs: startedAtMs + 120_000 } as const;
  const wait = {
    action: 'bank.pay',
    state: 'PROPOSED',
    requestedAtMs: null,
    unknownSinceMs: null,
    settledAtMs: null,
  } as const;
  const named = { pay, book, wait };
  const effects = Object.entries(named).map(([step, set]) =>
    inserting(effectOf(`${step} ${run.runId}`, { step, ...set })),
  );
  const [answer] = await store.start(0, [startOf(run, { kind: 'keep', workerId }, { effects })]);
  assert.equal(answer?.created, true);
  return run.runId;
}

/** Walks the pages of a list, each behind the last line of the one before; behind the first something else begins. */
async function walk(
  list: (filter: Partial<EffectFilter>) => Promise<readonly EffectLine[]>,
  begin: () => Promise<unknown>,
): Promise<readonly EffectLine[]> {
  const walked: EffectLine[] = [];
  for (;;) {
    const after = walked.at(-1);
    const page = await list({ limit: 2, ...(after === undefined ? {} : { after }) });
    if (page.length === 0) return walked;
    walked.push(...page);
    if (after === undefined) await begin();
  }
}

/** Effects of all runs: found, in a stable order; and runs by what they have done. */
export function ledgerConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('Runs are listed and counted by the states of their effects and by the time of their start', async ({
    store,
  }) => {
    const old = await runWith(store, 'shop', T0);
    const young = await runWith(store, 'bank', T0 + 600_000);
    const any = { tenant: 'default', workflow: null, statuses: null, needsHuman: false, q: null };
    const [known] = await store.findRun('default', old);
    const asks: readonly (readonly [Partial<RunsAsked>, readonly RunId[]])[] = [
      [{}, [young, old]],
      [{ effectStates: ['UNKNOWN', 'FAILED'] }, [young, old]],
      [{ effectStates: ['FAILED'] }, []],
      [{ startedAfterMs: T0 + 1 }, [young]],
      [{ startedAfterMs: T0, startedBeforeMs: T0 + 600_000 }, [old]],
      [{ workflows: ['bank'], effectStates: ['CONFIRMED'] }, [young]],
      [{ digests: known?.digest === undefined ? [] : [known.digest], workflows: ['shop'] }, [old]],
      [{ digests: [] }, []],
    ];
    for (const [asked, runIds] of asks) {
      const lines = await store.listRuns({ ...any, ...asked, limit: 10 });
      assert.deepEqual(
        lines.map(({ run }) => run.runId),
        runIds,
      );
      assert.equal(await store.countRuns({ ...any, ...asked }, 10), runIds.length);
      assert.equal(await store.countRuns({ ...any, ...asked }, 1), Math.min(1, runIds.length));
    }
  });

  test('Effects of all runs are listed by state, action, run, workflow and age, page by page without skip or repeat', async ({
    store,
  }) => {
    const old = await runWith(store, 'shop', T0);
    const young = await runWith(store, 'bank', T0 + 600_000);
    const list = (filter: Partial<EffectFilter>): Promise<readonly EffectLine[]> =>
      store.effects({ tenant: 'default', limit: 10, ...filter });
    const told = async (filter: Partial<EffectFilter>): Promise<readonly string[]> =>
      (await list(filter)).map(({ step, runId }) => `${step} ${runId === old ? 'old' : 'young'}`).sort();
    const all = await list({});
    assert.deepEqual(
      all.map(({ runId }) => runId),
      [young, young, young, old, old, old],
    );
    for (const runId of [old, young]) {
      const keys = all.filter((line) => line.runId === runId).map(({ key }) => key);
      assert.deepEqual(keys, [...keys].sort());
    }
    assert.deepEqual(await told({ states: ['UNKNOWN'] }), ['pay old', 'pay young']);
    assert.deepEqual(await told({ states: ['UNKNOWN', 'CONFIRMED'], runId: old }), ['book old', 'pay old']);
    assert.deepEqual(await told({ action: 'books.write', workflow: 'bank' }), ['book young']);
    assert.deepEqual(await told({ workflows: ['shop'], states: ['PROPOSED'] }), ['wait old']);
    assert.deepEqual(await told({ workflows: [] }), []);
    assert.deepEqual(await told({ beforeMs: T0 + 60_000 }), ['wait old']);
    assert.deepEqual(await told({ beforeMs: T0 + 120_000 }), ['pay old', 'wait old']);
    assert.deepEqual(await told({ tenant: 'other' }), []);
    const [line] = await list({ states: ['CONFIRMED'], runId: old });
    assert.ok(line);
    const settledAtMs = T0 + 120_000;
    assert.deepEqual(
      [line.workflow, line.step, line.action, line.state, line.startedAtMs, line.sinceMs, line.settledAtMs],
      ['shop', 'book', 'books.write', 'CONFIRMED', T0, settledAtMs, settledAtMs],
    );
    const paged = await walk(list, () => runWith(store, 'shop', T0 + 900_000));
    assert.deepEqual(paged, all);
  });
}
