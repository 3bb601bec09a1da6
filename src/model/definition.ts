import type { ActionContract, Compensation, JsonSchema, RetryPolicy, Voting } from './action-contract.ts';
import type { JsonObject } from './json.ts';
import type { MachineForm } from './machine-form.ts';
import type { FailureClass } from './statuses.ts';
import type { Expression, Template } from './template.ts';

export type {
  ActionContract,
  Auth,
  ChildTemplate,
  Compensation,
  HttpTemplate,
  Idempotency,
  JsonSchema,
  OutcomeRule,
  ReconcileContract,
  RetryPolicy,
  Transport,
  Voting,
} from './action-contract.ts';
export type { Expression, Template } from './template.ts';

/** A handler of an event, on a step or the document. */
export interface Handler {
  readonly event: string;
  readonly match: Template | null;
  readonly where: Expression | null;
  readonly set: readonly (readonly [string, Template])[];
  readonly next: string | null;
  readonly then: 'end' | 'cancel' | 'fail' | null;
  readonly pointer: string;
}

/** One clause of a step's `catch`. */
export interface CatchClause {
  /** Codes and classes; `any` = all but `cancelled` and the run's deadline. */
  readonly on: readonly (string | FailureClass | 'any')[];
  readonly when: Expression | null;
  /** Whether the confirmed effects of the step or group are compensated before `do`; absent = no. */
  readonly undo?: true;
  readonly do: readonly Step[];
  readonly then: 'continue' | 'end' | 'raise';
  readonly next: string | null;
  readonly pointer: string;
}

/** What every step may say. */
export interface StepBase {
  /** Identifier; generated as `<verb>_<pointer index>` where the author may leave it out. */
  readonly id: string;
  /** Whether the author wrote the id. */
  readonly named: boolean;
  readonly pointer: string;
  readonly when: Expression | null;
  readonly next: string | null;
  readonly maxJumps: number | null;
  readonly on: readonly Handler[];
  readonly timeoutMs: number | null;
  readonly catch: readonly CatchClause[];
}

/** What the step of a child says beside what every call may say. */
export interface ChildCall {
  /** The child's run key; null = made from the parent's run id and the step's address. */
  readonly key: Expression | null;
  /** Whether the parent goes on at once, and never undoes it. */
  readonly detach: boolean;
}

/** Calls an action, or (`child`) runs another workflow: an action whose contract is that workflow's version. */
export interface CallStep extends StepBase {
  readonly verb: 'call';
  /** Absent for every call of an action. */
  readonly child?: ChildCall;
  readonly action: string;
  readonly with: Template | null;
  readonly object: Template | null;
  readonly intent: Template | null;
  /** How far its key is shared (E11); absent = this run. */
  readonly reach?: 'workflow' | 'global';
  readonly authorizedBy: string | null;
  readonly retry: RetryPolicy | null;
  readonly pivot: boolean;
  readonly compensate: Compensation | null;
  readonly onUnknown: 'resend' | 'reconcile' | 'review' | null;
  readonly review: Review | null;
}

/** Who answers a review and with which answers. */
export interface Review {
  readonly from: readonly Template[];
  readonly options: readonly ReviewOption[];
}
/** A closed list of review answers. */
export type ReviewOption = 'confirmed' | 'absent' | 'rejected' | 'keep-waiting';

/** Writes vars. */
export interface SetStep extends StepBase {
  readonly verb: 'set';
  readonly set: readonly (readonly [string, Template])[];
}
/** One branch of a `choose`; `when` null = else. */
export interface ChooseBranch {
  readonly when: Expression | null;
  readonly steps: readonly Step[] | null;
  readonly next: string | null;
  readonly pointer: string;
}
/** Takes the first branch whose guard is true; no match is failure `no-match`. */
export interface ChooseStep extends StepBase {
  readonly verb: 'choose';
  readonly branches: readonly ChooseBranch[];
  readonly output: Template | null;
}
/** How the effects of a scope are undone; what it does not say is as around it. */
export interface ScopeCompensation {
  readonly order: 'reverse' | 'graph' | 'parallel' | null;
  readonly onFailure: 'hold' | 'continue' | null;
  readonly retry: RetryPolicy | null;
}
/** Steps that are handled, timed and undone together. */
export interface ScopeStep extends StepBase {
  readonly verb: 'scope';
  readonly steps: readonly Step[];
  readonly compensation: ScopeCompensation | null;
  readonly output: Template | null;
}
/** Does its steps again: `while` is asked before each turn, or `until` after each. */
export interface RepeatStep extends StepBase {
  readonly verb: 'repeat';
  /** Turns at most; the next one is failure `limit`. */
  readonly max: number;
  readonly while: Expression | null;
  readonly until: Expression | null;
  readonly steps: readonly Step[];
}
/** One of the lists that a `parallel` does side by side. */
export interface ParallelBranch {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly pointer: string;
}
/** How many branches must succeed; `count` is computed when the step is entered. */
export type Join = { readonly kind: 'all' | 'any' } | { readonly kind: 'count'; readonly count: Template };
/** Does its branches side by side, until as many have succeeded as `join` says. */
export interface ParallelStep extends StepBase {
  readonly verb: 'parallel';
  readonly branches: readonly ParallelBranch[];
  readonly join: Join;
  /** What the decision does to branches that are under way: finish what is in flight, stop retries too, or let them run. */
  readonly siblings: 'drain' | 'cancel' | 'finish';
  /** What the losers of a race have on its way settles while the run goes on, and stands; absent = it is undone (R08). */
  readonly losers?: 'keep';
}
/** Does its steps for each item of a list, items begun in the order of the list, `concurrency` of them side by side at most. */
export interface MapStep extends StepBase {
  readonly verb: 'map';
  readonly items: Expression;
  /** Name of the item in the expressions inside; `<as>Index` is its place from 0. */
  readonly as: string;
  /** Text that tells one item from all others: part of the effect keys. */
  readonly key: Expression;
  /** Items at once at most. */
  readonly concurrency: number;
  readonly join: Join | { readonly kind: 'percent'; readonly percent: Template };
  /** Items that may fail: a number, or a share of all (`percent`); absent = none where all must succeed, else as many as the join lets. */
  readonly tolerate?: { readonly kind: 'count' | 'percent'; readonly of: number };
  readonly siblings: 'drain' | 'cancel' | 'finish';
  readonly losers: 'undo' | 'keep';
  readonly steps: readonly Step[];
  /** The steps of every lane but the first, under ids of their own; only in a machine (`machine/lane-steps.ts`), never in a file. */
  readonly lanes?: readonly (readonly Step[])[];
}
/** Compensates the confirmed effects of steps now. */
export interface UndoStep extends StepBase {
  readonly verb: 'undo';
  /** Ids; of a group all that is in it. */
  readonly undo: readonly string[];
}
/** Sleeps. */
export interface WaitStep extends StepBase {
  readonly verb: 'wait';
  /** Either a duration template or an instant template. */
  readonly wait:
    | { readonly kind: 'for'; readonly duration: Template }
    | { readonly kind: 'until'; readonly instant: Template };
}
/** Waits for a declared event. */
export interface AwaitStep extends StepBase {
  readonly verb: 'await';
  readonly event: string;
  readonly match: Template | null;
  readonly where: Expression | null;
  readonly from: readonly string[];
}
/** Sends a message to whoever listens; done once it is written down. */
export interface PublishStep extends StepBase {
  readonly verb: 'publish';
  /** Its type. */
  readonly event: string;
  readonly data: Template | null;
  /** Messages of one run and key are delivered in their order; null = in any. */
  readonly key: Expression | null;
}
/** Asks people. */
export interface ApproveStep extends StepBase, Voting {
  readonly verb: 'approve';
  readonly subject: Template | null;
  readonly onExpire: 'deny' | 'approve' | 'hold';
  /** How long after the question, and after each reminder, people are reminded, milliseconds; absent = never. */
  readonly remindMs?: number;
  /** JSON Schema of what whoever approves fills in; absent = nothing. */
  readonly form?: JsonObject;
}
/** Raises a failure. */
export interface FailStep extends StepBase {
  readonly verb: 'fail';
  readonly code: Template;
  readonly message: Template | null;
  readonly data: Template | null;
}
/** Ends the run. */
export interface EndStep extends StepBase {
  readonly verb: 'end';
  readonly end: 'done' | 'cancelled' | 'as';
  readonly as: string | null;
  readonly output: Template | null;
}
/** What the author writes: an id and one verb. */
export type Step =
  | CallStep
  | SetStep
  | ChooseStep
  | ScopeStep
  | RepeatStep
  | MapStep
  | ParallelStep
  | WaitStep
  | AwaitStep
  | ApproveStep
  | PublishStep
  | UndoStep
  | FailStep
  | EndStep;

/** What a run may receive from outside. */
export interface EventDeclaration {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly source: string | null;
  readonly by: Expression | null;
  /** The sender's own number (rule V03); absent = the order of receipt. */
  readonly sequence?: Expression;
  readonly keepMs: number;
}

/** When runs of a workflow start by themselves. */
export interface ScheduleDefinition {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA name of the zone whose wall clock counts. */
  readonly timezone: string;
  /** Reads constants only. */
  readonly input: Template;
  /** What becomes of a start while the run before it has not ended. */
  readonly overlap: 'skip' | 'queue' | 'allow';
  /** Which of the instants that nobody was there for are made up for. */
  readonly catchUp: 'one' | 'all' | 'none';
}

/** A parsed, normalized workflow: plain data, every default filled in. Positions are in the `SourceMap`, by pointer. */
export interface WorkflowDefinition {
  readonly pawl: 1;
  readonly workflow: string;
  readonly version: number;
  readonly title: string | null;
  readonly description: string | null;
  readonly labels: JsonObject;
  readonly key: { readonly value: Expression; readonly again: 'never' | 'afterFailure' } | null;
  /** Absent where the file names none: so a file without it has the digest that it always had. */
  readonly lock?: { readonly name: Template; readonly limit: number };
  /** Absent where no run starts by itself. */
  readonly schedule?: ScheduleDefinition;
  readonly input: JsonSchema;
  readonly constants: JsonObject;
  readonly vars: readonly (readonly [string, JsonObject])[];
  readonly secrets: readonly string[];
  readonly events: readonly EventDeclaration[];
  readonly actions: readonly ActionContract[];
  readonly timeoutMs: number | null;
  /** How long the state of a run is kept after its end, milliseconds; absent where the file does not say (`RETENTION_MS`). */
  readonly retentionMs?: number;
  readonly onFailure: 'compensate' | 'hold';
  readonly compensation: {
    readonly order: 'reverse' | 'graph' | 'parallel';
    readonly onFailure: 'hold' | 'continue';
    readonly retry: RetryPolicy;
  };
  /** Events accepted in every step, after the step's own handlers; absent = none. */
  readonly on?: readonly Handler[];
  readonly steps: readonly Step[];
  /** Run once after the last forward step or compensation, whatever the end, but after no terminate; absent = none. */
  readonly finally?: readonly Step[];
  /** The states where the file is a machine: its invokes and delays are the steps, in no order; absent = it has steps. */
  readonly machine?: MachineForm;
  readonly output: Template | null;
}
