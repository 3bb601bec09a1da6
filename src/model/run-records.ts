import type { Approval } from './approval.ts';
import type { Effect, Receipt } from './effect.ts';
import type { Digest, RunId, WorkerId } from './ids.ts';
import type { InboxEvent } from './inbox-event.ts';
import type { Json } from './json.ts';
import type { OutboxRecord } from './outbox.ts';
import type { AuditRecord } from './audit-chain.ts';
import type { HeadChange, Transition } from './run-commit.ts';
import type { LockPlace } from './lock.ts';
import type { RunIdentity, Timer } from './run.ts';

/** A run's head as stored. */
export interface HeadRecord extends HeadChange {
  readonly revision: number;
  readonly fence: number;
  /** The worker that the head names as its holder. */
  readonly owner: WorkerId | null;
  /** When its state was pruned; null = it is there. */
  readonly prunedAtMs: number | null;
}

/** A run's lease, with how long its worker's seat lives (null = the worker has none). */
export interface LeaseRecord {
  readonly workerId: WorkerId;
  readonly fence: number;
  readonly claimedAtMs: number;
  readonly seatUntilMs: number | null;
}

/** A row of the inbox with its answer. */
export interface InboxRecord extends InboxEvent {
  readonly detail: Json;
  readonly consumed: boolean;
  /** Revision of the run after the commit that consumed it. */
  readonly consumedRevision: number | null;
}

/** A timer with the inbox row that its firing will make. */
export interface TimerRecord extends Timer {
  readonly payload: Json;
  readonly payloadHash: string;
}

/** The row of a run's business key; it may name a later run of the same key. */
export interface StartKeyRecord {
  readonly runId: RunId;
  readonly requestHash: string;
  readonly startNumber: number;
}

/** Everything that is stored of one run, as of one instant and unchecked: what its invariants are looked for in. */
export interface RunRecords {
  readonly run: RunIdentity;
  readonly head: HeadRecord;
  readonly lease: LeaseRecord | null;
  readonly wakeUp: { readonly dueAtMs: number; readonly wake: number } | null;
  readonly journal: readonly (Transition & { readonly fence: number; readonly workerId: WorkerId })[];
  readonly effects: readonly Effect[];
  readonly receipts: readonly Receipt[];
  readonly timers: readonly TimerRecord[];
  /** Acts of people, in their order. */
  readonly audit: readonly AuditRecord[];
  /** With their votes. */
  readonly approvals: readonly Approval[];
  readonly inbox: readonly InboxRecord[];
  /** In the order of sending. */
  readonly outbox: readonly (OutboxRecord & { readonly outward: boolean })[];
  /** Its place with a lock, and the name of that; null where it has none. */
  readonly place: (LockPlace & { readonly name: string }) | null;
  /** Null where the run has no key of its own, or its row is missing. */
  readonly startKey: StartKeyRecord | null;
  /** Digest of the version that the run names by tenant, workflow and number; null = it is not published. */
  readonly publishedDigest: Digest | null;
}

/** A run whose rows are there and cannot be read. */
export interface UnreadableRun {
  readonly runId: RunId;
  readonly part: number;
  readonly message: string;
}

/** A row that belongs to a run which is not there. */
export interface StrayRow {
  readonly table: string;
  readonly part: number;
  readonly runId: RunId;
  /** The rest of its key, in words. */
  readonly row: string;
}
