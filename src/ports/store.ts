import type { Effect, Receipt } from '../model/effect.ts';
import type { PawlError } from '../model/errors.ts';
import type { Digest, RunId, WorkerId } from '../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { LockAct, LockAddress, LockGrant, LockPlace, LockRecord } from '../model/lock.ts';
import type { Offer } from '../model/offer.ts';
import type {
  ClaimedMessage,
  OutboxAct,
  OutboxAddress,
  OutboxLine,
  OutboxMessage,
  OutboxRecord,
  OutboxState,
  SendingResult,
} from '../model/outbox.ts';
import type { RunIdentity, Timer } from '../model/run.ts';
import type { RunRecords, StrayRow, UnreadableRun } from '../model/run-records.ts';
import type { ScheduleStart } from '../model/schedule.ts';
import type { Approval } from '../model/approval.ts';
import type {
  AuditEntry,
  CommitAnswer,
  EffectChange,
  HeadChange,
  Observation,
  RunCommit,
  Transition,
} from '../model/run-commit.ts';
import type { EffectState, InboxOutcome, RunStatus } from '../model/statuses.ts';
import type { OtherStores } from './other-stores.ts';

/** A published version as stored; immutable. */
export interface StoredVersion {
  readonly tenant: string;
  readonly workflow: string;
  readonly version: number;
  readonly digest: Digest;
  /** Digests by kind (`graph`, `data`, `effects`, `policy`, `expr`, `language`): what differs can be named. */
  readonly digests: Readonly<Record<string, string>>;
  readonly source: string;
  /** Canonical JSON of the Machine; what runs are decided with. */
  readonly machine: string;
  readonly publishedBy: string;
  readonly publishedAtMs: number;
}

/** A start as decided: the run, its first commit's rows, and whether the starter keeps it leased. */
export interface StartRequest {
  readonly run: RunIdentity;
  /** Hash of (workflow, input): another one under the same key is a conflict. */
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
  /** Absent = it offers nothing. */
  readonly offers?: readonly Offer[];
  /** Leased to this worker from birth (fence 1), or free (fence 0) with a wake-up at `readyAtMs` (null = none). */
  readonly lease:
    | { readonly kind: 'keep'; readonly workerId: WorkerId }
    | { readonly kind: 'free'; readonly readyAtMs: number | null };
}
/** `created` false: the key was there already; `same` tells whether with the same request. */
export interface StartAnswer {
  /** What the store cannot hold of this start: nothing of it is stored, its neighbours in the batch are (P02); null = all is well. */
  readonly refused: PawlError | null;
  readonly runId: RunId;
  readonly created: boolean;
  readonly same: boolean;
  /** Of the start that the key names now. */
  readonly requestHash: string;
  readonly atMs: number;
}

/** A run with all that a decision reads, as rows; `engine/load` turns it into a RunState. */
export interface StoredRun {
  readonly run: RunIdentity;
  readonly revision: number;
  readonly fence: number;
  readonly owner: WorkerId | null;
  readonly status: RunStatus;
  /** Taken from a dead worker, and nothing of it was committed since (P06). */
  readonly suspect: boolean;
  /** Workers that it took with it while they held nothing else (P06). */
  readonly crashes: number;
  /** Canonical JSON of the snapshot envelope, as written. */
  readonly snapshot: string;
  readonly endedAtMs: number | null;
  /** When its state was pruned: input, snapshot, requests and outputs are gone; null = it is there. */
  readonly prunedAtMs: number | null;
  readonly output: Json | undefined;
  readonly failure: Json | undefined;
  readonly effects: readonly Effect[];
  readonly timers: readonly Timer[];
  readonly approvals: readonly Approval[];
  /** Open and kept inbox rows, in the order of (received, id). */
  readonly inbox: readonly InboxEvent[];
  readonly lastReceiptNo: number;
  readonly lastReceiptHash: string;
}

/** A run handed over by a claim, with the database's time. */
export interface ClaimedRun {
  readonly run: StoredRun;
  /** Taken over from a dead worker: claimed alone (P06). */
  readonly suspect: boolean;
  readonly nowMs: number;
}

/** An event to be stored in a run's inbox. */
export interface Delivery {
  readonly part: number;
  readonly runId: RunId;
  readonly source: string;
  readonly eventId: string;
  readonly payload: InboxPayload;
  readonly payloadHash: string;
}
/** What storing it found. `claimed`: the caller now holds the run's lease and must decide (P17). */
export interface DeliveryAnswer {
  readonly exists: boolean;
  readonly event: 'new' | 'same' | 'other';
  readonly claimed: boolean;
  readonly nowMs: number;
  /** The row's answer where it has one already. */
  readonly outcome: InboxOutcome | null;
  readonly code: string | null;
  readonly detail: Json;
  readonly consumed: boolean;
}

/** What a holder finds waiting for one of its runs (W02). */
export interface DrainedRun {
  readonly runId: RunId;
  readonly wake: number | null;
  readonly inbox: readonly InboxEvent[];
}

/** One line of a list of runs. */
export interface RunLine {
  readonly run: RunIdentity;
  readonly status: RunStatus;
  readonly revision: number;
  readonly needs: readonly string[];
  readonly endedAtMs: number | null;
  /** As its head has it. */
  readonly failure: Json | undefined;
}
/** A place in a list of runs, newest first: the run behind which the next page begins. */
export interface RunPlace {
  readonly startedAtMs: number;
  readonly runId: RunId;
}
/** Which runs are asked for; null or absent = any. */
export interface RunsAsked {
  readonly tenant: string;
  readonly workflow: string | null;
  /** Only runs of these; absent = of all. */
  readonly workflows?: readonly string[];
  /** Only runs of this version; absent = of any. */
  readonly version?: number;
  readonly statuses: readonly RunStatus[] | null;
  /** Needs a person. */
  readonly needsHuman: boolean;
  /** Exact run id or run key. */
  readonly q: string | null;
  /** Started from this instant on. */
  readonly startedAfterMs?: number;
  /** Started before this instant. */
  readonly startedBeforeMs?: number;
  /** Only runs with an effect in one of these. */
  readonly effectStates?: readonly EffectState[];
  /** Only runs of the versions with these digests. */
  readonly digests?: readonly Digest[];
}
/** A page of a list. */
export interface RunFilter extends RunsAsked {
  /** Only runs behind this place; absent = from the newest. */
  readonly after?: RunPlace;
  readonly limit: number;
}

/** A row of an inbox as it is told; what was in it is null once its run was pruned. */
export type StoredEvent = Omit<InboxEvent, 'payload'> & {
  readonly payload: InboxPayload | null;
  readonly detail: Json;
  readonly consumed: boolean;
};

/** How a lost answer is read back (P04). */
export interface CommitTrace {
  readonly revision: number;
  readonly fence: number;
  /** Fence and state hash of the journal row at the revision that the lost commit would have written. */
  readonly journal: {
    readonly revision: number;
    readonly fence: number;
    readonly workerId: WorkerId;
    readonly stateHash: string;
  } | null;
}

/** Some runs of a part with everything that is stored of them, in the order of their ids. */
export interface RecordsPage {
  readonly runs: readonly (RunRecords | UnreadableRun)[];
  /** After whom the next page begins; null = this was the last. */
  readonly next: RunId | null;
  readonly nowMs: number;
}

/** A run that should have moved and that nobody holds (P05). */
export interface OverdueRun {
  readonly runId: RunId;
  /** When it should have moved. */
  readonly sinceMs: number;
}

/** How a process hears of what others have stored. */
export interface Hearing {
  /** Whether hints come through now: then looking seldom is enough. A store may say false for ever. */
  hears(): boolean;
  end(): Promise<void>;
}

/**
 * The only door to what is stored. Each verb is one statement over rows of one part and one transaction (P01, P02);
 * times in answers are the database's. Two implementations pass `testing/store-conformance`.
 */
export interface Store extends OtherStores {
  readonly parts: number;
  /**
   * Stores a version once. A new one brings its schedule along, in the same statement: it takes the place of the schedule
   * of lower versions; an instant of theirs that is due and was not started stays due.
   * @throws PAWL_VERSION_CONFLICT when the version exists with another digest.
   */
  publish(
    version: StoredVersion,
    schedule?: ScheduleStart,
  ): Promise<{ readonly created: boolean; readonly version: StoredVersion }>;
  findVersion(tenant: string, workflow: string, version: number | null): Promise<StoredVersion | null>;
  loadVersion(digest: Digest): Promise<StoredVersion | null>;
  listVersions(tenant: string): Promise<readonly StoredVersion[]>;

  nowMs(): Promise<number>;
  /** Answers in the order of the starts. Never throws for one member. @throws PAWL_STORE_* when the whole batch failed, or nobody can tell. */
  start(part: number, starts: readonly StartRequest[]): Promise<readonly StartAnswer[]>;
  /** Takes a seat, or renews none: a new worker id each life (P03). */
  takeSeat(part: number, workerId: WorkerId, leaseMs: number): Promise<{ readonly leaseUntilMs: number }>;
  /** Renews a living seat; null = the seat is lost: fence yourself. */
  beat(part: number, workerId: WorkerId, leaseMs: number): Promise<{ readonly leaseUntilMs: number } | null>;
  /** Gives a seat back, also one that was lost. Whoever leaves lives: a crash that was counted on it is taken back (P06). */
  leaveSeat(part: number, workerId: WorkerId): Promise<void>;
  claim(part: number, workerId: WorkerId, limit: number): Promise<readonly ClaimedRun[]>;
  /** Loads runs without claiming (reads, and reloads after `stale`). */
  load(
    part: number,
    runIds: readonly RunId[],
  ): Promise<{ readonly runs: readonly StoredRun[]; readonly nowMs: number }>;
  /** Answers in the order of the commits. Never throws for one member. @throws PAWL_STORE_* when the fate of the whole batch is unknown or it failed. */
  commit(part: number, workerId: WorkerId, commits: readonly RunCommit[]): Promise<readonly CommitAnswer[]>;
  /** Reads back what became of a commit whose answer was lost (P04). */
  trace(
    part: number,
    asks: readonly { readonly runId: RunId; readonly revision: number }[],
  ): Promise<readonly (CommitTrace | null)[]>;
  /** W01. Events for unknown runs answer `exists: false` and leave nothing. */
  deliver(part: number, deliveries: readonly Delivery[]): Promise<readonly DeliveryAnswer[]>;
  /** Deliver one event and claim the run if it is free, in one statement (P17). Takes the seat if absent. */
  deliverAndClaim(delivery: Delivery, workerId: WorkerId, leaseMs: number): Promise<DeliveryAnswer>;
  /** Claim one named run if it is free and this seat lives. */
  claimRun(part: number, runId: RunId, workerId: WorkerId): Promise<ClaimedRun | null>;
  /** The answer of an inbox row, for a caller that waits for the holder. */
  answerOf(part: number, runId: RunId, source: string, eventId: string): Promise<DeliveryAnswer | null>;
  /** Wake-ups and open inbox rows of runs that this worker holds (W02). */
  drain(part: number, workerId: WorkerId): Promise<readonly DrainedRun[]>;
  /** P16. @returns how many were disowned. */
  disown(part: number, workerId: WorkerId, held: readonly RunId[], olderThanMs: number): Promise<number>;
  /**
   * P03: frees runs of expired or missing seats; each gets fence + 1, a wake-up and a mark as suspect. A crash is counted
   * where a suspect was the only run of a worker's expired seat (P06). @returns their ids.
   */
  sweep(part: number, limit: number): Promise<readonly RunId[]>;
  /** V06: due timers become inbox rows with a wake-up. @returns how many. */
  fireTimers(part: number, limit: number): Promise<number>;
  /** The earliest due wake-up or timer of a part, as a hint for sleeping; null = none. */
  nextDueMs(part: number): Promise<{ readonly dueAtMs: number | null; readonly nowMs: number }>;
  /**
   * Has `heard` called when something in a part may be there to be taken or drained. Only a hint: it may come late, for
   * nothing or never, and nothing depends on it. A store without hints answers `{ hears: () => false, end: async () => {} }`.
   */
  listen(heard: (part: number) => void): Promise<Hearing>;
  observe(observations: readonly Observation[]): Promise<void>;

  /**
   * A run takes its place with its lock; asked again, nothing changes. In the same statement whoever's turn it is gets a
   * slot, in the order of starts and never more than the limit at once.
   * @returns who has a slot now and is to be told: new holders, and the run itself if it holds one.
   */
  joinLock(lock: LockAddress, run: Omit<LockPlace, 'slot' | 'grantedAtMs'>): Promise<readonly LockGrant[]>;
  /** A run leaves its place, which may be gone; the next ones get theirs. @returns new holders. */
  leaveLock(lock: LockAddress, runId: RunId): Promise<readonly LockGrant[]>;
  /** An operator sets how many may hold a lock, or (null) gives it back to the files; recorded. @returns new holders. */
  limitLock(lock: LockAddress, act: Omit<LockAct, 'atMs'>): Promise<readonly LockGrant[]>;
  /** Holders that were not looked at for `olderThanMs`, longest first, `limit` at most: they are marked as looked at. */
  sweepLocks(
    part: number,
    olderThanMs: number,
    limit: number,
  ): Promise<readonly (LockGrant & Pick<LockAddress, 'tenant' | 'name'>)[]>;
  /** Locks of a tenant by name, in every part. @param name null = all, `limit` at most. */
  locks(tenant: string, name: string | null, limit: number): Promise<readonly LockRecord[]>;
  /** Where runs stand, without loading them; runs that are not there are left out. */
  heads(
    part: number,
    runIds: readonly RunId[],
  ): Promise<
    readonly {
      readonly runId: RunId;
      readonly status: RunStatus;
      readonly endedAtMs: number | null;
      readonly prunedAtMs: number | null;
    }[]
  >;

  /**
   * V09: takes messages of a part that are due, longest first, for `forMs`: a claim whose process dies is over then. Of one
   * run, key and direction the first that is not delivered or dropped goes before all others, also a dead one.
   * @param outward whether those that leave the house are taken, too.
   */
  claimOutbox(
    part: number,
    ask: { readonly outward: boolean; readonly limit: number; readonly forMs: number },
  ): Promise<readonly ClaimedMessage[]>;
  /** Writes down how a sending went; a failure only of the latest one. */
  settleOutbox(address: OutboxAddress, attempt: number, result: SendingResult): Promise<void>;
  /** A person has an undelivered message sent again or lets it go; recorded. @returns what it was before, null = it is not there. */
  actOnOutbox(part: number, runId: RunId, messageId: string, act: OutboxAct): Promise<OutboxState | null>;
  /** Messages of a run in the order of sending. */
  outbox(part: number, runId: RunId): Promise<readonly OutboxRecord[]>;
  /** Messages that are neither delivered nor dropped, in every part, the oldest first. @param states null = both kinds. */
  listOutbox(tenant: string, states: readonly OutboxState[] | null, limit: number): Promise<readonly OutboxLine[]>;

  findRun(tenant: string, idOrKey: string): Promise<readonly RunIdentity[]>;
  listRuns(filter: RunFilter): Promise<readonly RunLine[]>;
  countRuns(asked: RunsAsked, limit: number): Promise<number>;
  journal(
    part: number,
    runId: RunId,
  ): Promise<readonly (Transition & { readonly fence: number; readonly workerId: WorkerId })[]>;
  inbox(part: number, runId: RunId): Promise<readonly StoredEvent[]>;
  audit(part: number, runId: RunId): Promise<readonly AuditEntry[]>;
  /** Who holds a run and until when; null = nobody. */
  holder(
    part: number,
    runId: RunId,
  ): Promise<{ readonly workerId: WorkerId; readonly leaseUntilMs: number | null } | null>;
  /**
   * Everything that is stored of the next runs of a part, unchecked; each run's rows are of one instant.
   * @param after what the page before gave as `next`; null = from the first.
   */
  records(part: number, after: RunId | null, limit: number): Promise<RecordsPage>;
  /** Rows of a part whose run is not there, `limit` of each table at most. */
  strays(part: number, limit: number): Promise<readonly StrayRow[]>;
  /** P05: runs of a part that have been due for longer than `graceMs` and are in no living hands, longest first. */
  overdue(part: number, graceMs: number, limit: number): Promise<readonly OverdueRun[]>;
  workers(): Promise<
    readonly {
      readonly part: number;
      readonly workerId: WorkerId;
      readonly leaseUntilMs: number;
      readonly held: number;
    }[]
  >;
  close(): Promise<void>;
}
