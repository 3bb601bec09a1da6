import type { RunId } from '../model/ids.ts';
import type { PruneAct, PruneAsk, RetainedRun } from '../model/retention.ts';

/** Some runs of a part whose state is there, in the order of their ids. */
export interface RetainedPage {
  readonly runs: readonly RetainedRun[];
  /** After whom the next page begins; null = this was the last. */
  readonly next: RunId | null;
  readonly nowMs: number;
}

/** What a store keeps of runs that have ended, and for how long is the caller's to know (P10, V19). */
export interface RetentionStore {
  /** Runs of a part whose state is there. @param after what the page before gave as `next`; null = from the first. */
  retained(part: number, after: RunId | null, limit: number): Promise<RetainedPage>;
  /**
   * P10, V19: takes the state of ended runs of which nothing is on its way, all of it or none: journal, snapshot, input, output, what
   * was sent and answered, what was received, messages that have arrived. Receipts, observations, start keys, effect keys with the
   * hashes of their requests, addresses of events with their answers, approvals, votes and acts stay. One that has moved, or was
   * claimed, since it was read is left alone. Whether its time has come, and nobody above may undo it, is the caller's to know.
   * @param by the person who does it now, kept with the acts of each run; null = nobody: its time is over, and that is all.
   * @returns those that were pruned, in the order of their ids.
   */
  prune(part: number, asks: readonly PruneAsk[], by: PruneAct | null): Promise<readonly RunId[]>;
}
