import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { OUTPUT_STEP } from '../machine/kernel-names.ts';
import type { Effect } from '../model/effect.ts';
import type { Json } from '../model/json.ts';
import type { Incident } from '../model/run.ts';
import { isSettled } from './effect-lifecycle.ts';
import type { Cause, Draft } from './draft.ts';
import { feed } from './kernel-loop.ts';
import { lookNow } from './missing-secret.ts';
import { presentRows } from './present-rows.ts';
import { raiseRedo, redoOf } from './redo.ts';
import { enterStep } from './enter-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

type Retry = Extract<InboxPayload, { type: 'retry' }>;

/**
 * A person lets a held step go on. After a definite refusal that is a new act with a key of the next generation (E01);
 * a deadline that was held lapses; an approval that was held at its expiry is asked again; a missing secret is looked for now.
 */
export function onRetry(draft: Draft, event: InboxEvent, { step, by, reason }: Retry): void {
  if (draft.phase === 'ended') {
    draft.answer(event, 'refused', { code: 'ended' });
    return;
  }
  const cause: Cause = { type: 'retry', id: `${event.source}/${event.eventId}`, step };
  if (!letGo(draft, step, cause)) {
    draft.answer(event, 'refused', refusalOf(draft, step));
    return;
  }
  draft.addAudit({ actor: by, act: 'retry', target: step, reason, detail: null });
  draft.answer(event, 'applied');
}

/** Why there is nothing to try again there. */
function refusalOf(draft: Draft, step: string): { readonly code: string; readonly detail: Json } {
  const acts = draft.control.incidents.filter((known) => isNamed(known, step)).flatMap((known) => known.acts);
  if (acts.length > 0) {
    const message = wayOut(step, [...new Set(acts)]);
    return { code: 'not-held', detail: { message } };
  }
  if (draft.ctx.compiled.steps.has(step)) return { code: 'not-held', detail: { message: `step ${step} is not held` } };
  return { code: 'not-found', detail: { message: `there is no step ${step}, and nothing of that name is held` } };
}

/** What is held there is another row than the step's own: that is tried again by another verb. */
function wayOut(step: string, acts: readonly string[]): string {
  const again = acts.includes('retry') ? `; to try it again: pawl resolve RUN ${step} --as retry --evidence TEXT` : '';
  return `what is held at ${step} is not the step itself; a person can say: ${acts.join(', ')}${again}`;
}

function letGo(draft: Draft, step: string, cause: Cause): boolean {
  const incident = draft.control.incidents.find((known) => known.acts.includes('retry') && isNamed(known, step));
  if (incident === undefined) return false;
  if (incident.step === null) {
    // The run itself was held: a deadline, a park, a pin (which the end of the decision looks at again).
    draft.closeIncidents((known) => known.id === incident.id);
    if (incident.kind === 'poison' || incident.kind === 'pin') noteLetGo(draft, incident, cause);
    return true;
  }
  if (incident.kind === 'authorization') {
    lookNow(draft, incident);
    return true;
  }
  if (incident.kind === 'expired') {
    enterStep(draft, incident.step, draft.snapshot.data);
    return true;
  }
  const before = draft.control;
  draft.closeIncidents((known) => known.id === incident.id);
  raiseGeneration(draft, incident.step);
  // The step may fail again in the very commit of its retry: then it is held again, under the same id.
  if (feed(draft, { type: 'step.retried', step: incident.step, atMs: draft.atMs }, cause)) return true;
  draft.setControl(before);
  return false;
}

/**
 * A row of the journal that moves nothing (its detail is no kernel event): with it the run's crashes count from 0 again (P06),
 * so that the next claim does not set aside what a person has just let go.
 */
function noteLetGo(draft: Draft, incident: Incident, { type, id }: Cause): void {
  draft.addTransition(draft.snapshot, {
    event: { type, id, step: null, detail: { incident: incident.id } },
    delta: { left: [], entered: [] },
    commands: [],
  });
}

/** An incident of a step is named by the step; one of the run by its id, its kind, or what stands behind the colon. */
function isNamed(incident: Incident, name: string): boolean {
  if (incident.step !== null) return incident.step === name || authorOf(incident.step) === name;
  return incident.id === name || incident.kind === name || incident.id.endsWith(`:${name}`);
}

/** Only a row that has its last word makes way for a new one: of the step, and of all that is in it. */
function raiseGeneration(draft: Draft, step: string): void {
  if (step === OUTPUT_STEP) return;
  const stands = (row: Effect): boolean =>
    row.state === 'CONFIRMED' && draft.effects.undoOf(row.key)?.state !== 'CONFIRMED';
  for (const row of presentRows(draft, [step], draft.snapshot.data)) {
    const { redo } = draft.control;
    const isLast = row.ingredients.generation === redoOf(redo, row.step, row.frames);
    if (!isLast || !isSettled(row.state) || stands(row)) continue;
    draft.setControl({ redo: raiseRedo(redo, row.step, row.frames) });
  }
}
