import type { RunId } from '../../model/ids.ts';
import { LOCK_PLACES_MAX, type LockGrant, type LockPlace, type LockRecord } from '../../model/lock.ts';
import type { RunStatus } from '../../model/statuses.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { HEADS, JOIN_LOCK, LEAVE_LOCK, LIMIT_LOCK, LOCK_ROWS, SWEEP_LOCKS } from './sql/lock.ts';

function grantFromRow(row: Row): LockGrant {
  return { runId: row['run_id'] as RunId, runPart: row['run_part'] as number };
}

/** Reads a run's place with its lock. */
export function placeFromRow(row: Row): LockPlace {
  return {
    ...grantFromRow(row),
    limit: row['run_limit'] as number,
    startedAtMs: row['started_at'] as number,
    slot: row['slot'] as number | null,
    grantedAtMs: row['granted_at'] as number | null,
  };
}

function lockFromRow(row: Row): LockRecord {
  return {
    part: row['part'] as number,
    tenant: row['tenant'] as string,
    name: row['name'] as string,
    setLimit: row['set_limit'] as number | null,
    held: row['held'] as number,
    waiting: row['waiting'] as number,
    places: (row['places'] as readonly Row[]).map(placeFromRow),
    acts: (row['acts'] as readonly Row[]).map((act) => ({
      by: act['actor'] as string,
      reason: act['reason'] as string,
      limit: act['set_limit'] as number | null,
      atMs: act['at'] as number,
    })),
  };
}

/** The verbs of locks. */
export function lockVerbs({
  run,
}: Connections): Pick<Store, 'joinLock' | 'leaveLock' | 'limitLock' | 'sweepLocks' | 'locks' | 'heads'> {
  return {
    joinLock: async ({ part, tenant, name }, { runId, runPart, limit, startedAtMs }) =>
      (await run(JOIN_LOCK, [part, tenant, name, runId, runPart, limit, startedAtMs], 'write')).map(grantFromRow),
    leaveLock: async ({ part, tenant, name }, runId) =>
      (await run(LEAVE_LOCK, [part, tenant, name, runId], 'write')).map(grantFromRow),
    limitLock: async ({ part, tenant, name }, { limit, by, reason }) =>
      (await run(LIMIT_LOCK, [part, tenant, name, limit, by, reason], 'write')).map(grantFromRow),
    sweepLocks: async (part, olderThanMs, limit) =>
      (await run(SWEEP_LOCKS, [part, olderThanMs, limit])).map((row) => ({
        ...grantFromRow(row),
        tenant: row['tenant'] as string,
        name: row['name'] as string,
      })),
    locks: async (tenant, name, limit) =>
      (await run(LOCK_ROWS, [tenant, name, limit, LOCK_PLACES_MAX])).map(lockFromRow),
    heads: async (part, runIds) =>
      (await run(HEADS, [part, runIds])).map((row) => ({
        runId: row['run_id'] as RunId,
        status: row['status'] as RunStatus,
        endedAtMs: row['ended_at'] as number | null,
        prunedAtMs: row['pruned_at'] as number | null,
      })),
  };
}
