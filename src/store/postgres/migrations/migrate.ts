import type { ClientBase } from 'pg';
import { InvariantError, StoreError } from '../../../model/errors.ts';
import { checksumOf, MIGRATIONS, type Migration } from './migration-list.ts';

/** Key of the transaction-level advisory lock that orders migrations (safe behind a pooler); a constant of ours. */
const LOCK_KEY = '7238472901';
/** How long one statement of a migration may wait for a lock. */
const LOCK_TIMEOUT_MS = 10_000;
/** Parts of a new database on one server. */
export const PARTS_DEFAULT = 4;

/** What the database says of itself. */
export interface SchemaState {
  /** Number of the last step applied; 0 = empty. */
  readonly number: number;
  readonly parts: number;
}

interface AppliedRow {
  readonly number: number;
  readonly sha256: string;
}

const CREATE_LEDGER = `
CREATE SCHEMA IF NOT EXISTS pawl;
CREATE TABLE IF NOT EXISTS pawl.migration (
  number integer NOT NULL,
  name text NOT NULL,
  sha256 text NOT NULL,
  breaking boolean NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT migration_pk PRIMARY KEY (number)
)`;

async function appliedRows(client: ClientBase): Promise<readonly AppliedRow[]> {
  const { rows } = await client.query<{ readonly there: boolean }>(
    "SELECT to_regclass('pawl.migration') IS NOT NULL AS there",
  );
  if (rows[0]?.there !== true) return [];
  return (await client.query<AppliedRow>('SELECT number, sha256 FROM pawl.migration ORDER BY number')).rows;
}

function mismatch(message: string): StoreError {
  return new StoreError('PAWL_MIGRATION_MISMATCH', message);
}

/** Every applied step must be one of ours with the same text. */
function assertKnown(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  for (const row of applied) {
    const step = known[row.number - 1];
    if (step === undefined) {
      throw mismatch(
        `the database is at schema ${applied.length}, this code knows ${known.length}: use the newer release that migrated it`,
      );
    }
    if (checksumOf(step) !== row.sha256) {
      throw mismatch(
        `migration ${row.number} (${step.name}) was applied with another text: this database was made by a build that was never released`,
      );
    }
  }
}

/**
 * Whether this code may run on the schema as it is: its own, or one step older where that step breaks nothing.
 * @throws PAWL_MIGRATION_MISMATCH saying what to do.
 */
export function assertCompatible(schema: number, known: readonly Migration[]): void {
  const behind = known.length - schema;
  const last = known.at(-1);
  if (behind === 0 || (behind === 1 && schema > 0 && last?.breaking === false)) return;
  throw mismatch(
    `the database is at schema ${schema}, this code needs ${known.length}: run it once with the right to migrate`,
  );
}

/** Reads what the database says of itself, and refuses a schema that this code does not know. */
export async function readSchema(client: ClientBase, known: readonly Migration[] = MIGRATIONS): Promise<SchemaState> {
  const applied = await appliedRows(client);
  assertKnown(applied, known);
  if (applied.length === 0) return { number: 0, parts: 0 };
  const { rows } = await client.query<{ readonly parts: number }>('SELECT parts FROM pawl.setting');
  return { number: applied.length, parts: rows[0]?.parts ?? 0 };
}

async function applyMissing(client: ClientBase, known: readonly Migration[], parts: number): Promise<void> {
  await client.query(CREATE_LEDGER);
  const applied = await appliedRows(client);
  assertKnown(applied, known);
  for (const step of known.slice(applied.length)) {
    await client.query(step.sql);
    await client.query('INSERT INTO pawl.migration (number, name, sha256, breaking) VALUES ($1, $2, $3, $4)', [
      step.number,
      step.name,
      checksumOf(step),
      step.breaking,
    ]);
  }
  await client.query('INSERT INTO pawl.setting (parts) VALUES ($1) ON CONFLICT ON CONSTRAINT setting_pk DO NOTHING', [
    parts,
  ]);
}

/**
 * Applies every step that is missing, in one transaction under an advisory lock: several processes may start at once,
 * and one killed in the middle leaves nothing.
 * @param options.parts how many parts a new database gets; an old one keeps its own.
 * @throws PAWL_MIGRATION_MISMATCH when the schema is newer than this code, or was made by another text.
 */
export async function migrate(
  client: ClientBase,
  options: { readonly parts?: number; readonly known?: readonly Migration[] } = {},
): Promise<void> {
  const known = options.known ?? MIGRATIONS;
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await applyMissing(client, known, options.parts ?? PARTS_DEFAULT);
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT')
      throw new InvariantError('a migration was rolled back by the server without an error', { command });
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
