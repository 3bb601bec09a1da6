import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { startDatabase } from '../../src/store/postgres/launcher/start-database.ts';
import { stopDatabase } from '../../src/store/postgres/launcher/stop-database.ts';
import { migrate } from '../../src/store/postgres/migrations/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the run's throw-away server, database `pawl`. */
    readonly databaseUrl: string;
  }
}

/** Name of the migrated database that `openTestStore` clones. */
const TEMPLATE = 'pawl_template';

/** Shadows clock_timestamp() in databases whose search path begins with it, so that tests can step the store's time. */
const STEPPED_CLOCK = `
CREATE SCHEMA stepped_clock;
CREATE TABLE stepped_clock.ahead (by interval NOT NULL);
INSERT INTO stepped_clock.ahead VALUES ('0');
CREATE FUNCTION stepped_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS $$ SELECT pg_catalog.clock_timestamp() + (SELECT by FROM stepped_clock.ahead) $$`;

/** The same server, another database. */
function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.toString();
}

async function makeTemplate(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await admin.end();
  const client = new pg.Client({ connectionString: withDatabase(url, TEMPLATE) });
  await client.connect();
  await migrate(client);
  await client.query(STEPPED_CLOCK);
  await client.end();
}

let stop: () => Promise<void> = () => Promise.resolve();

/**
 * One throw-away server for the whole run, started by our own launcher and bound to this process: it ends with it,
 * however that ends. PAWL_TEST_SYSTEM_POSTGRES=1 takes the PostgreSQL on PATH instead of the bundled one.
 */
export async function setup(project: TestProject): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'pawl-test-'));
  await chmod(dir, 0o711);
  const options = {
    dataDir: join(dir, 'db'),
    env: { PATH: process.env['PATH'] },
    clock: createSystemClock(),
    throwAway: true,
    binaries: process.env['PAWL_TEST_SYSTEM_POSTGRES'] === '1' ? 'system' : 'any',
  } as const;
  stop = async () => {
    await stopDatabase(options);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const database = await startDatabase(options);
    await makeTemplate(database.url);
    project.provide('databaseUrl', database.url);
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Always stops the server; its data go with it. */
export async function teardown(): Promise<void> {
  await stop();
}
