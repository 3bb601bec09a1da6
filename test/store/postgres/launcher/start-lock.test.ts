import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../src/app/system-clock.ts';
import { takeStartLock } from '../../../../src/store/postgres/launcher/start-lock.ts';

const clock = createSystemClock();
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-lock-');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('The start lock', () => {
  it('One holds it at a time; a dead holder is inherited from by exactly one', async () => {
    await writeFile(join(dir, 'lock.7'), JSON.stringify({ pid: 2 ** 22 - 3, startedAt: '1' }));
    let holders = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const release = await takeStartLock(dir, clock, 20_000);
        holders += 1;
        most = Math.max(most, holders);
        await clock.sleep(0);
        holders -= 1;
        await release();
      }),
    );
    expect(most).toBe(1);
    expect(await readdir(dir)).toEqual(['lock.15']);
  });

  it('A living holder that does not let go is named', async () => {
    await takeStartLock(dir, clock, 0);
    await expect(takeStartLock(dir, clock, 0)).rejects.toMatchObject({
      code: 'PAWL_STORE_UNAVAILABLE',
      message: expect.stringContaining(String(process.pid)),
    });
  });
});
