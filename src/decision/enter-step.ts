import { invariant } from '../model/errors.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { enterApprove } from './enter-approve.ts';
import { enterAwait } from './enter-await.ts';
import { enterCall } from './enter-call.ts';
import { enterPublish } from './enter-publish.ts';
import { enterWait } from './enter-wait.ts';
import { endFinishing } from './finishing.ts';
import { enterUndo } from './undo-steps.ts';

/** A step became active: its time is noted (V13), what held it before is over, and its verb begins. */
export function enterStep(draft: Draft, id: string, data: RunData): void {
  const step = draft.ctx.compiled.step(id);
  draft.setControl({ activeSinceMs: { ...draft.control.activeSinceMs, [id]: draft.atMs } });
  endFinishing(draft, id);
  draft.closeIncidents((incident) => incident.step === id && incident.effectKey === null);
  if (step.verb === 'call') enterCall(draft, step, data);
  else if (step.verb === 'wait') enterWait(draft, step, data);
  else if (step.verb === 'await') enterAwait(draft, step, data);
  else if (step.verb === 'publish') enterPublish(draft, step, data);
  else if (step.verb === 'undo') enterUndo(draft, step, data);
  else {
    // Transient verbs are the machine's own; a group is active as long as one of its steps is.
    invariant(step.verb === 'approve', 'only a step that waits for the world begins here', { step: id });
    enterApprove(draft, step, data);
  }
}
