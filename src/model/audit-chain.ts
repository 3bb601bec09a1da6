import { canonicalJson } from './canonical-json.ts';
import { sha256 } from './hash.ts';
import type { RunId } from './ids.ts';
import type { AuditEntry } from './run-commit.ts';

/** An act of a person as it is stored: numbered and chained per run. */
export interface AuditRecord extends Omit<AuditEntry, 'detail'> {
  /** From 1. */
  readonly auditNo: number;
  readonly tenant: string;
  /** JSON text, as it is stored. */
  readonly detail: string;
  /** Integrity of the act before it; 64 zeros for the first. */
  readonly previous: string;
  readonly integrity: string;
}

/** What the first act of a run is linked to. */
export const AUDIT_START = '0'.repeat(64);

/** What the integrity of an act must be; the database makes it with the same text (`pawl.chain_audit`). */
export function auditIntegrity(runId: RunId, act: Omit<AuditRecord, 'integrity'>): string {
  const { previous, auditNo, tenant, actor, act: word, target, reason, detail, atMs } = act;
  const parts = [previous, runId, auditNo, tenant, actor, word, target, reason, detail, atMs];
  return sha256(`[${parts.map((part) => JSON.stringify(part)).join(', ')}]`);
}

/** The chain that acts make in their order. */
export function chainAudit(runId: RunId, tenant: string, acts: readonly AuditEntry[]): readonly AuditRecord[] {
  const chain: AuditRecord[] = [];
  for (const { detail, ...act } of acts) {
    const previous = chain.at(-1)?.integrity ?? AUDIT_START;
    const body = { ...act, auditNo: chain.length + 1, tenant, detail: canonicalJson(detail), previous };
    chain.push({ ...body, integrity: auditIntegrity(runId, body) });
  }
  return chain;
}
