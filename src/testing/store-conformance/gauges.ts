import assert from 'node:assert/strict';
import type { NewBatch } from '../../model/batch.ts';
import type { OutboxMessage } from '../../model/outbox.ts';
import type { HeadChange } from '../../model/run-commit.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { effectOf, headAt, identityOf, inserting, newRunId, seated, signalTo, startOf } from './rows.ts';

const T0 = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const MESSAGE: OutboxMessage = {
  revision: 1,
  ordinal: 0,
  messageId: 'm',
  topic: 'event',
  key: null,
  step: 'tell',
  frames: [],
  body: '{}',
  atMs: T0,
};

const BATCH: NewBatch = {
  batchId: '00000000-0000-8000-8000-000000000001',
  tenant: 'default',
  action: 'retry',
  params: {},
  requestHash: 'h',
  by: 'ana',
  keyId: null,
  reason: 'the bank is back',
  maxFailures: null,
  ratePerSecond: null,
};

/** A run in that status, with an effect of each state that is named, the first in doubt since T0. @returns its id. */
async function runIn(store: Store, head: Partial<HeadChange>, set: Partial<Parameters<typeof startOf>[2]> = {}) {
  const workerId = await seated(store);
  const run = identityOf(newRunId(), store.parts);
  const states = ['UNKNOWN', 'REQUESTED', 'CONFIRMED'] as const;
  const effects = states.map((state) =>
    inserting(effectOf(`${state} ${run.runId}`, { state, unknownSinceMs: state === 'UNKNOWN' ? T0 : null })),
  );
  const start = startOf(run, { kind: 'keep', workerId }, { head: { ...headAt(1), ...head }, effects, ...set });
  assert.equal((await store.start(0, [start]))[0]?.created, true);
  return run.runId;
}

/** What is counted, as text; an age by the hour. */
async function told(store: Store, tenant = 'default'): Promise<readonly string[]> {
  const words = (ageMs: number | null): string => (ageMs === null ? '' : ` ${Math.floor(ageMs / HOUR_MS)}h`);
  return (await store.gauges(tenant)).map(
    ({ measure, label, count, ageMs }) => `${measure} ${label ?? '-'} ${count}${words(ageMs)}`,
  );
}

/** How much is open: counted without history, each tenant's alone. */
export function gaugeConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('what has not ended, needs people, is in doubt, is due or waits is counted, and nothing that is over', async ({
    store,
    advance,
  }) => {
    assert.deepEqual(await told(store), []);
    const nowMs = await store.nowMs();
    const timers = [
      { name: 'late', dueAtMs: nowMs - 1_000, generation: 1 },
      { name: 'ahead', dueAtMs: nowMs + 24 * HOUR_MS, generation: 1 },
    ];
    const outbox = [{ ...MESSAGE, atMs: nowMs }];
    const needs = ['incident:unknown', 'pause:resume'];
    const runId = await runIn(store, { status: 'HELD', needs }, { timers, outbox });
    await runIn(store, { status: 'HELD', needs: ['incident:unknown'] });
    await runIn(store, { status: 'WAITING' });
    await runIn(store, { status: 'TERMINATED', phase: 'ended', endedAtMs: T0 });
    await store.deliver(0, [signalTo(runId, 'a'), signalTo(runId, 'b')]);
    await store.createBatch(BATCH, [{ runId, part: 0, workflow: 'shop' }]);
    await advance(2 * HOUR_MS);
    const sinceT0 = Math.floor(((await store.nowMs()) - T0) / HOUR_MS);
    assert.deepEqual(await told(store), [
      'batches - 1',
      `doubt - 4 ${sinceT0}h`,
      'effects REQUESTED 3',
      'effects UNKNOWN 3',
      'inbox - 2 2h',
      'needs incident:unknown 2',
      'needs pause:resume 1',
      'outbox waiting 1 2h',
      'runs HELD 2',
      'runs WAITING 1',
      'timers - 1 2h',
    ]);
    assert.deepEqual(await told(store, 'other'), []);
  });
}
