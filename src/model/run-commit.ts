import type { Approval, Vote } from './approval.ts';
import type { Effect, Receipt } from './effect.ts';
import type { EffectKey, RunId } from './ids.ts';
import type { Json } from './json.ts';
import type { Offer } from './offer.ts';
import type { OutboxMessage } from './outbox.ts';
import type { Timer } from './run.ts';
import type { EffectState, InboxOutcome, RunPhase, RunStatus } from './statuses.ts';

/** One transition: one row of the journal. */
export interface Transition {
  readonly revision: number;
  /** What came in: its type and its inbox address or `<effectKey>:settled`. */
  readonly event: { readonly type: string; readonly id: string; readonly step: string | null; readonly detail: Json };
  /** States left and entered, commands asked for. */
  readonly delta: Json;
  readonly commands: readonly Json[];
  /** sha256 of the canonical snapshot after it. */
  readonly stateHash: string;
  readonly atMs: number;
}

/** The hot half of a run's row after the commit. */
export interface HeadChange {
  readonly status: RunStatus;
  readonly phase: RunPhase;
  /** What a person is needed for, short words for lists: `approval:decision`, `incident:unknown`. */
  readonly needs: readonly string[];
  /** Canonical JSON of the snapshot envelope `{format, kernel, digest, schema, revision, snapshot, control}`. */
  readonly snapshot: string;
  readonly endedAtMs: number | null;
  readonly output: Json | undefined;
  readonly failure: Json | undefined;
}

/** A change of one ledger row; `expect` null = insert, else the row must be in that state and attempt (P02c). */
export interface EffectChange {
  readonly expect: { readonly state: EffectState; readonly attempt: number } | null;
  readonly effect: Effect;
}

/** An inbox row's answer; `consumed` false for `kept`. */
export interface InboxAnswer {
  readonly source: string;
  readonly eventId: string;
  readonly outcome: InboxOutcome;
  readonly code: string | null;
  readonly detail: Json;
  readonly consumed: boolean;
}

/** An act of a person, with what was before and after. */
export interface AuditEntry {
  readonly actor: string;
  readonly act: string;
  readonly target: string;
  readonly reason: string | null;
  readonly detail: Json;
  readonly atMs: number;
}

/**
 * Knowledge from outside the guard: late answers of fenced workers (E08), event ids that came again with another payload
 * (V02). Append-only by anyone.
 */
export interface Observation {
  readonly part: number;
  readonly runId: RunId;
  /** Empty for what concerns no effect. */
  readonly effectKey: EffectKey;
  readonly source: string;
  readonly sourceId: string;
  readonly detail: Json;
}

/**
 * Everything that one write of a run changes, as plain data. Only the decision's draft builds it, only the store's
 * commit applies it: all or none (rules P01, P02). `transitions` holds 0..64 rows; with 0 the revision stays.
 */
export interface RunCommit {
  readonly part: number;
  readonly runId: RunId;
  readonly fence: number;
  /** The revision this was decided on. */
  readonly revision: number;
  readonly transitions: readonly Transition[];
  /** null when nothing of the head changes. */
  readonly head: HeadChange | null;
  readonly effects: readonly EffectChange[];
  readonly receipts: readonly Receipt[];
  readonly timersSet: readonly Timer[];
  readonly timersCleared: readonly string[];
  readonly approvals: readonly Approval[];
  readonly votes: readonly { readonly approvalId: string; readonly vote: Vote }[];
  readonly inbox: readonly InboxAnswer[];
  readonly observations: readonly Observation[];
  readonly audit: readonly AuditEntry[];
  readonly outbox: readonly OutboxMessage[];
  /** What may be pulled from queues now, and what no more; absent = nothing of it changes. */
  readonly offers?: readonly Offer[];
  /** Keep the lease, or give it back; `readyAtMs` asks for a wake-up then (retry, query, an unsent effect). */
  readonly lease:
    | { readonly kind: 'keep' }
    | { readonly kind: 'release'; readonly wakeSeen: number | null; readonly readyAtMs: number | null };
}

/** What the store answers for one member of a batch (rule P02). */
export type CommitAnswer =
  | { readonly kind: 'applied'; readonly revision: number; readonly atMs: number }
  | { readonly kind: 'stale'; readonly revision: number }
  | { readonly kind: 'fenced'; readonly fence: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'conflict'; readonly effectKey: EffectKey | null }
  /** The database refuses this member also on its own (a constraint, a trigger): a bug; its neighbours were not touched. */
  | { readonly kind: 'failed'; readonly message: string };
