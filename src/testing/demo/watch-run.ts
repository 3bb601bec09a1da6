import { setTimeout as sleep } from 'node:timers/promises';
import { InvariantError, PawlError } from '../../model/errors.ts';
import type { RunView } from './compare-book.ts';

const LOOK_MS = 60;

/** Where a run is looked at. */
export interface RunWindow {
  show(id: string): Promise<RunView>;
}

/**
 * Looks at a run until it is as wanted. A database that is away for a moment is looked for again.
 * @param withinMs after which it gives up, milliseconds.
 * @throws PAWL_INVARIANT with what the run waited for.
 */
export async function watchRun(
  window: RunWindow,
  id: string,
  isWanted: (run: RunView) => boolean,
  withinMs: number,
): Promise<RunView> {
  const until = performance.now() + withinMs;
  let last: RunView | null = null;
  for (;;) {
    last = (await look(window, id)) ?? last;
    if (last !== null && isWanted(last)) return last;
    if (performance.now() > until)
      throw new InvariantError(
        `${id} is not as wanted after ${withinMs} ms: ${last?.status ?? 'not seen'}, waits for ${JSON.stringify(last?.waitingFor ?? [])}`,
      );
    await sleep(LOOK_MS);
  }
}

async function look(window: RunWindow, id: string): Promise<RunView | null> {
  try {
    return await window.show(id);
  } catch (error) {
    if (error instanceof PawlError && (error.httpStatus === 503 || error.code === 'PAWL_RUN_NOT_FOUND')) return null;
    throw error;
  }
}
