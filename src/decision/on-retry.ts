import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { OUTPUT_STEP } from '../machine/kernel-names.ts';
import { ownValue } from '../model/own-value.ts';
import { isSettled } from './effect-lifecycle.ts';
import type { Cause, Draft } from './draft.ts';
import { sameFrames } from './frames.ts';
import { feed } from './kernel-loop.ts';
import { DEADLINE_HELD } from './pass-deadline.ts';
import { forwardRows } from './step-effects.ts';
import { framesAt } from './step-scope.ts';
import { enterStep } from './enter-step.ts';

type Retry = Extract<InboxPayload, { type: 'retry' }>;

/**
 * A person lets a held step go on. After a definite refusal that is a new act with a key of the next generation (E01);
 * a deadline that was held lapses; an approval that was held at its expiry is asked again.
 */
export function onRetry(draft: Draft, event: InboxEvent, { step, by, reason }: Retry): void {
  if (draft.phase === 'ended') return draft.answer(event, 'refused', { code: 'ended' });
  const cause: Cause = { type: 'retry', id: `${event.source}/${event.eventId}`, step };
  if (!letGo(draft, step, cause)) return draft.answer(event, 'refused', { code: 'not-held', detail: { step } });
  draft.addAudit({ actor: by, act: 'retry', target: step, reason, detail: null });
  draft.answer(event, 'applied');
}

function letGo(draft: Draft, step: string, cause: Cause): boolean {
  // The process that holds the run looks for its functions at every decision; this one only wakes it.
  if (step === 'pin') return draft.control.incidents.some((incident) => incident.kind === 'pin');
  if (step === DEADLINE_HELD) return closeHeld(draft, (id) => id.endsWith(`:${DEADLINE_HELD}`));
  const incident = draft.control.incidents.find((known) => known.step === step && known.acts.includes('retry'));
  if (incident === undefined) return false;
  if (incident.kind === 'expired') {
    enterStep(draft, step, draft.snapshot.data);
    return true;
  }
  const before = draft.control;
  draft.closeIncidents((known) => known.id === incident.id);
  raiseGeneration(draft, step);
  // The step may fail again in the very commit of its retry: then it is held again, under the same id.
  if (feed(draft, { type: 'step.retried', step, atMs: draft.atMs }, cause)) return true;
  draft.setControl(before);
  return false;
}

function closeHeld(draft: Draft, isIt: (id: string) => boolean): boolean {
  const before = draft.control.incidents;
  draft.closeIncidents((incident) => isIt(incident.id));
  return draft.control.incidents !== before;
}

/** Only a row that has its last word makes way for a new one. */
function raiseGeneration(draft: Draft, step: string): void {
  if (step === OUTPUT_STEP) return;
  const frames = framesAt(draft, step, draft.snapshot.data);
  const generation = ownValue(draft.control.redo, step) ?? 0;
  const row = forwardRows(draft).find((known) => {
    return known.step === step && sameFrames(known.frames, frames) && known.ingredients.generation === generation;
  });
  if (row === undefined || !isSettled(row.state) || row.state === 'CONFIRMED') return;
  draft.setControl({ redo: { ...draft.control.redo, [step]: generation + 1 } });
}
