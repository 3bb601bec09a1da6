import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/testing/random.ts';
import { sagaOf } from '../../engine/support/workflows.ts';
import { LENGTH } from '../support/length.ts';
import { type OwnServer, openOwnServer } from '../support/own-server.ts';
import { persist } from '../support/persist.ts';
import { openSagaHouse, type SagaHouse, SHORT_LEASE_MS, WITHIN_MS } from '../support/saga-house.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

const FOR_MS = 120_000 * LENGTH;
const RESTART_MS = 5_000;
const KILL_MS = 2_000;
const START_MS = 100;
const WORKERS = 2;
const SEED = 44;

let server: OwnServer;
let house: SagaHouse;
let folder: string;
const workers: WorkerProcess[] = [];
beforeAll(async () => {
  if (LENGTH === 0) return;
  folder = await mkdtemp(join(tmpdir(), 'pawl-restarts-'));
  server = await openOwnServer();
  house = await openSagaHouse({ store: { url: server.url }, workers: null });
}, WITHIN_MS);
afterAll(async () => {
  if (LENGTH === 0) return;
  await Promise.all(workers.map((worker) => worker.kill()));
  await house.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A worker that comes up once the server does. */
async function startWorker(): Promise<void> {
  for (;;) {
    try {
      workers.push(await startWorkerProcess({ url: server.url, leaseMs: SHORT_LEASE_MS, folder }));
      return;
    } catch {
      await pass(START_MS);
    }
  }
}

describe.skipIf(LENGTH === 0)('a database that restarts again and again', () => {
  it(
    'F44 restarted every 5 s, each worker killed at random: what was acknowledged ends well, and everything happened once',
    async () => {
      const { provider } = house;
      const random = createRandom(SEED);
      const word = (): string => (random.next() < 0.2 ? 'lost-done' : 'ok');
      provider.setScript({ charge: Array.from({ length: 1_000 }, word) });
      const text = sagaOf(provider.url, ['reserve', 'charge']).replace(
        'actions:',
        'key: input.no\ninput: { type: object }\nactions:',
      );
      for (let no = 0; no < WORKERS; no += 1) await startWorker();
      const untilMs = performance.now() + FOR_MS;
      const isOver = (): boolean => performance.now() > untilMs;
      let restarts = 0;
      let kills = 0;
      const runs: string[] = [];
      const restarting = async (): Promise<void> => {
        while (!isOver()) {
          await pass(RESTART_MS);
          await server.crash();
          await server.start();
          restarts += 1;
        }
      };
      const killing = async (): Promise<void> => {
        while (!isOver()) {
          await pass(random.below(2 * KILL_MS));
          const [victim] = workers.splice(random.below(workers.length), 1);
          await victim?.kill();
          kills += 1;
          await startWorker();
        }
      };
      const starting = async (): Promise<void> => {
        while (!isOver()) {
          runs.push(await persist(() => house.begin(text, { no: `o-${runs.length}` })));
          await pass(START_MS);
        }
      };
      await Promise.all([restarting(), killing(), starting()]);
      for (const run of runs) await house.untilStatus(run, 'COMPLETED');
      console.log(`F44: ${runs.length} runs, ${restarts} restarts of the server, ${kills} kills; all ended well`);
      expect(Math.min(restarts, kills, runs.length)).toBeGreaterThan(0);
      expect(provider.effects().length).toBe(2 * runs.length);
      expect(await house.faults()).toEqual([]);
    },
    FOR_MS + 5 * WITHIN_MS,
  );
});
