import {
  ConflictError,
  type ErrorCode,
  type PawlError,
  RefusedError,
  StoreError,
  UnknownOutcomeError,
} from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';

/** What an error of the client library carries. */
interface DatabaseFault {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
  readonly table?: string;
}

/** Where an error happened: nothing had been sent, a read was lost, or a write was sent and its answer is missing. */
export type FaultPlace = 'connecting' | 'reading' | 'writing';

/** Server gone or going (classes 08 and 57P), a completion that nobody knows (40003), and everything that is no SQLSTATE (socket errors, ends of streams). */
const CONNECTION_LOST = /^(08...|57P..|40003)$/;
/** Every SQLSTATE has a digit; `EPIPE` has five capitals as well, and is none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** It can do nothing at all now, whatever it is asked: out of disk, memory or connections, a disk that fails, or slower than its own limit. */
const UNABLE = /^(53...|57014|58...)$/;
/** Another try of the same statement may succeed: serialization, deadlock, lock time-outs. */
const PASSING = /^(40001|40P01|55P03|55006)$/;
/** What was sent cannot be stored as it is: data exceptions, and text that is not valid. */
const BAD_DATA = /^(22...)$/;

/** What no other try of the same statement mends, and whose hand does. */
interface Permanent {
  readonly states: RegExp;
  readonly code: ErrorCode;
  readonly what: string;
  readonly mend: string;
}

const PERMANENT: readonly Permanent[] = [
  {
    states: /^28...$/,
    code: 'PAWL_STORE_REFUSED',
    what: 'the database does not let this user in',
    mend: 'mend the user and the password of its address, or what the server allows that user',
  },
  {
    states: /^3D000$/,
    code: 'PAWL_DATABASE_MISSING',
    what: 'the database of the address is not there',
    mend: 'make it (CREATE DATABASE), or mend the address',
  },
  {
    states: /^42501$/,
    code: 'PAWL_STORE_REFUSED',
    what: 'the user of the address lacks a right',
    mend: 'grant it: USAGE on the schema pawl and SELECT, INSERT, UPDATE, DELETE on its tables; to set Pawl up, CREATE on the database; to migrate, the role that owns the schema',
  },
  {
    // A table, a column, a function, a constraint or the schema itself is not there, is of another type, or is there already.
    states: /^(42P01|42703|42883|42704|42804|3F000|42P07|42701|42710|42723|42809)$/,
    code: 'PAWL_MIGRATION_MISMATCH',
    what: 'the schema pawl is not as Pawl has made it',
    mend: 'restore it whole from a backup, or name another database',
  },
];

/** The SQLSTATE of an error, or null where the server never answered. */
export function sqlstateOf(error: unknown): string | null {
  const { code } = error as DatabaseFault;
  return code !== undefined && SQLSTATE.test(code) ? code : null;
}

/** Whether the connection on which it happened is of no further use. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlstateOf(error);
  return state === null || CONNECTION_LOST.test(state);
}

/** Whether the fault lies in what one member brought: its neighbours deserve another try without it. */
export function isMemberFault(error: unknown): boolean {
  const state = sqlstateOf(error);
  return (
    state !== null && (/^(22|23|PW|54)/.test(state) || state === '40P01' || state === '40001' || state === '55P03')
  );
}

/** Whether somebody else's lock was in the way, and nothing was done. */
export function isContention(error: unknown): boolean {
  const state = sqlstateOf(error);
  return state === '55P03' || state === '40P01' || state === '40001';
}

/** Whether another try of what was taken back with this state may succeed: somebody else's lock, a limit of time, a full disk. */
export function isPassing(state: string): boolean {
  return PASSING.test(state) || UNABLE.test(state);
}

function factsOf(fault: DatabaseFault): Readonly<Record<string, Json>> {
  return { sqlstate: fault.code ?? null, constraint: fault.constraint ?? null, table: fault.table ?? null };
}

/** The server is gone: after a write nobody knows whether it was done. */
function lostConnection(error: unknown, place: FaultPlace): PawlError {
  const fault = error as DatabaseFault;
  if (place === 'writing') {
    const message = 'the database went away before it answered: read back before acting again';
    return new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', message, factsOf(fault), error);
  }
  const message = `the database cannot be reached: ${fault.message ?? 'no answer'}`;
  return new StoreError('PAWL_STORE_UNAVAILABLE', message, factsOf(fault), error);
}

/** What the server refused, with its own words; nothing of the statement is there. */
function refusedStatement(error: unknown, state: string): PawlError {
  const fault = error as DatabaseFault;
  const facts = factsOf(fault);
  const said = fault.message ?? '';
  if (UNABLE.test(state)) {
    return new StoreError(
      'PAWL_STORE_UNAVAILABLE',
      `the database can do nothing now (${state}: ${said})`,
      facts,
      error,
    );
  }
  if (PASSING.test(state)) {
    return new StoreError(
      'PAWL_STORE_FAILED',
      `the database did nothing and may do it later (${state}: ${said})`,
      facts,
      error,
    );
  }
  if (BAD_DATA.test(state)) {
    return new RefusedError('PAWL_VALUE_NOT_STORABLE', `the database cannot hold a value (${state})`, facts, error);
  }
  if (state === '23505') {
    const message = `a row of ${String(facts['table'])} is there already (${String(facts['constraint'])})`;
    return new ConflictError('PAWL_STORE_CONFLICT', message, facts, error);
  }
  if (state === '25006') {
    return new StoreError('PAWL_STORE_UNAVAILABLE', 'the database is read-only: this is not the primary', facts, error);
  }
  return refusedForGood(state, said, facts, error);
}

/** Whatever is left: a known reason with its mend, or a rule of the tables that was broken. */
function refusedForGood(
  state: string,
  said: string,
  facts: Readonly<Record<string, Json>>,
  cause: unknown,
): StoreError {
  const known = PERMANENT.find(({ states }) => states.test(state));
  if (known !== undefined)
    return new StoreError(known.code, `${known.what} (${state}: ${said}): ${known.mend}`, facts, cause);
  const constraint = facts['constraint'] === null ? '' : `, ${String(facts['constraint'])}`;
  return new StoreError('PAWL_STORE_REFUSED', `the database refused (${state}${constraint}): ${said}`, facts, cause);
}

/**
 * The one place where errors of the database become ours; the server's error is the cause, the facts name the
 * constraint and the table.
 */
export function storeErrorOf(error: unknown, place: FaultPlace): PawlError {
  return isConnectionLost(error) ? lostConnection(error, place) : refusedStatement(error, sqlstateOf(error) ?? '');
}
