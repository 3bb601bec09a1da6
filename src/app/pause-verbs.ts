import type { Engine } from '../engine/engine.ts';
import { beginPause, endPause, listPauses, type PauseAsk, type PauseView } from '../engine/order-pause.ts';

/** What can be asked of pauses of a workflow, an action or a host. */
export interface PauseVerbs {
  /** Nothing of it is sent any more, whatever run it is part of; recorded. @throws PAWL_INPUT_INVALID, PAWL_VERSION_NOT_FOUND, PAWL_PAUSED_ALREADY. */
  beginPause(ask: PauseAsk): Promise<PauseView>;
  /** What waited goes on at once; recorded. @throws PAWL_PAUSE_NOT_FOUND. */
  endPause(id: string, act: { readonly by: string; readonly reason: string | null }): Promise<PauseView>;
  /** Those that last, the oldest first. */
  pauses(): Promise<readonly PauseView[]>;
}

/** The verbs of pauses, bound to an engine. */
export function createPauseVerbs(engine: Engine): PauseVerbs {
  return {
    beginPause: (ask) => beginPause(engine, ask),
    endPause: (id, act) => endPause(engine, id, act),
    pauses: () => listPauses(engine),
  };
}
