import { type AuditRecord, chainAudit } from '../../model/audit-chain.ts';
import type { RunId } from '../../model/ids.ts';
import { type ListedAct, NO_RUN, type TenantAct, workflowOfAct } from '../../model/tenant-act.ts';
import type { ActFilter, ActPlace, ChainedAct, ChainPlace } from '../../ports/audit-store.ts';
import { compareText, inOrder, rowOf } from './row.ts';
import { runsIn, type Statement, type Tables } from './tables.ts';

/** Writes an act that is about no run, with the statement that carries it out. */
export function noteAct({ acts, nowMs }: Statement, { tenant, ...act }: TenantAct): void {
  acts.set(tenant, [...(acts.get(tenant) ?? []), rowOf({ ...act, atMs: nowMs }, ['detail'])]);
}

function placeOf({ atMs, runId, auditNo }: ActPlace): readonly [number, string, number] {
  return [atMs, runId ?? NO_RUN, auditNo];
}

function isBehind(act: ActPlace, place: ActPlace | undefined): boolean {
  if (place === undefined) return true;
  const [atMs, owner, auditNo] = placeOf(act);
  const [untilMs, last, lastNo] = placeOf(place);
  const order = atMs - untilMs || compareText(owner, last) || auditNo - lastNo;
  return order < 0;
}

function isAskedAbout({ runId, workflow, workflows }: ActFilter, act: ListedAct): boolean {
  if (runId !== undefined && act.runId !== runId) return false;
  if (workflow !== undefined && act.workflow !== workflow) return false;
  return workflows === undefined || (act.workflow !== null && workflows.includes(act.workflow));
}

function isAsked(filter: ActFilter, act: ListedAct): boolean {
  const { actor = act.actor, act: word = act.act, sinceMs = act.atMs, untilMs = Number.POSITIVE_INFINITY } = filter;
  const isIn = act.atMs >= sinceMs && act.atMs < untilMs && isBehind(act, filter.after);
  return act.actor === actor && act.act === word && isIn && isAskedAbout(filter, act);
}

/** Acts of a tenant, the newest first. */
export function listActs({ runs, acts }: Statement, filter: ActFilter): ListedAct[] {
  const { tenant, limit } = filter;
  const ofRuns = [...runs.values()]
    .filter(({ run }) => run.tenant === tenant)
    .flatMap(({ run: { runId, workflow }, audit }) =>
      audit.map((act, at) => ({ ...act, runId, workflow, auditNo: at + 1 })),
    );
  const ofTenant = (acts.get(tenant) ?? []).map((act, at) => ({
    ...act,
    runId: null,
    workflow: workflowOfAct(act),
    auditNo: at + 1,
  }));
  const found: ListedAct[] = [...ofRuns, ...ofTenant].filter((act) => isAsked(filter, act));
  return inOrder(found, placeOf).reverse().slice(0, limit);
}

function chainsOf(tables: Tables, part: number | null): ChainedAct[] {
  const chained = (runId: RunId | null, records: readonly AuditRecord[]): ChainedAct[] =>
    records.map((record) => ({ runId, record }));
  if (part === null)
    return inOrder(tables.acts, ([tenant]) => [tenant]).flatMap(([tenant, acts]) =>
      chained(null, chainAudit(null, tenant, acts)),
    );
  return inOrder(runsIn(tables, part), ({ run }) => [run.runId]).flatMap(({ run, audit }) =>
    chained(run.runId, chainAudit(run.runId, run.tenant, audit)),
  );
}

/** Acts of a part, or (null) about no run, as they are chained. */
export function chainedActs(
  tables: Tables,
  part: number | null,
  after: ChainPlace | null,
  limit: number,
): readonly ChainedAct[] {
  const isAfter = ({ runId, record }: ChainedAct): boolean => {
    if (after === null) return true;
    const order = compareText(runId ?? record.tenant, after.runId ?? after.tenant);
    return (order || record.auditNo - after.auditNo) > 0;
  };
  return chainsOf(tables, part).filter(isAfter).slice(0, limit);
}
