import type { Approval } from '../model/approval.ts';
import type { RunIdentity, Timer } from '../model/run.ts';

/** The run of a line. */
export type WaitingRun = Pick<RunIdentity, 'runId' | 'key' | 'workflow' | 'version' | 'startedAtMs'>;

/** A line of a list of approvals. */
export interface ApprovalLine {
  readonly run: WaitingRun;
  readonly approval: Approval;
}

/** A place in a list of approvals: the approval behind which the next page begins. */
export type ApprovalPlace = Pick<WaitingRun, 'startedAtMs' | 'runId'> & Pick<Approval, 'approvalId'>;

/** Who may vote: their name, and the entries of `from` that mean them. */
export interface Voter {
  readonly principal: string;
  readonly entries: readonly string[];
}

/** Which approvals are asked for; absent = any. */
export interface ApprovalFilter {
  readonly tenant: string;
  readonly states?: readonly Approval['state'][];
  readonly workflow?: string;
  /** Only of runs of these. */
  readonly workflows?: readonly string[];
  /** Only those that expire before this instant. */
  readonly dueBeforeMs?: number;
  /** Only open ones on which this person may still vote (A02, A03). */
  readonly voter?: Voter;
  readonly after?: ApprovalPlace;
  readonly limit: number;
}

/** A line of a list of timers. */
export interface TimerLine {
  readonly run: WaitingRun;
  readonly timer: Timer;
}

/** A place in a list of timers: the timer behind which the next page begins. */
export type TimerPlace = Pick<Timer, 'dueAtMs' | 'name'> & Pick<WaitingRun, 'runId'>;

/** Which timers are asked for; absent = any. */
export interface TimerFilter {
  readonly tenant: string;
  readonly workflow?: string;
  /** Only of runs of these. */
  readonly workflows?: readonly string[];
  /** Only those that are due before this instant. */
  readonly dueBeforeMs?: number;
  readonly after?: TimerPlace;
  readonly limit: number;
}

/** What a store tells of what runs wait for. */
export interface WaitingStore {
  /** Approvals of a tenant in every part: by their runs, the newest first, and of one run by their ids. */
  approvals(filter: ApprovalFilter): Promise<readonly ApprovalLine[]>;
  /** Timers of a tenant in every part, the first that falls due first. */
  timers(filter: TimerFilter): Promise<readonly TimerLine[]>;
}
