import type { RunId, WorkerId } from '../model/ids.ts';

/** New identities. Keys are never made here: they come from hashes. */
export interface Ids {
  newRunId(): RunId;
  newWorkerId(): WorkerId;
  /** An id for an event from outside whose sender gave none. */
  newEventId(): string;
}
