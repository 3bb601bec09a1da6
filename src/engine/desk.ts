import type { RunId } from '../model/ids.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { SendGate } from '../ports/action-adapter.ts';
import type { Conclude, StatementAsk } from '../ports/statement-store.ts';
import type { Outlet } from './outlet.ts';
import type { SettledAnswer } from './commit-runs.ts';
import type { Performed } from './perform-statement.ts';

/** The place at which a run is held: a worker's lane, or the desk of a visitor who decides once and sends nothing (P17). */
export interface Desk {
  readonly part: number;
  /** Whether effects may be sent from here now. */
  canSend(): boolean;
  /** The database's time, epoch milliseconds. */
  nowMs(): number;
  commit(commit: RunCommit): Promise<SettledAnswer>;
  /** Carries out a statement with the commit that keeps it (E13); absent where none is carried out. */
  readonly perform?: (ask: Omit<StatementAsk, 'part' | 'workerId'>, conclude: Conclude) => Promise<Performed>;
  /**
   * The gate of E05 for what was decided at this monotonic time. It counts from before the decision, as the quarantine of
   * E06 does: however long a commit waited for its turn, nothing leaves later than `sendWithinMs` after `requestedAtMs`.
   */
  gateFor(decidedAtMs: number): SendGate;
  /** Asked before anything is sent from here. */
  readonly outlet: Outlet;
  /** Aborts when this desk must not act any more: the seat is lost. */
  readonly signal: AbortSignal;
  /** The run is not held here any more. */
  left(runId: RunId): void;
}
