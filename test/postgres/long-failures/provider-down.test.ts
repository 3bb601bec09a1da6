import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_MS_MAX, OPEN_MS_MIN } from '../../../src/engine/circuits.ts';
import { httpAction } from '../../engine/support/workflows.ts';
import { createTestDatabase, runSql } from '../../support/postgres.ts';
import { STEP_CLOCK } from '../../support/stepped-clock.ts';
import { LENGTH } from '../support/length.ts';
import { persist } from '../support/persist.ts';
import { openSagaHouse, type SagaHouse, WITHIN_MS } from '../support/saga-house.ts';

const FOR_MS = 600_000 * LENGTH;
const RUNS = 10_000 * LENGTH;
const AT_ONCE = 20;
/** Longer than the time is stepped on at the end. */
const LEASE_MS = 4 * OPEN_MS_MAX;

let url: string;
let house: SagaHouse;
beforeAll(async () => {
  if (LENGTH === 0) return;
  url = await createTestDatabase();
  house = await openSagaHouse({ store: { url }, workers: null });
}, WITHIN_MS);
afterAll(async () => {
  if (LENGTH > 0) await house.close();
});

/** Transactions of the database so far. */
async function commits(): Promise<number> {
  const [row] = await runSql(
    url,
    'SELECT xact_commit::integer AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.['commits'] as number;
}

interface Look {
  readonly calls: number;
  readonly commits: number;
}

describe.skipIf(LENGTH === 0)('a provider that is down for long', () => {
  it(
    'F39 ten thousand runs wait without a storm: a request a second at most, a database whose load does not grow, and all go on once it is up',
    async () => {
      const { provider } = house;
      const look = async (): Promise<Look> => ({ calls: provider.calls().length, commits: await commits() });
      const since = async (before: Look): Promise<Look> => {
        const now = await look();
        return { calls: now.calls - before.calls, commits: now.commits - before.commits };
      };
      provider.setScript({ charge: '503' });
      const action = httpAction(provider.url, 'charge', ['compensate: none']).replace('timeout: 1s', 'timeout: 20s');
      const text = `pawl: 1\nworkflow: patient\nversion: 1\ntimeout: 1d\nactions:\n${action}\nsteps:\n  - { id: charge, call: shop.charge, retry: { attempts: 30, delay: 1s } }\n`;
      await house.worker(LEASE_MS);
      const runs: string[] = [];
      while (runs.length < RUNS)
        runs.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => persist(() => house.begin(text))))));
      await pass(FOR_MS / 3);
      const middle = await look();
      await pass(FOR_MS / 3);
      const second = await since(middle);
      const late = await look();
      await pass(FOR_MS / 3);
      const third = await since(late);
      const total = await look();
      console.log(
        `F39: ${runs.length} runs; ${total.calls} requests, of them ${second.calls} and ${third.calls} in the last two thirds; ${second.commits} and ${third.commits} transactions there`,
      );
      // Without the circuit each run alone would have asked every few seconds.
      expect(total.calls).toBeLessThan(2 * runs.length);
      expect(second.calls + third.calls).toBeLessThanOrEqual((2 * FOR_MS) / 3 / OPEN_MS_MIN);
      expect(third.commits).toBeLessThan(2 * second.commits + runs.length);
      provider.setScript({ charge: 'ok' });
      await runSql(url, STEP_CLOCK, [2 * OPEN_MS_MAX]);
      // The one that tries again goes within OPEN_MS_MAX; a run that was turned away just before comes within as long again, and then all are to be done.
      const done = (): number => provider.effects().length;
      await expect.poll(done, { timeout: 5 * WITHIN_MS, interval: 1_000 }).toBe(runs.length);
      for (const run of runs) await house.untilStatus(run, 'COMPLETED');
      expect(provider.effects().length).toBe(runs.length);
      expect(await house.faults()).toEqual([]);
    },
    FOR_MS + 10 * WITHIN_MS,
  );
});
