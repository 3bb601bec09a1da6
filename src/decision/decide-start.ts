import { InvariantError } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import type { DecideContext } from './decide-context.ts';
import type { StartDecision } from './decision.ts';

/**
 * Decides the first commit of a run: its initial snapshot and everything that follows from it at once. With `canSend`
 * the first effect is REQUESTED already; a run without any waiting completes in this commit.
 * @param run its identity; `startedAtMs` is the database's time.
 */
export function decideStart(ctx: DecideContext, run: RunIdentity): StartDecision {
  throw new InvariantError('not written', { run: run.runId, nowMs: ctx.nowMs });
}
