import type { ApiKey } from '../../model/api-key.ts';
import type { Approval, Vote } from '../../model/approval.ts';
import type { Batch, BatchItem } from '../../model/batch.ts';
import type { Deprecation } from '../../model/deprecation.ts';
import type { Effect, Receipt } from '../../model/effect.ts';
import type { EffectKey, RunId, WorkerId } from '../../model/ids.ts';
import type { InboxEvent } from '../../model/inbox-event.ts';
import type { Json } from '../../model/json.ts';
import type { LockAct, LockAddress, LockPlace } from '../../model/lock.ts';
import type { OutboxRecord } from '../../model/outbox.ts';
import type { Pause } from '../../model/pause.ts';
import type { RunChange } from '../../model/run-change.ts';
import type { AuditEntry, HeadChange, Observation, Transition } from '../../model/run-commit.ts';
import type { RunIdentity, Timer } from '../../model/run.ts';
import type { ScheduleRecord } from '../../model/schedule.ts';
import type { SharedEffect } from '../../model/shared-effect.ts';
import type { StoredVersion } from '../../ports/store.ts';

/** The hot half of a run. */
export interface Head extends HeadChange {
  readonly revision: number;
  readonly fence: number;
  readonly crashes: number;
  /** Taken over from a dead worker and not proven since (P06). */
  readonly suspect: boolean;
  /** When its state was pruned; null = it is there. */
  readonly prunedAtMs: number | null;
}

/** That a worker holds a run, under the fence of its head. */
export interface Lease {
  readonly workerId: WorkerId;
  readonly claimedAtMs: number;
}

/** The hint that a run has something to do, and how often it was told so (W01). */
export interface WakeUp {
  readonly dueAtMs: number;
  readonly wake: number;
}

/** A journal row. */
export type JournalRow = Transition & { readonly fence: number; readonly workerId: WorkerId };

/** An inbox row with its answer. */
export interface InboxRow extends InboxEvent {
  readonly detail: Json;
  readonly consumed: boolean;
  readonly consumedRevision: number | null;
}

/** An observation with when it was stored. */
export type ObservationRow = Observation & { readonly observedAtMs: number };

/** An offer: since when it may be pulled, and until when nobody else takes it. */
export interface OfferRow {
  readonly effectKey: EffectKey;
  readonly queue: string;
  readonly sinceMs: number;
  readonly dueAtMs: number;
}

/** When somebody last asked a queue for attempts. */
export interface QueueRow {
  readonly part: number;
  readonly tenant: string;
  readonly queue: string;
  readonly askedAtMs: number;
}

/** A batch with its runs in their order; `dueAtMs`: until when the claim on it, or its rate, keeps it from being taken. */
export interface BatchRow {
  readonly batch: Batch;
  readonly items: readonly { readonly item: BatchItem; readonly tries: number }[];
  readonly dueAtMs: number;
}

/** Everything that is stored of one run; each map is a table, its key the primary key behind (part, run id). */
export interface RunRows {
  readonly run: RunIdentity;
  readonly head: Head;
  readonly lease: Lease | null;
  readonly wakeUp: WakeUp | null;
  readonly journal: ReadonlyMap<number, JournalRow>;
  readonly effects: ReadonlyMap<EffectKey, Effect>;
  readonly receipts: ReadonlyMap<number, Receipt>;
  readonly timers: ReadonlyMap<string, Timer>;
  /** Their votes apart. */
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly votes: ReadonlyMap<string, { readonly approvalId: string; readonly vote: Vote }>;
  readonly inbox: ReadonlyMap<string, InboxRow>;
  readonly observations: ReadonlyMap<string, ObservationRow>;
  readonly audit: readonly AuditEntry[];
  /** By message id. */
  readonly outbox: ReadonlyMap<string, OutboxRecord>;
  /** What may be pulled, by effect key. */
  readonly offers: ReadonlyMap<string, OfferRow>;
}

/** A process's living claim to work in a part. */
export interface Seat {
  readonly part: number;
  readonly workerId: WorkerId;
  readonly leaseUntilMs: number;
  /** Made by a delivery of a process that has no worker: it sends nothing. */
  readonly visitor: boolean;
  /** The run that was counted as having crashed the process, until that says that it lives (P06). */
  readonly crashed: RunId | null;
}

/** Which run a business key names. */
export interface StartKey {
  readonly part: number;
  readonly tenant: string;
  readonly workflow: string;
  readonly key: string;
  readonly requestHash: string;
  readonly runId: RunId;
  readonly startNumber: number;
}

/** A lock that somebody asked for. */
export interface LockRow extends LockAddress {
  readonly setLimit: number | null;
  readonly acts: readonly LockAct[];
  /** Nobody asks for it any more: it is listed no longer, and what people have done with it is there when somebody does. */
  readonly isForgotten: boolean;
}

/** A run's place with a lock; `seenMs`: when a holder was last looked at. */
export interface PlaceRow extends LockPlace, Pick<LockAddress, 'part' | 'tenant' | 'name'> {
  readonly seenMs: number | null;
}

/** A schedule as it stands; `freeAtMs`: until when the claim on its instant keeps others away. */
export interface ScheduleRow extends ScheduleRecord {
  readonly sinceMs: number;
  readonly takenAtMs: number | null;
  readonly freeAtMs: number;
  readonly attempt: number;
}

/** A change that is kept, and what was before it: a list that copies share, however long it is. */
export interface ChangeRow extends Omit<RunChange, 'key' | 'workflow' | 'version'> {
  readonly part: number;
  readonly tenant: string;
  readonly before: ChangeRow | null;
}

/** The changes of a store. */
export interface ChangeRows {
  newest: ChangeRow | null;
  /** The position of the next one. */
  next: number;
  /** By part: what was before it is kept no more. */
  readonly keptFrom: Map<number, number>;
}

/** All tables. Rows are immutable; a statement changes the maps of its own copy. */
export interface Tables {
  readonly versions: Map<string, StoredVersion>;
  readonly deprecations: Map<string, Deprecation>;
  readonly pauses: Map<string, Pause>;
  readonly runs: Map<RunId, RunRows>;
  readonly seats: Map<string, Seat>;
  readonly startKeys: Map<string, StartKey>;
  readonly locks: Map<string, LockRow>;
  readonly places: Map<string, PlaceRow>;
  readonly schedules: Map<string, ScheduleRow>;
  readonly shares: Map<string, SharedEffect>;
  readonly queues: Map<string, QueueRow>;
  readonly keys: Map<string, ApiKey>;
  readonly batches: Map<string, BatchRow>;
  readonly changes: ChangeRows;
  /** Acts that are about no run, by tenant, in the order of their chain. */
  readonly acts: Map<string, readonly AuditEntry[]>;
}

/** A delivery that is not committed yet, as the other statements meet it. */
export interface OpenDelivery {
  /** It has the wake-up that was there in its hands (DO UPDATE locks the row). */
  readonly locks: boolean;
  /** Keys of the inbox rows that it brings. */
  readonly events: ReadonlySet<string>;
  readonly ended: Promise<void>;
}

/** What one statement works on: its copy of the tables, the database's time, and the deliveries that are open. */
export interface Statement extends Tables {
  readonly nowMs: number;
  readonly open: ReadonlyMap<RunId, OpenDelivery>;
}

/** A copy whose maps can be changed without the others seeing it. */
export function copyOf(tables: Tables): Tables {
  const {
    versions,
    deprecations,
    pauses,
    runs,
    seats,
    startKeys,
    locks,
    places,
    schedules,
    shares,
    queues,
    keys,
    batches,
    acts,
    changes,
  } = tables;
  return {
    versions: new Map(versions),
    deprecations: new Map(deprecations),
    pauses: new Map(pauses),
    runs: new Map(runs),
    seats: new Map(seats),
    startKeys: new Map(startKeys),
    locks: new Map(locks),
    places: new Map(places),
    schedules: new Map(schedules),
    shares: new Map(shares),
    queues: new Map(queues),
    keys: new Map(keys),
    batches: new Map(batches),
    changes: { ...changes, keptFrom: new Map(changes.keptFrom) },
    acts: new Map(acts),
  };
}

/** A key of several columns. */
export function keyOf(...columns: readonly (string | number)[]): string {
  return JSON.stringify(columns);
}

/** A run of a part; undefined when it is not there. */
export function runIn({ runs }: Pick<Tables, 'runs'>, part: number, runId: RunId): RunRows | undefined {
  const rows = runs.get(runId);
  return rows?.run.part === part ? rows : undefined;
}

/** All runs of a part. */
export function runsIn({ runs }: Pick<Tables, 'runs'>, part: number): RunRows[] {
  return [...runs.values()].filter(({ run }) => run.part === part);
}

/** Runs of a part that a worker holds. */
export function heldBy(tables: Pick<Tables, 'runs'>, part: number, workerId: WorkerId): RunRows[] {
  return runsIn(tables, part).filter(({ lease }) => lease?.workerId === workerId);
}

/** Whether a worker's seat lives, by the database's clock (P03). */
export function seatLives({ seats, nowMs }: Statement, part: number, workerId: WorkerId): boolean {
  const seat = seats.get(keyOf(part, workerId));
  return seat !== undefined && seat.leaseUntilMs > nowMs;
}
