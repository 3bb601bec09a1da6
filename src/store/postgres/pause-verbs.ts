import type { Pause, PauseKind } from '../../model/pause.ts';
import type { PauseStore } from '../../ports/pause-store.ts';
import type { Connections, Row } from './connections.ts';
import { BEGIN_PAUSE, END_PAUSE, LIST_PAUSES, WAKE_PAUSED } from './sql/pause.ts';

function pauseFromRow(row: Row): Pause {
  return {
    pauseId: row['pause_id'] as string,
    tenant: row['tenant'] as string,
    kind: row['kind'] as PauseKind,
    name: row['name'] as string,
    by: row['actor'] as string,
    reason: row['reason'] as string,
    atMs: row['at'] as number,
  };
}

/** The verbs of what a person has paused. */
export function pauseVerbs({ run }: Connections): PauseStore {
  return {
    beginPause: async ({ tenant, kind, name, pauseId, by, reason }) =>
      (await run(BEGIN_PAUSE, [tenant, kind, name, pauseId, by, reason])).length > 0,
    endPause: async ({ tenant, pauseId }, { by, reason }) =>
      (await run(END_PAUSE, [tenant, pauseId, by, reason])).length > 0,
    // What is about to be sent waits for the look of a worker: that one queues behind no long read, and is given up as a heartbeat is.
    pauses: async (tenant) => (await run(LIST_PAUSES, [tenant], tenant === null ? 'beat' : 'read')).map(pauseFromRow),
    wakePaused: async (tenant) => {
      await run(WAKE_PAUSED, [tenant]);
    },
  };
}
