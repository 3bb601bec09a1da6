import type { DueSchedule, Firing, ScheduleAddress, ScheduleOrder, ScheduleRecord } from '../model/schedule.ts';

/** What a store does with schedules; they come with the versions that are published. */
export interface ScheduleStore {
  /**
   * Takes schedules of a part whose instant has come, longest due first, for `forMs`: a claim whose process dies is over
   * then. Of a paused one, and of one that is not the highest version's, nothing is taken.
   * @returns what this caller has now, and when the next one of the part comes (null = none).
   */
  claimSchedules(
    part: number,
    ask: { readonly tenant: string; readonly limit: number; readonly forMs: number },
  ): Promise<{ readonly due: readonly DueSchedule[]; readonly nextAtMs: number | null; readonly nowMs: number }>;
  /** Writes down what became of an instant and moves to the next; not for a claim that is over, or of another version. */
  settleSchedule(claim: Pick<DueSchedule, 'address' | 'version' | 'attempt'>, firing: Firing): Promise<void>;
  /** A person stops the schedule of a version or has it go on; recorded. @returns false when there is none. */
  orderSchedule(of: ScheduleAddress & Pick<ScheduleRecord, 'version'>, order: ScheduleOrder): Promise<boolean>;
  /** Schedules of a tenant by workflow, in every part: those of the highest versions; or only that of one workflow. */
  schedules(tenant: string, limit: number, workflow?: string): Promise<readonly ScheduleRecord[]>;
}
