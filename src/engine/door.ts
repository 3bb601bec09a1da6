import type { WorkerId } from '../model/ids.ts';
import type { ClaimedRun, StartAnswer, StartRequest } from '../ports/store.ts';
import type { HoldingStart } from './held-run.ts';

/**
 * Who decides in this process for the runs of one part: its worker's lane, or a visitor that decides, commits and
 * releases but sends nothing (P17).
 */
export interface Door {
  readonly part: number;
  /** The name under which this process claims; new after every lost seat. */
  workerId(): WorkerId;
  /** Whether a run that starts here may be kept and its effects sent from here. */
  keepsStarts(): boolean;
  /** The database's time, epoch milliseconds. */
  nowMs(): Promise<number>;
  /** Stores a start, alone or in a batch. @throws PAWL_STORE_* when nobody can tell. */
  start(request: StartRequest): Promise<StartAnswer>;
  /** Takes a run that was started leased to `owner`, a name of this process. */
  hold(start: HoldingStart, owner: WorkerId): void;
  /** Decides a run whose lease this process has just got, with all that waits in its inbox. Resolves after that commit. */
  admit(claimed: ClaimedRun): Promise<void>;
  /** A run that may be held here has something in its inbox. */
  nudge(): void;
  /** The answer of a claim was lost: gives back what may be leased to this process without its knowing (P16). */
  doubt(): Promise<void>;
}
