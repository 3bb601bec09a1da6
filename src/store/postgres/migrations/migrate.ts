import type { ClientBase } from 'pg';
import { InvariantError, StoreError } from '../../../model/errors.ts';
import { sqlstateOf } from '../sqlstate.ts';
import { checksumOf, MIGRATIONS, type Migration } from './migration-list.ts';

/** Key of the transaction-level advisory lock that orders migrations (safe behind a pooler); a constant of ours. */
const LOCK_KEY = '7238472901';
/** How long one statement of a migration may wait for a lock. */
const LOCK_TIMEOUT_MS = 10_000;
/** A column that a statement names is not there. */
const UNDEFINED_COLUMN = '42703';
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

/** Our tables, and those of anybody else under our name. */
const TABLES = `
SELECT to_regclass('pawl.migration') IS NOT NULL AS there,
       (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
         WHERE relnamespace = to_regnamespace('pawl') AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> 'migration') AS others`;

/** @throws PAWL_MIGRATION_MISMATCH when the schema is somebody else's, or only a part of ours. */
async function appliedRows(client: ClientBase): Promise<readonly AppliedRow[]> {
  // The tables first: who has migrated meanwhile has written its rows together with them.
  const { rows } = await client.query<{ readonly there: boolean; readonly others: string | null }>(TABLES);
  const [{ there, others } = { there: false, others: null }] = rows;
  const applied = there ? await ledgerRows(client) : [];
  if (applied.length === 0 && others !== null)
    throw mismatch(
      `the schema pawl holds tables (${others}) and pawl.migration does not say how they were made: restore the schema whole from a backup, or name another database`,
    );
  return applied;
}

async function ledgerRows(client: ClientBase): Promise<readonly AppliedRow[]> {
  try {
    return (await client.query<AppliedRow>('SELECT number, sha256 FROM pawl.migration ORDER BY number')).rows;
  } catch (error) {
    if (sqlstateOf(error) !== UNDEFINED_COLUMN) throw error;
    throw mismatch(
      `the table pawl.migration is not the one of Pawl (${String((error as Error).message)}): name another database, or move that table away`,
    );
  }
}

function mismatch(message: string): StoreError {
  return new StoreError('PAWL_MIGRATION_MISMATCH', message);
}

/** Every applied step must be one of ours with the same text. */
function assertKnown(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  for (const [index, row] of applied.entries()) {
    if (row.number !== index + 1)
      throw mismatch(
        `pawl.migration holds row ${row.number} where ${index + 1} belongs: restore the schema whole from a backup`,
      );
    const step = known[index];
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
  if (schema === 0)
    throw mismatch(
      'Pawl is not set up in this database: publish a workflow, start a run or a worker there (`pawl publish`, `start`, `run`, `worker`), or name another database',
    );
  const behind = known.length - schema;
  const last = known.at(-1);
  if (behind === 0 || (behind === 1 && last?.breaking === false)) return;
  throw mismatch(
    `the database is at schema ${schema}, this code needs ${known.length}: \`pawl worker\` migrates it, as do \`publish\`, \`start\` and \`run\``,
  );
}

/** Reads what the database says of itself, and refuses a schema that this code does not know. */
export async function readSchema(client: ClientBase, known: readonly Migration[] = MIGRATIONS): Promise<SchemaState> {
  const applied = await appliedRows(client);
  assertKnown(applied, known);
  if (applied.length === 0) return { number: 0, parts: 0 };
  const { rows } = await client.query<{ readonly parts: number }>('SELECT parts FROM pawl.setting');
  const [setting] = rows;
  if (setting === undefined) throw mismatch('pawl.setting is empty: restore the schema whole from a backup');
  return { number: applied.length, parts: setting.parts };
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
