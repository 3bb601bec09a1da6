import { sha256 } from './hash.ts';
import type { RunId } from './ids.ts';
import { VIRTUAL_SHARDS } from './virtual-shard.ts';

/** Acts of one schedule that are listed. */
export const SCHEDULE_ACTS_MAX = 100;

/** Where the schedule of a workflow lives: one row, whatever the parts of its runs. */
export interface ScheduleAddress {
  readonly part: number;
  readonly tenant: string;
  readonly workflow: string;
}

/** The schedule that a version brings when it is published. */
export interface ScheduleStart {
  readonly part: number;
  /** Its first instant from now on. */
  readonly dueAtMs: number;
  /** A lower version with the same times: what has come by that one has come by this one, too. Null = there is none. */
  readonly timesOf: number | null;
}

/** How a schedule stands; only the one of the highest published version counts. */
export interface ScheduleRecord extends ScheduleAddress {
  readonly version: number;
  /** The instant that comes next, or that is late. */
  readonly dueAtMs: number;
  readonly isPaused: boolean;
  /** The instant, and the run, that it started last. */
  readonly lastFiredAtMs: number | null;
  readonly lastRunId: RunId | null;
  /** The last instant that it left out because the run before had not ended. */
  readonly lastSkippedAtMs: number | null;
  /** Why the instant that is due could not be started yet. */
  readonly lastError: string | null;
  /** What operators have done with it, newest first. */
  readonly acts: readonly ScheduleAct[];
}

/** A schedule whose instant has come; nobody else takes it before the claim is over. */
export interface DueSchedule {
  readonly address: ScheduleAddress;
  readonly version: number;
  readonly dueAtMs: number;
  /** Since when the times of this version count. */
  readonly sinceMs: number;
  /** When this instant was taken for the first time: what is decided about it is decided as of then, however often. */
  readonly takenAtMs: number;
  /** Which claim this is. */
  readonly attempt: number;
  readonly lastRunId: RunId | null;
}

/** What became of an instant that was due. `passed`: nothing was to be started; `failed`: it stays due. */
export type Firing =
  | { readonly kind: 'fired'; readonly atMs: number; readonly runId: RunId; readonly nextAtMs: number }
  | { readonly kind: 'skipped'; readonly atMs: number; readonly nextAtMs: number }
  | { readonly kind: 'passed'; readonly nextAtMs: number }
  | { readonly kind: 'failed'; readonly error: string };

/** That an operator has stopped a schedule, or had it go on. */
export interface ScheduleAct {
  readonly act: 'pause' | 'resume';
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** What an operator asks; one that goes on does so with the next instant from now. */
export type ScheduleOrder = Pick<ScheduleAct, 'by' | 'reason'> &
  ({ readonly act: 'pause' } | { readonly act: 'resume'; readonly dueAtMs: number });

/** Where the schedule of a workflow lives. @param parts how many parts the database was set up with. */
export function scheduleAddress(tenant: string, workflow: string, parts: number): ScheduleAddress {
  const shard =
    Number.parseInt(sha256(JSON.stringify(['schedule', tenant, workflow])).slice(0, 3), 16) % VIRTUAL_SHARDS;
  return { part: shard % parts, tenant, workflow };
}

/** The run key of an instant: the second in UTC, as cron counts. */
export function instantKey(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
