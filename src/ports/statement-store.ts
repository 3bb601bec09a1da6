import type { RunId, WorkerId } from '../model/ids.ts';
import type { SendOrder } from '../model/order.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { CommitAnswer, RunCommit } from '../model/run-commit.ts';

/** A statement of a `sql` action, and the run as its holder knows it. */
export interface StatementAsk {
  readonly part: number;
  readonly workerId: WorkerId;
  readonly runId: RunId;
  readonly fence: number;
  readonly revision: number;
  readonly order: SendOrder;
}

/** What became of it. `undone`: what it did was taken back, because nobody wanted to keep it. */
export type StatementAnswer = CommitAnswer | { readonly kind: 'undone' };

/** Decides what a statement came to, at once: the commit that keeps it, or null: it is taken back. */
export type Conclude = (report: AttemptReport) => RunCommit | null;

/** What a store that can carry out statements does (E13). */
export interface StatementStore {
  /**
   * Carries out one statement and commits it together with the run, in one transaction of their own: both are there, or
   * neither. Before anything, the head is locked and must be as the holder knows it; until the end nobody else gets the run.
   * @throws PAWL_STORE_ANSWER_LOST when the answer to COMMIT is missing: read back. Any other PAWL_STORE_*: nothing was done.
   */
  act(ask: StatementAsk, conclude: Conclude): Promise<StatementAnswer>;
}
