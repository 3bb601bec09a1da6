import { LOCK_LIMIT_MAX, lockAddress, lockOf, type LockPlace, type LockRecord } from '../model/lock.ts';
import { RefusedError } from '../model/errors.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { tellGrants } from './hold-lock.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** Locks of one list. */
const LOCKS_MAX = 1_000;

/** A place as people and programs see it; times RFC 3339 UTC. */
export interface PlaceView {
  readonly run: string;
  readonly startedAt: string;
  /** What its file says. */
  readonly limit: number;
  /** null = it waits. */
  readonly grantedAt: string | null;
}

/** A lock as people and programs see it. */
export interface LockView {
  readonly name: string;
  /** What an operator has set; null = what the files say. */
  readonly setLimit: number | null;
  readonly held: number;
  readonly waiting: number;
  readonly holders: readonly PlaceView[];
  /** In the order of their turns; at most 1,000 places are listed. */
  readonly queue: readonly PlaceView[];
  /** What operators have set, newest first. */
  readonly acts: readonly {
    readonly by: string;
    readonly reason: string;
    readonly limit: number | null;
    readonly at: string;
  }[];
}

/** Where a run stands in the queue of its lock. */
export interface QueueView {
  readonly text: string;
  /** Who can move it. */
  readonly by: readonly string[];
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}

function placeView({ runId, startedAtMs, limit, grantedAtMs }: LockPlace): PlaceView {
  return {
    run: displayRunId(runId),
    startedAt: time(startedAtMs),
    limit,
    grantedAt: grantedAtMs === null ? null : time(grantedAtMs),
  };
}

function lockView({ name, setLimit, held, waiting, places, acts }: LockRecord): LockView {
  return {
    name,
    setLimit,
    held,
    waiting,
    holders: places.filter(({ slot }) => slot !== null).map(placeView),
    queue: places.filter(({ slot }) => slot === null).map(placeView),
    acts: acts.map(({ by, reason, limit, atMs }) => ({ by, reason, limit, at: time(atMs) })),
  };
}

/** Locks that are held, waited for, or have a limit of an operator; by name. @param name null = all. Transaction: none. */
export async function listLocks(engine: Engine, name: string | null): Promise<readonly LockView[]> {
  return (await engine.store.locks(engine.tenant, name, LOCKS_MAX)).map(lockView);
}

/** What an operator asks of a lock. */
export interface LimitAsk {
  /** null = what the files say counts again. */
  readonly limit: number | null;
  readonly by: string;
  readonly reason: string;
}

/**
 * Sets how many runs may hold a lock, for runs of every file; recorded with who and why. Whoever holds it now keeps it.
 * @throws PAWL_USAGE for a limit that is no whole number of 1 to 10 000. Transaction: the store's own.
 */
export async function limitLock(engine: Engine, name: string, { limit, by, reason }: LimitAsk): Promise<void> {
  if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > LOCK_LIMIT_MAX))
    throw new RefusedError('PAWL_USAGE', `a limit is a whole number from 1 to ${LOCK_LIMIT_MAX}`, { limit });
  for (const [what, value] of Object.entries({ name, by, reason })) refuseUnstorable(`the ${what}`, value);
  const lock = lockAddress(engine.tenant, name, engine.store.parts);
  await tellGrants(engine, name, await engine.store.limitLock(lock, { limit, by, reason }));
}

/** Where a run that has not begun stands in the queue of its lock; null where it has none. Transaction: none. */
export async function queueView(engine: Engine, run: RunIdentity): Promise<QueueView | null> {
  const lock = lockOf(run, engine.store.parts);
  if (lock === null) return null;
  const [record] = await engine.store.locks(lock.tenant, lock.name, 1);
  return queueWords(lock.name, record ?? null, run);
}

/** The sentence of it. */
export function queueWords(name: string, record: LockRecord | null, { runId }: Pick<RunIdentity, 'runId'>): QueueView {
  const worker = ['a worker'];
  const mine = record?.places.find((place) => place.runId === runId);
  if (record === null || mine === undefined)
    return { text: `waits for the lock ${name}: a worker is to put it into the queue`, by: worker };
  if (mine.slot !== null) return { text: `holds the lock ${name}: a worker is to begin it`, by: worker };
  const queue = record.places.filter(({ slot }) => slot === null);
  const holders = record.places.filter(({ slot }) => slot !== null).map((place) => displayRunId(place.runId));
  const position = `position ${queue.indexOf(mine) + 1} of ${record.waiting}`;
  return { text: `waits for the lock ${name}, ${position}, held by ${holders.join(', ')}`, by: holders };
}
