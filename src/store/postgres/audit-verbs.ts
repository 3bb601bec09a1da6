import type { AuditRecord } from '../../model/audit-chain.ts';
import type { RunId } from '../../model/ids.ts';
import { type ListedAct, NO_RUN } from '../../model/tenant-act.ts';
import type { ActFilter, AuditStore, ChainedAct } from '../../ports/audit-store.ts';
import type { Connections, Row } from './connections.ts';
import { auditFromRow } from './rows.ts';
import { LIST_ACTS, RUN_CHAINS, TENANT_CHAINS } from './sql/audit.ts';

/** Reads an act as it lies in its chain. */
export function auditRecord(row: Row): AuditRecord {
  return {
    auditNo: row['audit_no'] as number,
    tenant: row['tenant'] as string,
    actor: row['actor'] as string,
    act: row['act'] as string,
    target: row['target'] as string,
    reason: row['reason'] as string | null,
    detail: row['detail'] as string,
    atMs: row['at'] as number,
    previous: row['previous'] as string,
    integrity: row['integrity'] as string,
  };
}

function chainedFromRow(row: Row): ChainedAct {
  return { runId: row['run_id'] as RunId | null, record: auditRecord(row) };
}

function listedFromRow(row: Row): ListedAct {
  return {
    ...auditFromRow(row),
    runId: row['run_id'] as RunId | null,
    workflow: row['workflow'] as string | null,
    auditNo: row['audit_no'] as number,
  };
}

function valuesOf({ tenant, actor, act, sinceMs, untilMs, after, runId, workflow, workflows }: ActFilter): unknown[] {
  const place = after === undefined ? [null, null, null] : [after.atMs, after.runId ?? NO_RUN, after.auditNo];
  const about = [runId ?? null, workflow ?? null, workflows ?? null];
  return [tenant, actor ?? null, act ?? null, sinceMs ?? null, untilMs ?? null, ...place, ...about];
}

/** The verbs of acts. */
export function auditVerbs({ run }: Connections): AuditStore {
  return {
    acts: async (filter) => (await run(LIST_ACTS, [...valuesOf(filter), filter.limit])).map(listedFromRow),
    chains: async (part, after, limit) => {
      const { runId, tenant, auditNo } = after ?? { runId: null, tenant: null, auditNo: null };
      const rows =
        part === null
          ? await run(TENANT_CHAINS, [tenant, auditNo, limit])
          : await run(RUN_CHAINS, [part, runId, auditNo, limit]);
      return rows.map(chainedFromRow);
    },
  };
}
