import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { RunPhase } from '../model/statuses.ts';
import { beginPlan, failureOf, planOf } from './compensate-run.ts';
import type { Cause, Draft } from './draft.ts';
import { followOrder } from './follow-order.ts';
import { feed } from './kernel-loop.ts';
import { endingOf } from './stop-run.ts';

type Order = Extract<InboxPayload, { type: 'compensate' }>;

/**
 * An operator orders the undo: of a run that completed or was terminated (R24), or of one that is held. The plan that was
 * previewed is named by its hash; if the run has moved since, the order is stale.
 */
export function onCompensate(draft: Draft, event: InboxEvent, order: Order): void {
  const refusal = refusalOf(draft);
  if (refusal !== null) {
    draft.answer(event, 'refused', { code: refusal });
    return;
  }
  const ending = endingOf(draft, { kind: 'ordered', by: order.by, reason: order.reason });
  const plan = planOf(draft, failureOf(ending));
  if (draft.phase === 'ended' && plan.kind === 'plan' && plan.keys.length === 0) {
    const detail = { message: 'nothing that it has done can be undone: it stays as it ended' };
    draft.answer(event, 'refused', { code: 'ended', detail });
    return;
  }
  const isNamed = order.planHash !== null && plan.kind === 'plan' && plan.planHash === order.planHash;
  const mayBeUnnamed = order.planHash === null && draft.phase !== 'ended';
  if (!isNamed && !mayBeUnnamed) {
    answerOtherPlan(draft, event, plan);
    return;
  }
  draft.addAudit({
    actor: order.by,
    act: 'compensate',
    target: draft.base.run.runId,
    reason: order.reason,
    detail: { planHash: order.planHash },
  });
  draft.answer(event, 'applied');
  followOrder(draft, { act: 'compensate', by: order.by, reason: order.reason });
  draft.closeIncidents((incident) => incident.kind === 'late-proof' && incident.acts.includes('compensate'));
  carryOut(draft, ending, { type: 'compensate', id: `${event.source}/${event.eventId}`, step: null });
}

/** The plan is another than the one that was previewed, or there is none: then it is said which undo cannot be computed, and why. */
function answerOtherPlan(draft: Draft, event: InboxEvent, plan: ReturnType<typeof planOf>): void {
  if (plan.kind === 'fault') {
    const { step, message } = plan;
    const detail = { step, message: `the undo of step ${step} cannot be computed: ${message}` };
    draft.answer(event, 'refused', { code: 'plan', detail });
    return;
  }
  const planHash = plan.kind === 'plan' ? plan.planHash : null;
  draft.answer(event, 'stale', { code: 'plan', detail: { planHash } });
}

function carryOut(draft: Draft, ending: ReturnType<typeof endingOf>, cause: Cause): void {
  if (draft.phase === 'compensating') {
    draft.closeIncidents((incident) => incident.kind === 'pivot');
    beginPlan(draft, ending);
    return;
  }
  const type = draft.phase === 'ended' ? 'run.reopened' : 'run.stopped';
  // An ended run that goes on has no end until it has one again.
  draft.endedAtMs = null;
  feed(draft, { type, ending, atMs: draft.atMs }, cause);
}

/** A late proof that a person has confirmed waits for its undo to be ordered (E08). */
function isProved(draft: Draft): boolean {
  return draft.control.incidents.some(
    (incident) => incident.kind === 'late-proof' && incident.acts.includes('compensate'),
  );
}

/** Held before or behind the pivot, completed, or terminated; a run that is undone or failed has nothing left to undo. */
function refusalOf(draft: Draft): string | null {
  const kind = draft.snapshot.data.ending?.kind ?? null;
  switch (draft.phase) {
    case 'ended':
      return kind === 'done' || kind === 'terminated' || isProved(draft) ? null : 'ended';
    case 'forward':
      return draft.control.incidents.some((incident) => incident.acts.includes('compensate')) ? null : 'not-held';
    case 'compensating':
      return draft.control.incidents.some((incident) => incident.kind === 'pivot') ? null : 'compensating';
    default:
      return notNow(draft.phase);
  }
}

function notNow(phase: RunPhase): 'finally' | 'compensating' {
  return phase === 'finally' ? phase : 'compensating';
}
