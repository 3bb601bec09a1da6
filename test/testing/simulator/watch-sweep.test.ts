import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store.ts';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { LEASE_MS, seated, signalTo, startFree, startOneHeld } from '../../../src/testing/store-conformance/rows.ts';
import type { Violation } from '../../../src/testing/simulator/oracle.ts';
import { watchSweep } from '../../../src/testing/simulator/watch-sweep.ts';

function watched() {
  const clock = { at: 1_800_000_000_000, nowMs: () => clock.at };
  const store = openMemoryStore({ clock, parts: 4, leaseMs: LEASE_MS });
  const violations: Violation[] = [];
  return { clock, store, violations };
}

describe('The watch over sweeps', () => {
  it('accuses nobody of a run that was leased, and whose seat ended, while the sweep waited for a transaction', async () => {
    const { clock, store, violations } = watched();
    const [first, second] = [await seated(store), await seated(store)];
    const held = await startOneHeld(store, first);
    const [free] = await startFree(store, 1);
    clock.at += LEASE_MS - 1;
    await store.beat(0, second, LEASE_MS);
    clock.at += 2;
    const delivery = await store.beginDelivery(0, [signalTo(held, 'e-1')]);
    const swept = watchSweep(store, violations)(0, 10);
    expect((await store.claim(0, second, 10)).map(({ run }) => run.run.runId)).toEqual([free]);
    clock.at += 2 * LEASE_MS;
    await delivery.commit();
    expect(new Set(await swept)).toEqual(new Set([held, free]));
    expect(violations).toEqual([]);
  });

  it('accuses a sweep that takes the run of a living seat', async () => {
    const { store, violations } = watched();
    const holder = await seated(store);
    const held = await startOneHeld(store, holder);
    const greedy: Store['sweep'] = async () => [held];
    expect(await watchSweep({ ...store, sweep: greedy }, violations)(0, 10)).toEqual([held]);
    expect(violations).toMatchObject([{ rule: 'sweep', runId: held, subject: holder }]);
  });
});
