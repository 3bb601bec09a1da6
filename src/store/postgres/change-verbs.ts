import type { RunId } from '../../model/ids.ts';
import type { RunChange } from '../../model/run-change.ts';
import type { RunStatus } from '../../model/statuses.ts';
import type { ChangeStore } from '../../ports/change-store.ts';
import type { Connections, Row } from './connections.ts';
import { parse } from './rows.ts';
import { CHANGES, FORGET_CHANGES } from './sql/change.ts';

/** Before every run of a position. */
const NO_RUN = '00000000-0000-0000-0000-000000000000';

function changeFromRow(row: Row): RunChange {
  return {
    position: row['position'] as number,
    runId: row['run_id'] as RunId,
    key: row['run_key'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    revision: row['revision'] as number,
    status: row['status'] as RunStatus,
    effects: parse<RunChange['effects']>(row['effects']),
    atMs: row['at'] as number,
  };
}

/** The verbs of what has changed. */
export function changeVerbs({ run }: Connections): ChangeStore {
  return {
    changes: async (tenant, part, after, limit) => {
      const rows = await run(CHANGES, [part, tenant, after?.position ?? null, after?.runId ?? NO_RUN, limit]);
      const found = rows.filter((row) => row['run_id'] !== null);
      const horizon = rows[0]?.['horizon'] as number;
      const last = found.length < limit ? undefined : found.at(-1);
      return {
        // A run that somebody has deleted is nothing to tell of.
        changes: found.filter((row) => row['run_key'] !== null).map(changeFromRow),
        next: last === undefined ? horizon : (last['position'] as number) + 1,
        horizon,
        keptFrom: rows[0]?.['kept_from'] as number,
        history: rows[0]?.['history'] as string,
      };
    },
    forgetChanges: async (part, olderThanMs, limit) =>
      (await run(FORGET_CHANGES, [part, olderThanMs, limit]))[0]?.['forgotten'] as number,
  };
}
