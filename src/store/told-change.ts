import { type ToldEffect, toldEffects } from '../model/run-change.ts';
import type { RunCommit } from '../model/run-commit.ts';

/**
 * What a commit tells whoever watches its run.
 * @returns null where nothing has changed that they could see: a lease given back, an event filed, a message written.
 */
export function toldByCommit(commit: RunCommit): readonly ToldEffect[] | null {
  const { transitions, head, effects, approvals, votes } = commit;
  const isSeen = head !== null || transitions.length + effects.length + approvals.length + votes.length > 0;
  return isSeen ? toldEffects(effects) : null;
}
