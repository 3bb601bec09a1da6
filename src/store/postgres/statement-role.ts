import pg from 'pg';
import { RefusedError } from '../../model/errors.ts';
import { ACT_BODY, ACT_FUNCTION, actFunction, ROLE } from './sql/act.ts';
import { sqlstateOf } from './sqlstate.ts';

/** Key of the transaction-level advisory lock under which the function is made; a constant of ours. */
const LOCK_KEY = '7238472902';
/** It lacks a right. */
const INSUFFICIENT = '42501';

interface RoleFacts {
  readonly me: string;
  readonly there: boolean;
  readonly super: boolean;
  readonly mine: boolean;
  readonly lent: boolean;
  readonly above: boolean;
  readonly reaches: boolean;
}

/** The function of a role by its whole name. */
export function functionOf(role: string): string {
  return `pawl_sql.${pg.escapeIdentifier(role)}`;
}

function refuse(role: string, why: string, mend: string): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', `sql.role: ${role} ${why}: ${mend}`, { role });
}

/** Why statements must not run as this role; null = they may. */
function whyUnfit(role: string, facts: RoleFacts): RefusedError | null {
  const other = 'name a role of its own that has rights on the tables of your statements, and no others';
  if (facts.mine) return refuse(role, "is the engine's own user", other);
  if (facts.super) return refuse(role, 'is a superuser, who may touch what the engine remembers', other);
  if (facts.above) return refuse(role, `is a member of ${facts.me}, the engine's own user`, other);
  if (facts.reaches)
    return refuse(
      role,
      'has rights in the schema pawl',
      `take them back (REVOKE ALL ON SCHEMA pawl FROM ${pg.escapeIdentifier(role)}, and from what it is a member of)`,
    );
  const grant = `GRANT ${pg.escapeIdentifier(role)} TO ${pg.escapeIdentifier(facts.me)}`;
  return facts.lent ? null : refuse(role, `is not lent to ${facts.me}`, grant);
}

async function factsOf(client: pg.ClientBase, role: string): Promise<RoleFacts | undefined> {
  return (await client.query<RoleFacts>(ROLE, [role])).rows[0];
}

async function createRole(client: pg.ClientBase, role: string): Promise<void> {
  try {
    await client.query(`CREATE ROLE ${pg.escapeIdentifier(role)} NOLOGIN`);
  } catch (error) {
    if (sqlstateOf(error) !== INSUFFICIENT) throw error;
    throw refuse(role, 'is not there', `CREATE ROLE ${pg.escapeIdentifier(role)} NOLOGIN, and lend it to this user`);
  }
}

async function isMade(client: pg.ClientBase, role: string): Promise<boolean> {
  const { rows } = await client.query<{ body: string; owner: string; mine: boolean }>(ACT_FUNCTION, [role]);
  return rows.some(({ body, owner, mine }) => body === ACT_BODY && owner === role && mine);
}

async function makeFunction(client: pg.ClientBase, role: string, me: string): Promise<void> {
  const owner = pg.escapeIdentifier(role);
  const name = functionOf(role);
  await client.query('CREATE SCHEMA IF NOT EXISTS pawl_sql');
  await client.query(actFunction(name));
  await client.query(`GRANT USAGE, CREATE ON SCHEMA pawl_sql TO ${owner}`);
  await client.query(`ALTER FUNCTION ${name} OWNER TO ${owner}`);
  await client.query(`REVOKE CREATE ON SCHEMA pawl_sql FROM ${owner}`);
  await client.query(`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`);
  await client.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${pg.escapeIdentifier(me)}`);
}

/**
 * Makes the function in which statements run, owned by their role, if it is not there as it must be; where this user may,
 * the role too.
 * @throws PAWL_CONFIG_INVALID with the mend for a role that may not be used so, and the server's own errors.
 * Transaction: one.
 */
export async function prepareStatementRole(client: pg.ClientBase, role: string): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK_KEY})`);
  if ((await factsOf(client, role))?.there === false) await createRole(client, role);
  const facts = await factsOf(client, role);
  if (facts === undefined) return;
  const unfit = whyUnfit(role, facts);
  if (unfit !== null) throw unfit;
  if (!(await isMade(client, role))) await makeFunction(client, role, facts.me);
  await client.query('COMMIT');
}
