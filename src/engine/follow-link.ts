import type { LinkName } from '../model/ids.ts';
import { invariant, NotFoundError } from '../model/errors.ts';
import { type LinkTarget, stepOfLink } from '../model/link.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { findRun, versionOf } from './find-run.ts';

/** The wait that an address leads to. */
export interface FollowedLink {
  readonly run: RunIdentity;
  readonly name: LinkName;
  /** The event for which an `await` waits; null for an `approve`. */
  readonly event: string | null;
}

/**
 * Finds the wait that an address leads to, over or not. Transaction: none.
 * @param target as the signature vouches for it.
 * @throws PAWL_RUN_NOT_FOUND for a run that is gone.
 */
export async function followLink(engine: Engine, { runId, name }: LinkTarget): Promise<FollowedLink> {
  const run = await findRun(engine, runId);
  // A business key may look like an id.
  if (run.runId !== runId) throw new NotFoundError('PAWL_RUN_NOT_FOUND', 'the run of this address is gone');
  const { compiled } = await versionOf(engine, run);
  const step = compiled.step(stepOfLink(name) ?? '');
  invariant(step.verb === 'await' || step.verb === 'approve', 'an address leads to a step that waits', {
    step: step.id,
  });
  return { run, name, event: step.verb === 'await' ? step.event : null };
}
