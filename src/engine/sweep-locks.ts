import { lockAddress } from '../model/lock.ts';
import type { Engine } from './engine.ts';
import { tellGrants } from './hold-lock.ts';

/** Holders that are looked at together. */
const HOLDERS_MAX = 200;

/**
 * Looks at the holders of locks whose queues live in a part: one whose run has ended or is gone leaves, so that a process
 * that died between an end and the next beginning keeps nobody waiting; one that has not begun is told again that it may.
 * Transaction: the store's own. @returns how many have left.
 */
export async function sweepLocks(engine: Engine, part: number): Promise<number> {
  const { store, logger, numbers } = engine;
  const holders = await store.sweepLocks(part, numbers.heartbeatMs, HOLDERS_MAX);
  let left = 0;
  for (const runPart of new Set(holders.map((holder) => holder.runPart))) {
    const mine = holders.filter((holder) => holder.runPart === runPart);
    const heads = await store.heads(
      runPart,
      mine.map(({ runId }) => runId),
    );
    const standing = new Map(heads.map((head) => [head.runId, head]));
    for (const holder of mine) {
      const { tenant, name, runId } = holder;
      const head = standing.get(runId);
      if (head?.status === 'QUEUED') await tellGrants(engine, name, [holder]);
      if (head !== undefined && head.endedAtMs === null) continue;
      await tellGrants(engine, name, await store.leaveLock(lockAddress(tenant, name, store.parts), runId));
      left += 1;
    }
  }
  if (left > 0) logger.warn({ part, count: left }, 'lock.swept');
  return left;
}
