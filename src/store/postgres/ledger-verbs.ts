import type { EffectKey, RunId } from '../../model/ids.ts';
import type { EffectState } from '../../model/statuses.ts';
import type { EffectFilter, EffectLine, LedgerStore } from '../../ports/ledger-store.ts';
import type { Connections, Row } from './connections.ts';
import { LIST_EFFECTS } from './sql/ledger.ts';

function lineFromRow(row: Row): EffectLine {
  return {
    runId: row['run_id'] as RunId,
    runKey: row['run_key'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    startedAtMs: row['started_at'] as number,
    key: row['effect_key'] as EffectKey,
    step: row['step'] as string,
    action: row['action'] as string,
    state: row['state'] as EffectState,
    attempt: row['attempt'] as number,
    code: row['code'] as string | null,
    sinceMs: row['since'] as number,
    settledAtMs: row['settled_at'] as number | null,
  };
}

function valuesOf({ tenant, states, action, runId, workflow, workflows, beforeMs, after }: EffectFilter): unknown[] {
  const place = after === undefined ? [null, null, null] : [after.startedAtMs, after.runId, after.key];
  const about = [runId ?? null, workflow ?? null, workflows ?? null];
  return [tenant, states ?? null, action ?? null, ...about, beforeMs ?? null, ...place];
}

/** The verb that lists the ledger of all runs. */
export function ledgerVerbs({ run }: Connections): Pick<LedgerStore, 'effects'> {
  return {
    effects: async (filter) => (await run(LIST_EFFECTS, [...valuesOf(filter), filter.limit])).map(lineFromRow),
  };
}
