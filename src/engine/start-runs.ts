import { PawlError } from '../model/errors.ts';
import type { StartAnswer, StartRequest } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Sendings of a batch of starts whose answers are lost before the caller is told to ask again under the same key. */
const ROUNDS_MAX = 3;
const PAUSE_MS = 50;

/** @throws what the store cannot hold of this start. */
export function accepted(answer: StartAnswer): StartAnswer {
  if (answer.refused !== null) throw answer.refused;
  return answer;
}

/**
 * Stores starts of one part. A start is idempotent by its key and its run id, so a lost answer is simply asked for
 * again. @throws PAWL_STORE_* when that does not help: the caller may start again under the same key.
 * Transaction: the store's start opens one per sending.
 */
export async function startRuns(
  engine: Engine,
  part: number,
  requests: readonly StartRequest[],
): Promise<readonly StartAnswer[]> {
  for (let round = 1; ; round += 1) {
    try {
      return await engine.store.start(part, requests);
    } catch (error) {
      if (!(error instanceof PawlError) || error.retry === 'never' || round >= ROUNDS_MAX) throw error;
      engine.logger.warn({ part, round, members: requests.length, code: error.code }, 'start.answer-lost');
    }
    await engine.clock.sleep(PAUSE_MS);
  }
}
