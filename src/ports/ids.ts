import type { RunId, WorkerId } from '../model/ids.ts';

/** New identities. Keys are never made here: they come from hashes. */
export interface Ids {
  /** @param virtualShard 0..4095, where a business key decides in which part the run lives; else any. */
  newRunId(virtualShard?: number): RunId;
  newWorkerId(): WorkerId;
  /** An id for an event from outside whose sender gave none. */
  newEventId(): string;
}
