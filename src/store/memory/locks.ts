import type { RunId } from '../../model/ids.ts';
import {
  LOCK_LIMIT_MAX,
  LOCK_PLACES_MAX,
  type LockAct,
  type LockAddress,
  type LockGrant,
  type LockPlace,
  type LockRecord,
} from '../../model/lock.ts';
import type { Store } from '../../ports/store.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { keyOf, type LockRow, type PlaceRow, runIn, type Statement } from './tables.ts';

function lockKey({ part, tenant, name }: LockAddress): string {
  return keyOf(part, tenant, name);
}

/** A run has one place, as it has one lock. */
function placeKey(lock: Pick<LockAddress, 'part'>, runId: RunId): string {
  return keyOf(lock.part, runId);
}

/** Places of a lock in the order of their turns. */
function placesOf({ places }: Pick<Statement, 'places'>, lock: LockAddress): PlaceRow[] {
  const mine = [...places.values()].filter(
    ({ part, tenant, name }) => part === lock.part && tenant === lock.tenant && name === lock.name,
  );
  return inOrder(mine, ({ startedAtMs, runId }) => [startedAtMs, runId]);
}

function openTurn({ locks }: Statement, { part, tenant, name }: LockAddress): LockRow {
  const key = keyOf(part, tenant, name);
  const known = locks.get(key) ?? { part, tenant, name, setLimit: null, acts: [] };
  const row = rowOf({ ...known, isForgotten: false });
  locks.set(key, row);
  return row;
}

/** Whoever is next gets the lowest free slot, until the limit of an operator, or of any file in hand or in turn, is reached. */
function takeTurns(statement: Statement, lock: LockRow): LockGrant[] {
  const all = placesOf(statement, lock);
  const taken = new Set(all.flatMap(({ slot }) => slot ?? []));
  let limit = Math.min(LOCK_LIMIT_MAX, ...all.filter(({ slot }) => slot !== null).map((place) => place.limit));
  const granted: LockGrant[] = [];
  for (const place of all.filter(({ slot }) => slot === null)) {
    limit = Math.min(limit, place.limit);
    if (taken.size >= (lock.setLimit ?? limit)) break;
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    taken.add(slot);
    const { nowMs } = statement;
    statement.places.set(placeKey(lock, place.runId), rowOf({ ...place, slot, grantedAtMs: nowMs, seenMs: nowMs }));
    granted.push({ runId: place.runId, runPart: place.runPart });
  }
  return granted;
}

/** A run takes its place, or keeps the one it has. @returns whom to tell that they hold the lock. */
export function joinLock(
  statement: Statement,
  lock: LockAddress,
  run: Omit<LockPlace, 'slot' | 'grantedAtMs'>,
): LockGrant[] {
  const row = openTurn(statement, lock);
  const key = placeKey(lock, run.runId);
  const before = statement.places.get(key);
  const { part, tenant, name } = lock;
  if (before === undefined)
    statement.places.set(key, rowOf({ ...run, part, tenant, name, slot: null, grantedAtMs: null, seenMs: null }));
  const again = before === undefined || before.slot === null ? [] : [{ runId: run.runId, runPart: run.runPart }];
  return [...again, ...takeTurns(statement, row)];
}

/** A run leaves its place; a lock that nobody asks for any more is forgotten, but for what people have done with it. */
export function leaveLock(statement: Statement, lock: LockAddress, runId: RunId): LockGrant[] {
  const row = openTurn(statement, lock);
  statement.places.delete(placeKey(lock, runId));
  const granted = takeTurns(statement, row);
  if (row.setLimit !== null || placesOf(statement, lock).length > 0) return granted;
  if (row.acts.length === 0) statement.locks.delete(lockKey(lock));
  else statement.locks.set(lockKey(lock), rowOf({ ...row, isForgotten: true }));
  return granted;
}

/** An operator sets a limit, or gives it back to the files. */
export function limitLock(
  statement: Statement,
  lock: LockAddress,
  { by, reason, limit }: Omit<LockAct, 'atMs'>,
): LockGrant[] {
  const before = openTurn(statement, lock);
  const act = rowOf({ by, reason, limit, atMs: statement.nowMs });
  const row = rowOf({ ...before, setLimit: limit, acts: [act, ...before.acts] });
  statement.locks.set(lockKey(lock), row);
  const detail = { before: { limit: before.setLimit }, after: { limit } };
  noteAct(statement, { tenant: lock.tenant, actor: by, act: 'lock.limit', target: lock.name, reason, detail });
  return takeTurns(statement, row);
}

/** Holders that were not looked at for a while, longest first; marked as looked at. */
export function sweepLocks(
  statement: Statement,
  part: number,
  olderThanMs: number,
  limit: number,
): Awaited<ReturnType<Store['sweepLocks']>> {
  const { nowMs } = statement;
  const due = [...statement.places.values()].filter(
    (place) => place.part === part && place.seenMs !== null && place.seenMs <= nowMs - olderThanMs,
  );
  const page = inOrder(due, (place) => [place.seenMs ?? 0]).slice(0, limit);
  for (const place of page) statement.places.set(placeKey(place, place.runId), rowOf({ ...place, seenMs: nowMs }));
  return page.map(({ tenant, name, runId, runPart }) => ({ tenant, name, runId, runPart }));
}

/** A place as it is told. */
export function placeOf({ runId, runPart, limit, startedAtMs, slot, grantedAtMs }: PlaceRow): LockPlace {
  return { runId, runPart, limit, startedAtMs, slot, grantedAtMs };
}

/** Locks of a tenant with their queues. */
export function listLocks(statement: Statement, tenant: string, name: string | null, limit: number): LockRecord[] {
  const found = [...statement.locks.values()].filter(
    (lock) => !lock.isForgotten && lock.tenant === tenant && (name === null || lock.name === name),
  );
  return inOrder(found, (lock) => [lock.name])
    .slice(0, limit)
    .map((lock) => {
      const places = placesOf(statement, lock);
      const holders = inOrder(
        places.filter(({ slot }) => slot !== null),
        ({ slot }) => [slot ?? 0],
      );
      const waiting = places.filter(({ slot }) => slot === null);
      return {
        part: lock.part,
        tenant,
        name: lock.name,
        setLimit: lock.setLimit,
        held: holders.length,
        waiting: waiting.length,
        places: [...holders, ...waiting].slice(0, LOCK_PLACES_MAX).map(placeOf),
        acts: lock.acts.slice(0, LOCK_PLACES_MAX),
      };
    });
}

/** Where runs of a part stand. */
export function headsOf(
  statement: Statement,
  part: number,
  runIds: readonly RunId[],
): Awaited<ReturnType<Store['heads']>> {
  return runIds.flatMap((runId) => {
    const rows = runIn(statement, part, runId);
    if (rows === undefined) return [];
    const { status, endedAtMs, prunedAtMs } = rows.head;
    return [{ runId, status, endedAtMs, prunedAtMs }];
  });
}
