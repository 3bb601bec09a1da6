import type { ChangePlace, RunChange } from '../model/run-change.ts';

/** Changes of a part behind a place, in the order in which all readers see them. */
export interface ChangePage {
  /** All runs of each position that it has. */
  readonly changes: readonly RunChange[];
  /** Where reading goes on; a commit that becomes visible later is never before it. */
  readonly next: number;
  /** Everything before it is settled: what is there of it now is all that there will ever be. */
  readonly horizon: number;
  /** What was before it is kept no more. */
  readonly keptFrom: number;
  /** Which history of which database this is: positions of another say nothing here (P14). */
  readonly history: string;
}

/** What a store tells of what its commits and starts have changed. */
export interface ChangeStore {
  /**
   * A page of `limit` changes and the rest of its last position; nothing that a commit under way could still come before.
   * @param after null = none: only where the part stands now.
   */
  changes(tenant: string, part: number, after: ChangePlace | null, limit: number): Promise<ChangePage>;
  /** Drops the oldest changes of a part that are older than `olderThanMs`, about `limit` at most. @returns how many. */
  forgetChanges(part: number, olderThanMs: number, limit: number): Promise<number>;
}
