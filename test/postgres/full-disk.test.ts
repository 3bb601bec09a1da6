import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PawlError } from '../../src/model/errors.ts';
import { sagaOf } from '../engine/support/workflows.ts';
import { type OwnServer, openOwnServer } from './support/own-server.ts';
import { openSagaHouse, type SagaHouse, WITHIN_MS } from './support/saga-house.ts';

/** Several wait for each other. */
const TEST_MS = 4 * WITHIN_MS;
const SIZE_MB = 128;
/** Every start brings so much, so that the room is used up soon, bytes. */
const PAD = 50_000;
const CHUNK = Buffer.alloc(1 << 16);
const run = promisify(execFile);

/** A small disk. @returns why there is none, or where it is. */
async function mountDisk(folder: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'mounting a tmpfs needs root';
  return run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0711`, 'tmpfs', folder]).then(
    () => null,
    (error: Error) => `a tmpfs cannot be mounted: ${error.message.trim()}`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'pawl-disk-'));
const lacks = await mountDisk(folder);
if (lacks !== null) console.warn(`not played: on a disk that is full: ${lacks}`);
afterAll(async () => {
  if (lacks === null) await run('umount', ['--lazy', folder]);
  await rm(folder, { recursive: true, force: true });
});

/** Writes until there is no room at all. @returns what gives it back. */
async function fillUp(): Promise<() => Promise<void>> {
  const path = join(folder, 'filler');
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(CHUNK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
  return () => rm(path);
}

describe.skipIf(lacks !== null)('on a disk that is full', () => {
  let server: OwnServer;
  let house: SagaHouse;
  beforeAll(async () => {
    server = await openOwnServer(folder);
    house = await openSagaHouse({ store: { url: server.url, revive: () => server.start() }, workers: null });
  }, WITHIN_MS);
  afterAll(async () => {
    await house.close();
    await server.close();
  });

  it(
    'starts are refused by name, nothing acknowledged is lost, and everything goes on once there is room',
    async () => {
      const { provider, app } = house;
      const text = sagaOf(provider.url, ['reserve', 'charge']).replace(
        'actions:',
        'key: input.no\ninput: { type: object }\nactions:',
      );
      await house.worker();
      await house.untilStatus(await house.begin(text, { no: 'before' }), 'COMPLETED');
      const free = await fillUp();
      const acknowledged: string[] = [];
      let refused: unknown = null;
      const start = (no: number): Promise<string> => house.begin(text, { no: `o-${no}`, pad: 'x'.repeat(PAD) });
      while (refused === null) {
        await start(acknowledged.length).then(
          (started) => acknowledged.push(started),
          (error: unknown) => {
            refused = error;
          },
        );
      }
      expect(refused).toBeInstanceOf(PawlError);
      const { code } = refused as PawlError;
      expect(['PAWL_STORE_FAILED', 'PAWL_STORE_ANSWER_LOST', 'PAWL_STORE_UNAVAILABLE']).toContain(code);
      await free();
      const again = (): Promise<boolean> =>
        start(acknowledged.length).then(
          (started) => acknowledged.push(started) > 0,
          () => false,
        );
      await expect.poll(again, { timeout: WITHIN_MS, interval: 100 }).toBe(true);
      for (const started of acknowledged) await house.untilStatus(started, 'COMPLETED');
      expect(provider.effects().length).toBe(2 * (acknowledged.length + 1));
      expect(await house.faults()).toEqual([]);
      expect((await app.verifyStore()).checked.runs).toBe(acknowledged.length + 1);
    },
    TEST_MS,
  );
});
