import { findFaults } from '../../decision/invariants/find-faults.ts';
import type { VersionCache } from '../../engine/version-cache.ts';
import type { RunRecords, UnreadableRun } from '../../model/run-records.ts';
import type { Store } from '../../ports/store.ts';
import { judgeOpenChildren } from './judge-children.ts';
import type { Violation } from './oracle.ts';

/** Most runs of a simulated world. */
const RUNS_MAX = 100;

/** Whether a run is in the time in which its file promises the lock to it: from its beginning to its first end. */
function isInside({ head, journal }: RunRecords): boolean {
  const hasBegun = journal.some(({ event }) => event.type === 'lock.granted');
  return hasBegun && head.endedAtMs === null && head.phase !== 'compensating';
}

/** Never are more runs inside than a lock lets. */
function judgeLocks(runs: readonly (RunRecords | UnreadableRun)[]): readonly Violation[] {
  const inside = runs.flatMap((one) =>
    'run' in one && one.run.lock !== undefined && isInside(one) ? [one.run.lock] : [],
  );
  const found = inside.find(({ name, limit }) => inside.filter((other) => other.name === name).length > limit);
  if (found === undefined) return [];
  const message = `${inside.length} runs are inside, and its limit is ${found.limit}`;
  return [{ rule: 'lock', runId: null, subject: found.name, message }];
}

/**
 * Looks for broken invariants in everything that is stored at this instant: they hold between any two commits, whatever is
 * under way.
 */
export async function judgeInvariants(store: Store, versions: VersionCache): Promise<readonly Violation[]> {
  const { runs, nowMs } = await store.records(0, null, RUNS_MAX);
  const found: Violation[] = [...judgeLocks(runs), ...judgeOpenChildren(runs)];
  for (const records of runs) {
    if ('message' in records) {
      found.push({ rule: 'unreadable', runId: records.runId, subject: 'run', message: records.message });
      continue;
    }
    const program = (await versions.byDigest(records.run.digest))?.compiled ?? null;
    const faults = findFaults({ ...records, program }, nowMs);
    found.push(
      ...faults.map(({ runId, check, row, what }) => ({
        rule: `invariant ${check}`,
        runId,
        subject: row,
        message: what,
      })),
    );
  }
  return found;
}
