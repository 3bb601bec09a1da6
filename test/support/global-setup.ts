import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { startDatabase } from '../../src/store/postgres/launcher/start-database.ts';
import { stopDatabase } from '../../src/store/postgres/launcher/stop-database.ts';
import { migrate } from '../../src/store/postgres/migrations/migrate.ts';
import { findPgbouncer, startPgbouncer } from './pgbouncer.ts';
import { STEPPED_CLOCK } from './stepped-clock.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the run's throw-away server, database `pawl`. */
    readonly databaseUrl: string;
    /** The same over a pooler in transaction mode, where the stores of this run go over one; else null. */
    readonly pooledUrl: string | null;
  }
}

/** Name of the migrated database that `openTestStore` clones. */
const TEMPLATE = 'pawl_template';

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

/** PAWL_TEST_POOLER=pgbouncer puts one between the stores and the server. @returns its address, and its end. */
async function openPooler(url: string): Promise<{ readonly url: string | null; close(): Promise<void> }> {
  if (process.env['PAWL_TEST_POOLER'] !== 'pgbouncer') return { url: null, close: () => Promise.resolve() };
  const program = findPgbouncer();
  if (program === null) throw new Error('PAWL_TEST_POOLER: there is no pgbouncer on this system');
  const pooler = await startPgbouncer(program, url);
  return { url: pooler.over(url), close: () => pooler.close() };
}

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
  let endPooler = (): Promise<void> => Promise.resolve();
  stop = async () => {
    await endPooler();
    await stopDatabase(options);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const database = await startDatabase(options);
    await makeTemplate(database.url);
    const pooler = await openPooler(database.url);
    endPooler = () => pooler.close();
    project.provide('databaseUrl', database.url);
    project.provide('pooledUrl', pooler.url);
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Always stops the server; its data go with it. */
export async function teardown(): Promise<void> {
  await stop();
}
