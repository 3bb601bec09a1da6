import type { RunData, UndoPlan } from '../model/run.ts';
import { isUndoApproval } from './approval-rules.ts';
import { dropAside } from './aside.ts';
import { closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { setFinishing } from './finishing.ts';
import { forgetKept } from './kept-losers.ts';
import { recallChildren } from './tell-child.ts';
import { cancelEffect } from './withdraw-effect.ts';
import { liveRows, isInFlight, withdrawUnsent } from './step-effects.ts';

/** Forward work stops: what is not in flight is cancelled now, what is in flight is awaited (R03, R04, R19). */
export function settleRun(draft: Draft, data: RunData): void {
  withdrawUnsent(draft, null);
  if (data.ending?.kind === 'terminated') withdrawCompensations(draft);
  else recallChildren(draft, null, 'recalled');
  draft.setControl({ cancelWaiting: null, deadlineWaiting: false });
  // What a step was undoing goes on in the run's own plan.
  if (draft.control.undos !== undefined) carryUndos(draft, draft.control.undos);
  setFinishing(draft, []);
  forgetKept(draft);
  dropAside(draft);
  if (draft.timers.has(DEADLINE)) draft.clearTimer(DEADLINE);
  draft.closeIncidents(
    (incident) => incident.kind === 'failure' || incident.kind === 'pivot' || incident.kind === 'expired',
  );
  draft.closeIncidents((incident) => incident.kind === 'conflict');
  settleIfDone(draft, data);
}

function carryUndos(draft: Draft, undos: readonly UndoPlan[]): void {
  const underWay = [...draft.effects.live()].filter(({ compensates }) => compensates !== null).map(({ key }) => key);
  draft.setControl({ undos: [], ...(undos.length === 0 ? {} : { undosCarried: underWay }) });
}

/** An order to terminate ends what is left of a plan, too. */
function withdrawCompensations(draft: Draft): void {
  for (const approval of draft.approvals.values())
    if (approval.state === 'open' && isUndoApproval(approval)) closeApproval(draft, approval, 'cancelled');
  for (const effect of draft.effects.values()) {
    if (effect.state === 'PROPOSED' || effect.state === 'AUTHORIZED') draft.putEffect(cancelEffect(effect, draft.atMs));
  }
}

/** Name of the timer of the run's deadline. */
export const DEADLINE = 'run:deadline';

/** Once no effect of the run is open, compensation may begin; an order to terminate waits for nothing. */
export function settleIfDone(draft: Draft, data: RunData = draft.snapshot.data): void {
  const isTerminated = data.ending?.kind === 'terminated';
  if (!isTerminated && liveRows(draft).some(isInFlight)) return;
  const { runId } = draft.base.run;
  draft.enqueue({ type: 'run.settled', atMs: draft.atMs }, { type: 'run', id: runId, step: null });
}
