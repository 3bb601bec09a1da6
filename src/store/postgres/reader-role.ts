import type pg from 'pg';
import { RefusedError } from '../../model/errors.ts';
import { READER_FACTS } from './sql/reader.ts';
import { sqlstateOf } from './sqlstate.ts';

/** The role in which a server reads for its callers; it sees the rows of the tenant that is set, and may write nothing (S18). */
export const READER_ROLE = 'pawl_reader';

/** Key of the transaction-level advisory lock under which rights are given; a constant of ours. */
const LOCK_KEY = '7238472903';
/** It lacks a right. */
const INSUFFICIENT = '42501';
/** Another process, maybe of another database of this server, has made the role meanwhile. */
const THERE_ALREADY = new Set(['42710', '23505']);

interface ReaderFacts {
  readonly there: boolean;
  readonly fit: boolean;
  readonly lent: boolean;
  readonly granted: boolean;
}

async function factsOf(client: pg.ClientBase): Promise<ReaderFacts> {
  const { rows } = await client.query<ReaderFacts>(READER_FACTS, [READER_ROLE]);
  return rows[0] ?? { there: false, fit: false, lent: false, granted: false };
}

function refuse(why: string, mend: string): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', `the role ${READER_ROLE} ${why}: ${mend}`, { role: READER_ROLE });
}

/** Why reads cannot be bound; null = they can. */
function whyUnfit({ there, fit, lent, granted }: ReaderFacts): RefusedError | null {
  if (!there) return refuse('is not there', `CREATE ROLE ${READER_ROLE} NOLOGIN, and lend it to this user`);
  if (!fit)
    return refuse(
      'is above row-level security',
      `take that back (ALTER ROLE ${READER_ROLE} NOSUPERUSER NOBYPASSRLS, and REVOKE the owner of the tables from it)`,
    );
  if (!lent) return refuse('is not lent to this user', `GRANT ${READER_ROLE} TO this user`);
  if (granted) return null;
  const grants = `GRANT USAGE ON SCHEMA pawl TO ${READER_ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO ${READER_ROLE}`;
  return refuse('may not read every table', grants);
}

/** One statement that this user may lack the right to, or that another process has carried out meanwhile. */
async function attempt(client: pg.ClientBase, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    const state = sqlstateOf(error) ?? '';
    if (state !== INSUFFICIENT && !THERE_ALREADY.has(state)) throw error;
  }
}

async function give(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK_KEY})`);
  await client.query(`GRANT USAGE ON SCHEMA pawl TO ${READER_ROLE}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO ${READER_ROLE}`);
  await client.query('COMMIT');
}

/**
 * Makes the role of reads, lends it to this user and gives it its rights, as far as this user may and it is missing.
 * @throws PAWL_CONFIG_INVALID with the mend where something of it is left, and the server's own errors.
 * Transaction: one for the rights.
 */
export async function prepareReaderRole(client: pg.ClientBase): Promise<void> {
  if (!(await factsOf(client)).there) await attempt(client, `CREATE ROLE ${READER_ROLE} NOLOGIN`);
  const made = await factsOf(client);
  if (made.there && !made.lent) await attempt(client, `GRANT ${READER_ROLE} TO CURRENT_USER`);
  if (made.there && !made.granted) await give(client);
  const unfit = whyUnfit(await factsOf(client));
  if (unfit !== null) throw unfit;
}
