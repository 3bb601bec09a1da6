import type { QueryOrder, ReadOrder, SendOrder } from '../model/order.ts';
import type { EffectChange, HeadChange, RunCommit, Transition } from '../model/run-commit.ts';
import type { Approval } from '../model/approval.ts';
import type { AuditEntry } from '../model/run-commit.ts';
import type { OutboxMessage } from '../model/outbox.ts';
import type { Receipt } from '../model/effect.ts';
import type { RunIdentity, RunState, Timer } from '../model/run.ts';
import type { DecisionInput } from './decision-input.ts';

/** What is to be done once the commit has been applied; never before (P01). */
export interface Orders {
  readonly sends: readonly SendOrder[];
  readonly queries: readonly QueryOrder[];
  readonly reads: readonly ReadOrder[];
}

/** The result of one decision. */
export interface Decision extends Orders {
  readonly commit: RunCommit;
  /** The run as it is once the commit is applied. */
  readonly next: RunState;
  /** Inputs that did not fit into 64 transitions: decide them again on `next`. */
  readonly rest: readonly DecisionInput[];
  /** There is more to decide at once (`rest`, or follow-up events kept in `next.control.pending`): the lease is kept. */
  readonly more: boolean;
}

/** The rows of a start; the engine adds the worker to a kept lease. */
export interface StartRows {
  readonly run: RunIdentity;
  /** Hash of (workflow, input). */
  readonly requestHash: string;
  readonly again: 'never' | 'afterFailure';
  readonly head: HeadChange;
  readonly transitions: readonly Transition[];
  readonly effects: readonly EffectChange[];
  readonly timers: readonly Timer[];
  readonly approvals: readonly Approval[];
  readonly receipts: readonly Receipt[];
  readonly audit: readonly AuditEntry[];
  readonly outbox: readonly OutboxMessage[];
  /** `keep`: leased to the starter from birth (fence 1). `free`: fence 0, with a wake-up at `readyAtMs`. */
  readonly lease: { readonly kind: 'keep' } | { readonly kind: 'free'; readonly readyAtMs: number | null };
}

/** The result of deciding a start. */
export interface StartDecision extends Orders {
  readonly start: StartRows;
  readonly next: RunState;
  readonly more: boolean;
}
