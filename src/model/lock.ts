import { sha256 } from './hash.ts';
import type { RunId } from './ids.ts';
import type { RunIdentity } from './run.ts';
import { VIRTUAL_SHARDS } from './virtual-shard.ts';

/** Most runs that may hold one lock; the schema of a workflow says the same. */
export const LOCK_LIMIT_MAX = 10_000;

/** Where a lock's queue lives: one place for all runs of a tenant, whatever their own parts. */
export interface LockAddress {
  readonly part: number;
  readonly tenant: string;
  readonly name: string;
}

/** A run's place with a lock: a slot of its own, or a turn in the queue. */
export interface LockPlace {
  readonly runId: RunId;
  /** Part of the run. */
  readonly runPart: number;
  /** How many its file lets hold the lock beside each other, itself included. */
  readonly limit: number;
  readonly startedAtMs: number;
  /** No two runs hold one slot; null = it waits. */
  readonly slot: number | null;
  readonly grantedAtMs: number | null;
}

/** A place of which the run is to be told that it holds the lock. */
export type LockGrant = Pick<LockPlace, 'runId' | 'runPart'>;

/** A lock that was asked for, with its queue. */
export interface LockRecord extends LockAddress {
  /** What an operator has set over what the files say; null = the files' word counts. */
  readonly setLimit: number | null;
  readonly held: number;
  readonly waiting: number;
  /** Holders by slot, then who waits by turn; cut after `LOCK_PLACES_MAX`. */
  readonly places: readonly LockPlace[];
  /** What operators have set, newest first. */
  readonly acts: readonly LockAct[];
}

/** That an operator has changed a lock's limit. */
export interface LockAct {
  readonly by: string;
  readonly reason: string;
  /** null = the files' word counts again. */
  readonly limit: number | null;
  readonly atMs: number;
}

/** Places of one lock that are listed. */
export const LOCK_PLACES_MAX = 1_000;

/** The lock of a run; null where its workflow names none. */
export function lockOf({ tenant, lock }: Pick<RunIdentity, 'tenant' | 'lock'>, parts: number): LockAddress | null {
  return lock === undefined ? null : lockAddress(tenant, lock.name, parts);
}

/** Where the queue of a lock lives. @param parts how many parts the database was set up with. */
export function lockAddress(tenant: string, name: string, parts: number): LockAddress {
  const shard = Number.parseInt(sha256(JSON.stringify(['lock', tenant, name])).slice(0, 3), 16) % VIRTUAL_SHARDS;
  return { part: shard % parts, tenant, name };
}
