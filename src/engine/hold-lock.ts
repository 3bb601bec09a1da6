import { PawlError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import { type LockGrant, lockOf } from '../model/lock.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Delivery } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Who vouches for the id of a grant. */
const SOURCE = 'lock';

/**
 * Tells runs that they hold their lock. Told again, a run hears it once (V02); one that was never told because its
 * teller died is found by the sweep. Transaction: one per part.
 */
export async function tellGrants(engine: Engine, name: string, grants: readonly LockGrant[]): Promise<void> {
  const payload: InboxPayload = { type: 'lock.granted', lock: name };
  const payloadHash = hashJson(payload as unknown as Json);
  for (const part of new Set(grants.map(({ runPart }) => runPart))) {
    const mine = grants.filter(({ runPart }) => runPart === part);
    const deliveries = mine.map(
      ({ runId }): Delivery => ({ part, runId, source: SOURCE, eventId: name, payload, payloadHash }),
    );
    await engine.store.deliver(part, deliveries);
  }
}

/** Puts a run into the queue of its lock, or finds it there; whoever's turn it is, is told. Transaction: the store's own. */
export async function joinLock(engine: Engine, run: RunIdentity): Promise<void> {
  const lock = lockOf(run, engine.store.parts);
  if (lock === null || run.lock === undefined) return;
  const { runId, part: runPart, startedAtMs } = run;
  const { limit } = run.lock;
  await tellGrants(engine, lock.name, await engine.store.joinLock(lock, { runId, runPart, limit, startedAtMs }));
}

/** A run that has ended gives its lock to the next one. Transaction: the store's own. */
async function leaveLock(engine: Engine, run: RunIdentity): Promise<void> {
  const lock = lockOf(run, engine.store.parts);
  if (lock !== null) await tellGrants(engine, lock.name, await engine.store.leaveLock(lock, run.runId));
}

/** What cannot be done with a lock now is done later by others: by whoever claims a run in the queue, by the sweep of the holders. */
async function orLater(engine: Engine, run: RunIdentity, turn: Promise<void>): Promise<void> {
  try {
    await turn;
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    engine.logger.warn({ runId: run.runId, code: error.code }, 'lock.later');
  }
}

/** Right after its start: runs that start one after the other queue in that order. */
export function joinAtStart(engine: Engine, run: RunIdentity): Promise<void> {
  return orLater(engine, run, joinLock(engine, run));
}

/** Right after the commit that ended it. */
export function leaveAtEnd(engine: Engine, run: RunIdentity): Promise<void> {
  return orLater(engine, run, leaveLock(engine, run));
}
