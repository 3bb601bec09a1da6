import type { RunId } from './ids.ts';
import type { AuditEntry } from './run-commit.ts';

/** Acts whose target is a workflow. */
export const WORKFLOW_ACTS = [
  'publish',
  'version.deprecate',
  'version.restore',
  'schedule.pause',
  'schedule.resume',
] as const;

/** Acts of people and keys that are about no run; the chain of their tenant has them. */
export const TENANT_ACTS = [
  ...WORKFLOW_ACTS,
  'lock.limit',
  'key.create',
  'key.revoke',
  'batch.create',
  'batch.pause',
  'batch.resume',
  'batch.stop',
  'pause.begin',
  'pause.end',
  'recovery.begin',
  'recovery.end',
] as const;

/** The word of such an act. */
export type TenantActWord = (typeof TENANT_ACTS)[number];

/** Such an act, before the database's time and its place in the chain are known. */
export interface TenantAct extends Omit<AuditEntry, 'atMs'> {
  readonly tenant: string;
  readonly act: TenantActWord;
}

/** Who does something to a tenant's house, and why. */
export interface ActOfTenant {
  readonly tenant: string;
  readonly by: string;
  /** null = nobody asks for one. */
  readonly reason: string | null;
}

/** The workflow that an act of a tenant is about; null where it is about none. */
export function workflowOfAct({ act, target }: Pick<AuditEntry, 'act' | 'target'>): string | null {
  return (WORKFLOW_ACTS as readonly string[]).includes(act) ? target : null;
}

/** Stands for no run where acts are put in order: no run has it. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000' as RunId;

/** An act of a list: with the run, and the workflow, that it is about (null = none). */
export interface ListedAct extends AuditEntry {
  readonly runId: RunId | null;
  readonly workflow: string | null;
  /** Its number in its chain, from 1. */
  readonly auditNo: number;
}
