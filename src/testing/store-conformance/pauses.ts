import assert from 'node:assert/strict';
import type { RunId, WorkerId } from '../../model/ids.ts';
import { type Pause, SEND_PAUSED } from '../../model/pause.ts';
import type { Effect } from '../../model/effect.ts';
import type { Store } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { effectOf, identityOf, inserting, newRunId, seated, startOf } from './rows.ts';

const PAUSE: Omit<Pause, 'atMs'> = {
  pauseId: '01890000-0000-7000-8000-0000000000aa',
  tenant: 'default',
  kind: 'action',
  name: 'charge',
  by: 'ana',
  reason: 'the bank is down',
};
const END = { by: 'kai', reason: null } as const;

async function runWith(store: Store, workerId: WorkerId, row: Partial<Effect>): Promise<RunId> {
  const run = identityOf(newRunId(), store.parts);
  const effects = [inserting(effectOf(`pay ${run.runId}`, row))];
  const [answer] = await store.start(0, [startOf(run, { kind: 'keep', workerId }, { effects })]);
  assert.equal(answer?.created, true);
  return run.runId;
}

/** Pauses of workflows, actions and hosts: there while they last, once each, and what they keep is woken at their end. */
export function pauseConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A pause is kept once, with who was first, until it is ended; it is of one tenant and of one thing', async (opened) => {
    const { store, advance } = opened;
    const beforeMs = await store.nowMs();
    assert.equal(await store.beginPause(PAUSE), true);
    await advance(1_000);
    const same: typeof PAUSE = { ...PAUSE, pauseId: '01890000-0000-7000-8000-0000000000ab', by: 'kai' };
    assert.equal(await store.beginPause(same), false);
    assert.equal(await store.beginPause({ ...PAUSE, name: 'other' }), false, 'its id is taken');
    assert.equal(await store.beginPause({ ...same, kind: 'host' }), true);
    const theirs = { ...PAUSE, pauseId: '01890000-0000-7000-8000-0000000000ac', tenant: 'else' };
    assert.equal(await store.beginPause(theirs), true);
    const found = await (await opened.again()).pauses('default');
    assert.ok((found[0]?.atMs ?? 0) >= beforeMs);
    assert.deepEqual(found, [
      { ...PAUSE, atMs: found[0]?.atMs },
      { ...same, kind: 'host', atMs: found[1]?.atMs },
    ]);
    assert.deepEqual(
      (await store.pauses(null)).map(({ pauseId }) => pauseId),
      [PAUSE.pauseId, same.pauseId, theirs.pauseId],
    );
    assert.equal(await store.endPause({ ...PAUSE, tenant: 'else' }, END), false);
    assert.equal(await store.endPause(PAUSE, END), true);
    assert.equal(await store.endPause(PAUSE, END), false);
    assert.deepEqual(
      (await store.pauses('default')).map(({ kind }) => kind),
      ['host'],
    );
  });

  test('W01 the end of a pause wakes the runs of its tenant that it may have kept back, once each, and no others', async ({
    store,
  }) => {
    const worker = await seated(store);
    const kept = { state: 'AUTHORIZED', code: SEND_PAUSED, lastError: 'not sent', notBeforeMs: 9e12 } as const;
    const mine = await runWith(store, worker, kept);
    await runWith(store, worker, { state: 'AUTHORIZED', code: 'http-503', lastError: 'down', notBeforeMs: 9e12 });
    await runWith(store, worker, { ...kept, state: 'CONFIRMED', settledAtMs: 1, notBeforeMs: null });
    const woken = async (): Promise<readonly (readonly [RunId, number | null])[]> =>
      (await store.drain(0, worker)).map(({ runId, wake }) => [runId, wake] as const);
    assert.deepEqual(await woken(), []);
    await store.beginPause(PAUSE);
    assert.deepEqual(await woken(), []);
    assert.equal(await store.endPause({ tenant: 'else', pauseId: PAUSE.pauseId }, END), false);
    assert.deepEqual(await woken(), []);
    await store.endPause(PAUSE, END);
    assert.deepEqual(await woken(), [[mine, 1]]);
    const { dueAtMs, nowMs } = await store.nextDueMs(0);
    assert.ok(dueAtMs !== null && dueAtMs <= nowMs);
    await store.wakePaused('else');
    assert.deepEqual(await woken(), [[mine, 1]]);
    await store.wakePaused('default');
    assert.deepEqual(await woken(), [[mine, 2]]);
  });
}
