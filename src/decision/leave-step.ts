import { ownValue, withoutKey } from '../model/own-value.ts';
import { isUndoApproval } from './approval-rules.ts';
import { closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { isFinishing } from './finishing.ts';
import { withdrawUnsent } from './step-effects.ts';

/** A step is left: its timers and approvals end with it (V06); an open effect is somebody else's business. */
export function leaveStep(draft: Draft, id: string): void {
  draft.setControl({ activeSinceMs: withoutKey(draft.control.activeSinceMs, id) });
  for (const name of [`${id}:wait`, `${id}:timeout`, `${id}:expires`, `${id}:remind`])
    if (draft.timers.has(name)) draft.clearTimer(name);
  if (!isFinishing(draft, id)) withdrawUnsent(draft, id);
  closeRead(draft, id);
  for (const approval of draft.approvals.values()) {
    if (approval.step === id && !isUndoApproval(approval) && (approval.state === 'open' || approval.state === 'held'))
      closeApproval(draft, approval, 'cancelled');
  }
  draft.closeIncidents((incident) => incident.step === id && incident.effectKey === null);
}

/** The number of sendings outlives the read: an answer that comes now must not be taken for a later one's. */
function closeRead(draft: Draft, id: string): void {
  const read = ownValue(draft.control.reads, id);
  if (read === undefined) return;
  draft.setControl({ reads: { ...draft.control.reads, [id]: { ...read, closed: true } } });
}
