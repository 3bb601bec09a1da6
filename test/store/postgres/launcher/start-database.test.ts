import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../src/app/system-clock.ts';
import type { DatabaseOptions } from '../../../../src/store/postgres/launcher/database-options.ts';
import { startDatabase } from '../../../../src/store/postgres/launcher/start-database.ts';
import { databaseStatus, stopDatabase } from '../../../../src/store/postgres/launcher/stop-database.ts';

const clock = createSystemClock();
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-launcher-');
});
afterEach(async () => {
  await stopDatabase(optionsFor()).catch(() => undefined);
  await rm(dir, { recursive: true, force: true });
});

function optionsFor(): DatabaseOptions {
  return { dataDir: join(dir, '.pawl'), env: {}, clock };
}

describe('the database that starts itself', () => {
  it('starts, answers, and stops', async () => {
    const database = await startDatabase(optionsFor());
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('SHOW server_encoding');
    expect(rows[0].server_encoding).toBe('UTF8');
    await client.end();
    console.log(await databaseStatus(optionsFor()));
    expect(await stopDatabase(optionsFor())).toBe(true);
  });
});
