import type { RunIdentity } from '../model/run.ts';
import { isEnd, type RunStatus } from '../model/statuses.ts';
import type { Engine } from './engine.ts';

/** Waits between two looks, milliseconds: each twice the one before, up to the longest. */
const LOOK_MS_MIN = 20;
const LOOK_MS_MAX = 500;

/** How long somebody waits for a run. */
export interface Patience {
  readonly forMs: number;
  /** Ends the waiting early; that is no error. */
  readonly signal: AbortSignal;
}

function isAtRest(status: RunStatus | undefined): boolean {
  return status === undefined || isEnd(status) || status === 'WAITING' || status === 'HELD';
}

/**
 * Waits until only the world or a person can move a run, or it has ended, or patience has. It is told nothing: whoever asks
 * looks at the run then. Transaction: none.
 */
export async function awaitRun({ store, clock }: Engine, run: RunIdentity, patience: Patience): Promise<void> {
  const untilMs = clock.monotonicMs() + patience.forMs;
  for (let lookMs = LOOK_MS_MIN; ; lookMs = Math.min(lookMs * 2, LOOK_MS_MAX)) {
    const [head] = await store.heads(run.part, [run.runId]);
    const leftMs = untilMs - clock.monotonicMs();
    if (isAtRest(head?.status) || leftMs <= 0 || patience.signal.aborted) return;
    await clock.sleep(Math.min(lookMs, leftMs), patience.signal);
  }
}
