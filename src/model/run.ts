import type { Approval } from './approval.ts';
import type { Effect } from './effect.ts';
import type { ParentLink } from './child.ts';
import type { Digest, EffectKey, RunId } from './ids.ts';
import type { InboxEvent } from './inbox-event.ts';
import type { Json, JsonObject } from './json.ts';
import type { FailureClass, IncidentKind, RunPhase, RunStatus } from './statuses.ts';

/** What never changes in the life of a run. */
export interface RunIdentity {
  readonly runId: RunId;
  readonly part: number;
  readonly tenant: string;
  readonly workflow: string;
  readonly version: number;
  readonly digest: Digest;
  /** Business key, or the run id where the workflow names none. */
  readonly key: string;
  /** 1 for the first run of a key; rises only with `again: afterFailure`. */
  readonly startNumber: number;
  readonly input: Json;
  readonly startedAtMs: number;
  readonly startedBy: string;
  /** The lock that it holds from its turn to its end; absent where the workflow names none. */
  readonly lock?: RunLock;
  /** The trace that whoever started it was in (W3C `traceparent`), told to those who are called over HTTP; absent where there was none. */
  readonly traceparent?: string;
}

/** A lock as a run's file words it: at most `limit` unfinished runs of the tenant hold the name, the others queue. */
export interface RunLock {
  readonly name: string;
  readonly limit: number;
}

/** Why something did not go well, as authors and people see it. */
export interface Failure {
  readonly code: string;
  readonly class: FailureClass;
  readonly message: string;
  readonly step: string | null;
  readonly data: Json;
  readonly cause: Failure | null;
}

/** What a run remembers of a step; the roots `steps.<id>` of expressions. */
export interface StepRecord {
  /** undefined (absent) until the step completed. */
  readonly output?: Json;
  readonly skipped: boolean;
  readonly attempts: number;
  readonly code: string | null;
  readonly atMs: number | null;
}

/** The end that the machine reached (rule R25 derives the status from it and the ledger). */
export interface Ending {
  readonly kind: 'done' | 'failed' | 'cancelled' | 'terminated' | 'ordered';
  /** `end: {as}`, of a done run. */
  readonly as: string | null;
  readonly output: Json;
  readonly failure: Failure | null;
}

/** The turns of a repeat: the number of the present one from 0, and the outputs of those that are over. */
export interface Turns {
  readonly no: number;
  readonly outputs: readonly Json[];
}

/** The items of a map: how many there are, which is the present one (or the next, where there are lanes), and what became of those before it. */
export interface Items {
  readonly count: number;
  /** Successes that are needed, failures that are tolerated; fixed at the entry. */
  readonly needed: number;
  /** Number of the present item from 0; `count` once all are over. */
  readonly no: number;
  readonly key: string;
  readonly value: Json;
  readonly succeeded: number;
  /** Codes of failed items by number; of a long map whose output nobody reads those of the first. */
  readonly failed: Readonly<Record<string, string>>;
  /** The first failure, whole: where all must succeed it becomes that of the map. */
  readonly failure?: Failure;
  /** Why the present item has failed, while what it has done is being undone. */
  readonly lost?: Failure;
  /** The list as it was at the entry; absent where it cannot be another one later. */
  readonly list?: readonly Json[];
  /** Outputs of succeeded items by number; absent where nobody reads them. */
  readonly outputs?: Readonly<Record<string, Json>>;
  /** How the lanes stand; absent where items are done one after the other. */
  readonly lanes?: Lanes;
}

/** How the lanes of a map stand, which do its items side by side. */
export interface Lanes {
  /** Items under way. */
  readonly under: number;
  /** Lanes that have nothing more to do. */
  readonly over: number;
  /** As many items have succeeded as must: what ends later has lost. */
  readonly won: boolean;
  /** No item is begun any more, and those under way have been told. */
  readonly stopping: boolean;
  /** Number of the way that leads out of the map from outside (an event, a time that is over); null while its join decides. */
  readonly way: number | null;
  /** Keys of items that were under way when they were not wanted any more: at most one for each lane. */
  readonly stopped: readonly string[];
}

/** The item that a lane of a map does: it is gone with its end, but for one that has failed and is being undone. */
export interface LaneItem {
  readonly no: number;
  readonly key: string;
  readonly value: Json;
  /** Why it has failed. */
  readonly lost?: Failure;
}

/** What a branch of a parallel step has come to; `stopped`: what it would have done was not wanted any more. */
export interface BranchEnd {
  readonly branch: string;
  readonly status: 'succeeded' | 'failed' | 'stopped';
  readonly code: string | null;
  readonly output: Json;
}

/** How the branches of a parallel step stand. */
export interface Branches {
  /** How many must succeed. */
  readonly need: number;
  /** Those that are at their end, in the order in which they came to it. */
  readonly ends: readonly BranchEnd[];
  /** Of the first branch that failed. */
  readonly failure: Failure | null;
  /** It is decided, and those under way have been told. */
  readonly stopping: boolean;
  /** Number of the way that leads out of it from outside (an event, a time that is over); null while its join decides. */
  readonly way: number | null;
}

/** The data a machine carries: XState's context. */
export interface RunData {
  readonly vars: JsonObject;
  readonly steps: Readonly<Record<string, StepRecord>>;
  /** Visit number of each step list (rule E01). */
  readonly visits: Readonly<Record<string, number>>;
  /** How often each step's `next` has closed its cycle. */
  readonly jumps: Readonly<Record<string, number>>;
  /** The failure that is being routed now, and which step raised it. */
  readonly failing: Failure | null;
  /** Failures whose catch is being run, by step; `failure` inside that catch. */
  readonly caught: Readonly<Record<string, Failure>>;
  /** Choose step -> the step of its branch that ran last, whose output becomes its own; absent where no choose ran. */
  readonly ran?: Readonly<Record<string, string>>;
  /** Turns of the list of each repeat that was entered; absent where none was. */
  readonly turns?: Readonly<Record<string, Turns>>;
  /** Items of the list of each map that was entered; absent where none was. */
  readonly items?: Readonly<Record<string, Items>>;
  /** The item of each lane that does one, by the lane's list; absent where no map has lanes. */
  readonly lanes?: Readonly<Record<string, LaneItem>>;
  /** The branches of each parallel step that was entered; absent where none was. */
  readonly branches?: Readonly<Record<string, Branches>>;
  /** `failing` of each list that is a branch: there several failures may be routed at once. */
  readonly failingIn?: Readonly<Record<string, Failure>>;
  readonly ending: Ending | null;
  /** `finally` has begun, or never will (`end` null); absent = neither. */
  readonly finally?: FinallyData;
}

/** What the steps of `finally` are told of the end: the root `run.end`. */
export interface RunEnd {
  readonly reason: Exclude<Ending['kind'], 'terminated'>;
  readonly code: string | null;
  readonly message: string | null;
  readonly step: string | null;
  /** Steps whose effect was made good. */
  readonly undone: readonly string[];
  /** Steps whose effect stands in the world. */
  readonly standing: readonly string[];
}

/** What a run remembers of its `finally`. */
export interface FinallyData {
  readonly end: RunEnd | null;
  /** Its own failure, which changes nothing of the end. */
  readonly failure: Failure | null;
}

/** What the kernel persists: position and data; restored by `restoreSnapshot` behind the port. */
export interface KernelSnapshot {
  readonly value: Json;
  readonly data: RunData;
  readonly history: JsonObject;
}

/** Something only a person can resolve. */
export interface Incident {
  /** Stable: `<kind>:<effect key, step or approval id>`. */
  readonly id: string;
  readonly kind: IncidentKind;
  readonly sinceMs: number;
  readonly step: string | null;
  readonly effectKey: EffectKey | null;
  readonly message: string;
  /** Who may act: `role:NAME`, `user:NAME`. */
  readonly from: readonly string[];
  /** Verbs that resolve it. */
  readonly acts: readonly string[];
}

/** A person's order that came to nothing, or that another order followed. */
export interface PastOrder {
  readonly act: 'cancel' | 'terminate' | 'compensate';
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
  /** A recorded cancel lapsed because the pivot was confirmed, or the run terminated (R18); or another order `followed`. */
  readonly end: 'pivot' | 'terminated' | 'followed';
  readonly endedAtMs: number;
}

/** A timer of a run; its due time is fixed once (rule V06). */
export interface Timer {
  /** `<step>:wait`, `<step>:timeout`, `<step>:expires`, `<step>:remind`, `run:deadline`, `keep:<source>/<event id>`. */
  readonly name: string;
  readonly dueAtMs: number;
  /** Rises each time the name is armed; a firing of another generation is ignored. */
  readonly generation: number;
}

/** A read in progress, or the memory of one whose answer must not be taken for a later one's. */
export interface ReadProgress {
  /** Sendings of this entry that count against `retry.attempts`. */
  readonly attempts: number;
  readonly firstAtMs: number;
  /** Not asked before this database time; null = asked, the answer is awaited. */
  readonly notBeforeMs: number | null;
  /** Sendings of this step in the life of the run; the attempt number that an answer must name. */
  readonly serial: number;
  /** The step was left: only `serial` still matters. */
  readonly closed: boolean;
  /** The secret that the last askings found missing, told by its place, and how often in a row. */
  readonly lacks?: { readonly message: string; readonly tries: number };
}

/**
 * What a plan undoes, as numbers of receipts: of each pair all forward effects from the first number down to the last that
 * have a compensation. Ten thousand effects in a row are one pair: the plan is written with every transition. A plan that was
 * stored before there were pairs names the keys of its compensations.
 */
export type PlanSpans = readonly (readonly [first: number, last: number] | EffectKey)[];

/** What a step undoes while the run goes on (rule R21): by a clause with `undo`, or by the verb. */
export interface UndoPlan {
  readonly step: string;
  /** Compensation keys in the order of the plan. */
  readonly keys: readonly EffectKey[];
}

/** What is on its way in branches that were left before it settled: effects, and undos by the step that asked for them. */
export interface KeptLosers {
  readonly rows: readonly EffectKey[];
  readonly undos: readonly string[];
}

/** An undo whose turn comes when all losers have settled: for which step, of what, and why, as it was when it was asked for. */
export interface WaitingUndo {
  readonly step: string;
  readonly keys: readonly EffectKey[];
  readonly failure: Pick<Failure, 'code' | 'message' | 'step'>;
}

/** Decision's own durable notes, stored beside the kernel's snapshot. */
export interface RunControl {
  /** Step -> database time at which it became active (rule V13). */
  readonly activeSinceMs: Readonly<Record<string, number>>;
  readonly incidents: readonly Incident[];
  /** A cancel that waits for the pivot (rule R18); inbox address of it. */
  readonly cancelWaiting: {
    readonly source: string;
    readonly eventId: string;
    readonly by: string;
    readonly reason: string;
  } | null;
  /** Timer name -> last generation. */
  readonly timerGenerations: Readonly<Record<string, number>>;
  /** Step and frames -> generation of its effect key (rises by a person's redo, rule E01). */
  readonly redo: Readonly<Record<string, number>>;
  /** Open rows and approvals of lanes, by effect key or approval id -> the step of their lane; absent or without a key = the author's step. */
  readonly lanes?: Readonly<Record<string, string>>;
  /** Reads by step (they have no ledger row). */
  readonly reads: Readonly<Record<string, ReadProgress>>;
  /** What the run undoes, in the order of the plan; null while there is no plan. */
  readonly plan: PlanSpans | null;
  /** What steps are undoing while the run goes on; absent = nothing. */
  readonly undos?: readonly UndoPlan[];
  /** What steps were undoing side by side when the run stopped: it goes on, each beside whatever else was on its way; absent = nothing. */
  readonly undosCarried?: readonly EffectKey[];
  /** Calls that go on with their retries, although the branch they stand in is not wanted any more; absent = none. */
  readonly finishing?: readonly string[];
  /** What losers of races have on its way while the run goes on (R08); absent = nothing. */
  readonly kept?: KeptLosers;
  /** What is to be undone once that is settled; absent = nothing. */
  readonly undosWaiting?: readonly WaitingUndo[];
  /** Reason, actor and database time of an order or cancel that led to the current phase. */
  readonly order: {
    readonly by: string;
    readonly reason: string;
    readonly atMs?: number;
    readonly act?: PastOrder['act'];
  } | null;
  /** Orders that the run does not follow any more, oldest first; absent = none. */
  readonly pastOrders?: readonly PastOrder[];
  /** The run's deadline passed while the pivot was in flight (rules R19, R20): applies if the pivot fails. */
  readonly deadlineWaiting: boolean;
  /** A person has stopped the run where it stands: it decides and sends nothing; absent = nobody has. */
  readonly paused?: { readonly by: string; readonly reason: string; readonly atMs: number };
  /** Event, and its `by` value where it declares one -> the highest `sequence` that was applied (V03); absent = none. */
  readonly sequences?: Readonly<Record<string, number>>;
  /** Whose child it is; absent = nobody's. */
  readonly parent?: ParentLink;
  /** The row of the parent that waits for this run to be undone (R10); absent = none does. */
  readonly undoneFor?: EffectKey;
  /** The revision of the last message that was written, and how many there are of that revision; absent = none. */
  readonly sent?: { readonly revision: number; readonly count: number };
  /** State of a machine that takes events as `on` of a step does -> database time at which it became active (V13); absent = none. */
  readonly statesSinceMs?: Readonly<Record<string, number>>;
  /** What a machine has taken and follows once acts have settled, in order (`decision/aside.ts`); absent = nothing. */
  readonly aside?: readonly JsonObject[];
  /** Kernel events that did not fit into the 64 transitions of the last commit, in order. */
  readonly pending: readonly JsonObject[];
}

/** A run as a process holds it: all that a decision reads. Immutable. */
export interface RunState {
  readonly run: RunIdentity;
  readonly revision: number;
  readonly fence: number;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly snapshot: KernelSnapshot;
  readonly control: RunControl;
  readonly effects: ReadonlyMap<EffectKey, Effect>;
  readonly timers: ReadonlyMap<string, Timer>;
  readonly approvals: ReadonlyMap<string, Approval>;
  /** Events received and not consumed (rule V01), oldest first. */
  readonly kept: readonly InboxEvent[];
  readonly lastReceiptNo: number;
  readonly lastReceiptHash: string;
  /** Crashes while it was held alone (rule P06). */
  readonly crashes: number;
  readonly endedAtMs: number | null;
}
