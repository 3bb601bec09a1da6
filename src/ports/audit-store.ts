import type { AuditRecord } from '../model/audit-chain.ts';
import type { RunId } from '../model/ids.ts';
import type { ListedAct } from '../model/tenant-act.ts';

/** A place in a list of acts, newest first: the act behind which the next page begins. */
export type ActPlace = Pick<ListedAct, 'atMs' | 'runId' | 'auditNo'>;

/** Which acts are asked for; absent = any. */
export interface ActFilter {
  readonly tenant: string;
  readonly actor?: string;
  readonly act?: string;
  readonly runId?: RunId;
  readonly workflow?: string;
  /** Only acts about one of these workflows, or runs of them; acts about none are left out. */
  readonly workflows?: readonly string[];
  /** From this instant on. */
  readonly sinceMs?: number;
  /** Before this instant. */
  readonly untilMs?: number;
  readonly after?: ActPlace;
  readonly limit: number;
}

/** An act as it lies in its chain. */
export interface ChainedAct {
  /** The chain is that of a run, or (null) that of the act's tenant. */
  readonly runId: RunId | null;
  readonly record: AuditRecord;
}

/** The act of a chain behind which a page begins; number 0 = before its first. */
export interface ChainPlace {
  readonly runId: RunId | null;
  readonly tenant: string;
  readonly auditNo: number;
}

/** What a store tells of acts of people and keys. */
export interface AuditStore {
  /** Acts of a tenant, the newest first; in every part. */
  acts(filter: ActFilter): Promise<readonly ListedAct[]>;
  /**
   * Acts as they are chained, unchecked, by chain and number: those of the runs of a part, or (null) those about no run, of every
   * tenant. @param after the act behind which the page begins; null = from the first.
   */
  chains(part: number | null, after: ChainPlace | null, limit: number): Promise<readonly ChainedAct[]>;
}
