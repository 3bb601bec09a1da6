import { findFaults } from '../../decision/invariants/find-faults.ts';
import type { VersionCache } from '../../engine/version-cache.ts';
import type { MemoryStore } from '../../store/memory/memory-store.ts';
import { judgeOpenChildren } from './judge-children.ts';
import { judgeLocks } from './judge-locks.ts';
import type { Violation } from './oracle.ts';

/** Most runs of a simulated world. */
const RUNS_MAX = 100;

/**
 * Looks for broken invariants in everything that is stored at this instant: they hold between any two commits, whatever is
 * under way.
 */
export async function judgeInvariants(store: MemoryStore, versions: VersionCache): Promise<readonly Violation[]> {
  const { runs, nowMs } = await store.records(0, null, RUNS_MAX);
  const found: Violation[] = [...judgeLocks(runs), ...judgeOpenChildren(runs)];
  for (const records of runs) {
    if ('message' in records) {
      found.push({ rule: 'unreadable', runId: records.runId, subject: 'run', message: records.message });
      continue;
    }
    const program = (await versions.byDigest(records.run.digest))?.compiled ?? null;
    const faults = findFaults({ ...records, program }, nowMs);
    // A wake-up that a delivery has in its hands is pulled forward when that is done, whatever a release has left of it (W06).
    const isInHand = store.isDelivering(records.run.runId);
    found.push(
      ...faults
        .filter(({ check }) => !(isInHand && check === 'wake-up'))
        .map(({ runId, check, row, what }) => ({
          rule: `invariant ${check}`,
          runId,
          subject: row,
          message: what,
        })),
    );
  }
  return found;
}
