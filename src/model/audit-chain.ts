import { sha256 } from './hash.ts';
import type { RunId } from './ids.ts';
import type { AuditEntry } from './run-commit.ts';

/** An act of a person or a key as it is stored: numbered and chained per run, or per tenant where it is about no run. */
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

/** What the first act of a chain is linked to. */
export const AUDIT_START = '0'.repeat(64);

/** What the integrity of an act must be; the database makes it with the same text. @param runId null = it is about no run. */
export function auditIntegrity(runId: RunId | null, act: Omit<AuditRecord, 'integrity'>): string {
  const { previous, auditNo, tenant, actor, act: word, target, reason, detail, atMs } = act;
  const parts = [previous, runId, auditNo, tenant, actor, word, target, reason, detail, atMs];
  return sha256(`[${parts.map((part) => JSON.stringify(part)).join(', ')}]`);
}

/** The chain that acts make in their order. @param runId null = they are about no run. */
export function chainAudit(runId: RunId | null, tenant: string, acts: readonly AuditEntry[]): readonly AuditRecord[] {
  const chain: AuditRecord[] = [];
  for (const { detail, ...act } of acts) {
    const previous = chain.at(-1)?.integrity ?? AUDIT_START;
    const body = { ...act, auditNo: chain.length + 1, tenant, detail: JSON.stringify(detail), previous };
    chain.push({ ...body, integrity: auditIntegrity(runId, body) });
  }
  return chain;
}

/** What is wrong with an act as a link of its chain. @param before the act before it; undefined = it is the first that is there. */
export function linkFaults(
  runId: RunId | null,
  act: AuditRecord,
  before: Pick<AuditRecord, 'auditNo' | 'integrity'> | undefined,
): readonly string[] {
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [act.auditNo !== (before?.auditNo ?? 0) + 1, 'an act is missing before this one'],
    [act.previous !== (before?.integrity ?? AUDIT_START), 'it is not linked to the act before it'],
    [act.integrity !== auditIntegrity(runId, act), 'its content does not match its integrity'],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}
