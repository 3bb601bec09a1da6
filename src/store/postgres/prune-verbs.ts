import type { Digest, RunId } from '../../model/ids.ts';
import type { OpenEnd, RetainedRun } from '../../model/retention.ts';
import type { RunStatus } from '../../model/statuses.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { PRUNE, RETAINED } from './sql/prune.ts';

function retainedFromRow(row: Row): RetainedRun {
  return {
    runId: row['run_id'] as RunId,
    digest: row['digest'] as Digest,
    status: row['status'] as RunStatus,
    revision: row['revision'] as number,
    fence: row['fence'] as number,
    endedAtMs: row['ended_at'] as number | null,
    openEnd: row['open_end'] as OpenEnd | null,
  };
}

/** The verbs of retention. */
export function pruneVerbs({ run }: Connections): Pick<Store, 'retained' | 'prune'> {
  return {
    retained: async (part, after, limit) => {
      const rows = await run(RETAINED, [part, after, limit]);
      const runs = rows.filter((row) => row['run_id'] !== null).map(retainedFromRow);
      const last = runs.length < limit ? undefined : runs.at(-1);
      return { runs, next: last?.runId ?? null, nowMs: rows[0]?.['now_ms'] as number };
    },
    prune: async (part, asks, by) => {
      if (asks.length === 0) return [];
      const columns = [asks.map((ask) => ask.runId), asks.map((ask) => ask.revision), asks.map((ask) => ask.fence)];
      return (await run(PRUNE, [part, ...columns, by?.actor ?? null, by?.reason ?? null])).map(
        (row) => row['run_id'] as RunId,
      );
    },
  };
}
