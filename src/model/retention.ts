import type { Digest, RunId } from './ids.ts';
import type { RunStatus } from './statuses.ts';

/** How long the state of a run is kept after its end where its file does not say: 90 days, milliseconds. */
export const RETENTION_MS = 90 * 86_400_000;

/** What stands in the place of a request that was pruned: no request is an empty text. */
export const PRUNED_REQUEST = '';

/**
 * Something of an ended run that is not over, in the order in which it is looked for: a holder, a hint, a timer, an open row, an undecided
 * event, a message that has not arrived, an open approval.
 */
export type OpenEnd = 'lease' | 'wake-up' | 'timer' | 'effect' | 'event' | 'message' | 'approval';

/** A run whose state is there, as whoever prunes reads it. */
export interface RetainedRun {
  readonly runId: RunId;
  readonly digest: Digest;
  readonly status: RunStatus;
  readonly revision: number;
  readonly fence: number;
  readonly endedAtMs: number | null;
  /** Null = nothing of it is on its way; of a run that has not ended nobody asks. */
  readonly openEnd: OpenEnd | null;
}

/** A run that is to be pruned, as it was read: one that has moved or was claimed since is left alone. */
export type PruneAsk = Pick<RetainedRun, 'runId' | 'revision' | 'fence'>;

/** Who prunes before a worker comes by, and why. */
export interface PruneAct {
  readonly actor: string;
  readonly reason: string;
}
