import type pg from 'pg';
import { PawlError, RefusedError, StoreError } from '../../model/errors.ts';
import type { ConnectionOptions } from './connections.ts';
import { dial, type Dialled } from './dial.ts';
import { POSTGRES_MAJOR_MIN } from './launcher/binaries.ts';
import { assertCompatible, migrate, readSchema } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/migration-list.ts';
import { NARROWED } from './sql/reader.ts';
import { isConnectionLost, storeErrorOf } from './sqlstate.ts';

/** What opening may do to the schema. */
export interface OpeningRights {
  /** Parts of a new database; a database that is there must have as many. */
  readonly parts?: number;
  /** `apply` brings the schema up to this code; `check` refuses what does not fit. */
  readonly migrate: 'apply' | 'check';
}

const SERVER_VERSION_MIN = POSTGRES_MAJOR_MIN * 10_000;
/** Values of synchronous_commit under which an acknowledged commit survives a crash of the server (P14). */
const DURABLE = ['on', 'remote_write', 'remote_apply'];

/** How long one step of a migration may go unanswered, milliseconds. */
const STEP_DEADLINE_MS = 300_000;

async function connect(options: ConnectionOptions): Promise<Dialled> {
  const once = async (): Promise<Dialled> => {
    const dialled = dial(options, STEP_DEADLINE_MS);
    await dialled.connect();
    return dialled;
  };
  try {
    return await once();
  } catch (error) {
    if (options.revive === undefined || !isConnectionLost(error)) throw storeErrorOf(error, 'connecting');
  }
  await options.revive();
  return once().catch((error: unknown) => {
    throw storeErrorOf(error, 'connecting');
  });
}

interface ServerFacts {
  readonly version: number;
  readonly replica: boolean;
  readonly readOnly: boolean;
  readonly commit: string;
  readonly encoding: string;
}

/**
 * @throws PAWL_DATABASE_VERSION, PAWL_STORE_UNAVAILABLE (a server that takes no writes), PAWL_CONFIG_INVALID (commits that may be lost).
 */
async function assertFit(client: pg.Client, pooler: ConnectionOptions['pooler']): Promise<void> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version_num')::integer AS version, pg_is_in_recovery() AS replica,
            current_setting('transaction_read_only')::boolean AS "readOnly",
            current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS encoding`,
  );
  const [facts] = rows;
  if (facts === undefined) return;
  if (facts.version < SERVER_VERSION_MIN) {
    throw new StoreError(
      'PAWL_DATABASE_VERSION',
      `this server is version ${facts.version}: Pawl needs PostgreSQL ${POSTGRES_MAJOR_MIN} or newer`,
      { version: facts.version },
    );
  }
  if (facts.replica)
    throw new StoreError('PAWL_STORE_UNAVAILABLE', 'this server is a read-only replica: give the URL of the primary');
  if (facts.readOnly)
    throw new StoreError('PAWL_STORE_UNAVAILABLE', 'this server takes no writes: default_transaction_read_only is on');
  if (facts.encoding !== 'UTF8')
    throw new StoreError('PAWL_DATABASE_VERSION', `the database's encoding is ${facts.encoding}: make one with UTF8`, {
      encoding: facts.encoding,
    });
  // Direct connections set it themselves; behind a pooler the role's setting counts.
  if (pooler === 'transaction' && !DURABLE.includes(facts.commit)) {
    throw new RefusedError(
      'PAWL_CONFIG_INVALID',
      `synchronous_commit is ${facts.commit} for this role: an acknowledged payment could be forgotten. ALTER ROLE ... SET synchronous_commit = on`,
    );
  }
}

/**
 * Looks at the database before the store is opened: fit, migrated, durable.
 * @returns how many parts it has.
 * @throws PAWL_STORE_*, PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_CONFIG_INVALID, PAWL_MIGRATION_MISMATCH. Transaction: one, if it migrates.
 */
export async function openDatabase(options: ConnectionOptions, rights: OpeningRights): Promise<number> {
  const { client, hangUp } = await connect(options);
  try {
    await assertFit(client, options.pooler);
    const parts = await readyParts(client, rights);
    await assertSeesAll(client);
    return parts;
  } catch (error) {
    throw error instanceof PawlError ? error : storeErrorOf(error, 'connecting');
  } finally {
    await hangUp();
  }
}

/** @throws PAWL_CONFIG_INVALID for a user to whom the tables would look empty. */
async function assertSeesAll(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly narrowed: boolean }>(NARROWED);
  if (rows[0]?.narrowed !== true) return;
  throw new RefusedError(
    'PAWL_CONFIG_INVALID',
    "row-level security hides the tables' rows from this user: connect as their owner or a member of it, or ALTER ROLE ... BYPASSRLS",
  );
}

async function readyParts(client: pg.Client, rights: OpeningRights): Promise<number> {
  let schema = await readSchema(client);
  if (rights.migrate === 'apply' && schema.number < MIGRATIONS.length) {
    await migrate(client, rights.parts === undefined ? {} : { parts: rights.parts });
    schema = await readSchema(client);
  }
  assertCompatible(schema.number, MIGRATIONS);
  if (rights.parts !== undefined && rights.parts !== schema.parts) {
    throw new RefusedError(
      'PAWL_CONFIG_INVALID',
      `the database was set up with ${schema.parts} parts, not ${rights.parts}`,
      { parts: schema.parts },
    );
  }
  return schema.parts;
}
