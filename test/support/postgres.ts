import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Numbers, numbersFor } from '../../src/model/numbers.ts';
import type { Store } from '../../src/ports/store.ts';
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../src/store/postgres/postgres-store.ts';
import { STEP_CLOCK, STEPPED_PATH } from './stepped-clock.ts';

/** The lease of tests (3-semantics, "Numbers"), milliseconds. */
export const TEST_LEASE_MS = 1_500;
const TEMPLATE = 'pawl_template';

/** What a test's store may be like; everything else as in the product. */
export interface TestStoreOptions
  extends Partial<Pick<PostgresStoreOptions, 'connections' | 'pooler' | 'hintsUrl' | 'statements' | 'readsFor'>> {
  readonly parts?: number;
  readonly numbers?: Numbers;
}

/** A store over an empty database of its own. */
export interface TestStore {
  readonly store: Store;
  readonly url: string;
  /** Another store on the same database, as another process would open it; closed with this one. */
  again(options?: TestStoreOptions): Promise<PostgresStore>;
  /** Steps the database's time forward or back, milliseconds; it runs on from there. */
  advance(ms: number): Promise<void>;
  /** Empties the database and sets its clock right: cheaper than another database. Stores opened by `again` are closed. */
  reset(): Promise<void>;
  /** Closes the stores; the database goes with the run's server. */
  close(): Promise<void>;
}

/** The world that `npm run variants` plays in: over a pooler, with fewer connections, without hints; a test's own wish wins. */
function variantOptions(database: string, { pooler }: TestStoreOptions): Partial<PostgresStoreOptions> {
  const connections = process.env['PAWL_TEST_CONNECTIONS'];
  const pooledUrl = pooler === 'none' ? null : inject('pooledUrl');
  return {
    ...(pooledUrl === null ? {} : { url: urlOf(database, pooledUrl), pooler: 'transaction' as const }),
    ...(connections === undefined ? {} : { connections: Number(connections) }),
    ...(process.env['PAWL_TEST_HINTS'] === 'off' ? { hintsUrl: null } : {}),
  };
}

function urlOf(database: string, server = inject('databaseUrl')): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Runs one statement on a connection of its own. */
export async function runSql(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function asAdmin(statement: string): Promise<void> {
  await runSql(inject('databaseUrl'), statement);
}

/** A database of its own for one test or file: a clone of the migrated template. @returns its URL. */
export async function createTestDatabase(
  options: { readonly parts?: number; readonly empty?: boolean } = {},
): Promise<string> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name}${options.empty === true ? '' : ` TEMPLATE ${TEMPLATE}`}`);
  if (options.empty !== true) await asAdmin(`ALTER DATABASE ${name} SET search_path = ${STEPPED_PATH}`);
  const url = urlOf(name);
  if (options.parts !== undefined) await runSql(url, 'UPDATE pawl.setting SET parts = $1', [options.parts]);
  return url;
}

/** Drops what `createTestDatabase` made, whoever is still connected; only where a test needs it gone. */
export async function dropTestDatabase(url: string): Promise<void> {
  await asAdmin(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

/** Empties every table of a test's database and sets its clock right. */
export const EMPTY = `DO $$ BEGIN
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('pawl.%I', relname), ', ') FROM pg_class
    WHERE relnamespace = 'pawl'::regnamespace AND relkind = 'r' AND relname NOT IN ('migration', 'setting'));
  UPDATE stepped_clock.ahead SET by = '0';
END $$`;

/** Opens a store over an empty, migrated database of its own. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const { parts, ...rest } = options;
  const url = await createTestDatabase(parts === undefined ? {} : { parts });
  const opened: Store[] = [];
  const open = async (more: TestStoreOptions): Promise<PostgresStore> => {
    const { parts: _parts, ...given } = more;
    const store = await openPostgresStore({
      url,
      numbers: numbersFor(TEST_LEASE_MS),
      applicationName: 'pawl-test',
      ...variantOptions(new URL(url).pathname.slice(1), given),
      ...given,
    });
    opened.push(store);
    return store;
  };
  const store = await open(rest);
  return {
    store,
    url,
    again: (more = {}) => open({ ...rest, ...more }),
    advance: async (ms) => {
      await runSql(url, STEP_CLOCK, [ms]);
    },
    reset: async () => {
      await Promise.all(opened.splice(1).map((one) => one.close()));
      await runSql(url, EMPTY);
    },
    close: async () => {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
}
