import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { Store } from '../../../src/ports/store.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { loadOne, newWorkerId, seated, startOneHeld, stepOf } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, type TestStore } from '../../support/postgres.ts';
import { openWire, type Wire } from '../../support/wire.ts';

let opened: TestStore;
let wire: Wire;
beforeEach(async () => {
  opened = await openTestStore();
  wire = await openWire(opened.url);
});
afterEach(async () => {
  await wire.close();
  await opened.close();
});

/** A store over the wire; its seats live as long as they are asked to. */
function openOver(leaseMs: number, statementTimeoutMs: number): Promise<Store> {
  return openPostgresStore({ url: wire.url, numbers: numbersFor(leaseMs, { statementTimeoutMs }) });
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe('a wire that swallows everything and tells nobody', () => {
  it('P04 a commit whose answer is swallowed is given up in time, its fate is open, and it is found where it was done', async () => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const store = await openOver(1_500, 1_000);
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const commit = stepOf(runId, 1, 1);
    wire.swallowAt('pawl_commit', 'answer');
    await expect(store.commit(0, worker, [commit])).rejects.toMatchObject({
      code: 'PAWL_STORE_ANSWER_LOST',
      retry: 'reconcile',
    });
    const [trace] = await store.trace(0, [{ runId, revision: 2 }]);
    expect(trace?.journal).toMatchObject({ workerId: worker, stateHash: commit.transitions[0]?.stateHash });
    expect((await loadOne(store, runId)).revision).toBe(2);
    await store.close();
  });

  it('P03 a heartbeat that is swallowed is asked again on another connection while the seat lives', async () => {
    // P03: "A heartbeat renews only a living seat (on the main event loop, on a connection of its own: a blocked loop loses its seat)."
    const store = await openOver(1_500, 60_000);
    const worker = newWorkerId();
    await store.takeSeat(0, worker, 60_000);
    wire.swallow();
    await expect(store.beat(0, worker, 60_000)).rejects.toMatchObject({ code: 'PAWL_STORE_ANSWER_LOST' });
    expect(await store.beat(0, worker, 60_000)).not.toBeNull();
    await store.close();
  });

  it('P05 a store that is closed waits for no good-bye, and leaves no socket open', async () => {
    // P05: "SIGTERM: finish or release within the grace."
    const before = openSockets();
    const store = await openOver(1_500, 1_000);
    const hearing = await store.listen(() => undefined);
    await expect.poll(() => hearing.hears(), { interval: 5 }).toBe(true);
    await Promise.all([store.nowMs(), store.nextDueMs(0), seated(store)]);
    wire.swallow();
    await store.close();
    await expect.poll(() => openSockets() - before, { interval: 5 }).toBe(wire.connections());
  });
});
