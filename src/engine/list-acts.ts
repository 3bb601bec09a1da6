import { linkFaults } from '../model/audit-chain.ts';
import type { Json } from '../model/json.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunIdentity } from '../model/run.ts';
import type { ListedAct } from '../model/tenant-act.ts';
import type { ActFilter } from '../ports/audit-store.ts';
import type { Engine } from './engine.ts';

/** Acts of one run that are read at once. */
const PAGE_ACTS = 1_000;

/** An act of a person or a key as people and programs see it; times RFC 3339 UTC. */
export interface ActView {
  readonly at: string;
  readonly actor: string;
  readonly act: string;
  /** The run that it is about; null = it is about none. */
  readonly run: string | null;
  /** The workflow that it is about, or of its run; null = it is about none. */
  readonly workflow: string | null;
  readonly target: string;
  readonly reason: string | null;
  readonly detail: Json;
  /** Its number in its chain, from 1. */
  readonly no: number;
}

/** An act of a run with its links. */
export interface RunActView extends Omit<ActView, 'run' | 'workflow'> {
  readonly previous: string;
  readonly integrity: string;
}

/** The acts of a run, recomputed. */
export interface RunActsView {
  readonly data: readonly RunActView[];
  /** What is wrong with the chain, and where; none = it is whole. */
  readonly faults: readonly { readonly no: number; readonly what: string }[];
}

function actView({ atMs, runId, auditNo, actor, act, workflow, target, reason, detail }: ListedAct): ActView {
  const run = runId === null ? null : displayRunId(runId);
  return { at: new Date(atMs).toISOString(), actor, act, run, workflow, target, reason, detail, no: auditNo };
}

/** Acts of people and keys, the newest first. Transaction: none. */
export async function listActs(
  { store, tenant }: Engine,
  filter: Omit<ActFilter, 'tenant'>,
): Promise<readonly ActView[]> {
  return (await store.acts({ ...filter, tenant })).map(actView);
}

/** The acts of a run in their order, each link recomputed. Transaction: none. */
export async function runActs({ store, tenant }: Engine, { part, runId }: RunIdentity): Promise<RunActsView> {
  const data: RunActView[] = [];
  const faults: { no: number; what: string }[] = [];
  let before: Parameters<typeof linkFaults>[2];
  for (;;) {
    const place = { runId, tenant, auditNo: before?.auditNo ?? 0 };
    const page = await store.chains(part, place, PAGE_ACTS);
    const mine = page.filter((act) => act.runId === runId);
    for (const { record } of mine) {
      const { auditNo: no, atMs, tenant: _tenant, detail, ...act } = record;
      faults.push(...linkFaults(runId, record, before).map((what) => ({ no, what })));
      data.push({ ...act, no, at: new Date(atMs).toISOString(), detail: JSON.parse(detail) as Json });
      before = record;
    }
    if (mine.length < PAGE_ACTS) return { data, faults };
  }
}
