import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { invariant } from '../model/errors.ts';
import { failureOf, planOf } from './compensate-run.ts';
import type { Draft } from './draft.ts';
import { followOrder } from './follow-order.ts';
import { feed } from './kernel-loop.ts';
import { pivotOf } from './pivot.ts';
import { endingOf } from './stop-run.ts';
import { newsOf, tellParent } from './tell-parent.ts';

type Undo = Extract<InboxPayload, { type: 'child.undo' }>;

/**
 * The parent is being undone, and with it this run that completed in it: COMPLETED -> COMPENSATING on its own version (R10).
 * Behind its own pivot it is not undone, and that holds the parent; what is undone already, or has nothing to undo, says so.
 */
export function onChildUndo(draft: Draft, event: InboxEvent, order: Undo): void {
  const { effectKey, by, reason } = order;
  if (draft.phase !== 'ended') {
    // Somebody has ordered its undo already, and the end of that is what the parent waits for.
    draft.setControl({ undoneFor: effectKey });
    draft.answer(event, 'applied');
    return;
  }
  const { ending } = draft.snapshot.data;
  invariant(ending !== null, 'a run ended without an end', { runId: draft.base.run.runId });
  if (ending.kind !== 'done') {
    draft.answer(event, 'ended');
    tellParent(draft, effectKey, newsOf(draft, ending));
    return;
  }
  const ordered = endingOf(draft, { kind: 'ordered', by, reason });
  const plan = planOf(draft, failureOf(ordered));
  if (pivotOf(draft.effects.pivots()) === 'behind') {
    refuse(draft, event, { code: 'pivot', message: 'the point of no return of the child is passed', order });
    return;
  }
  if (plan.kind === 'fault') {
    const message = `the undo of step ${plan.step} of the child cannot be computed: ${plan.message}`;
    refuse(draft, event, { code: 'plan', message, order });
    return;
  }
  draft.answer(event, 'applied');
  if (plan.kind === 'plan' && plan.keys.length === 0) {
    // Nothing that it has done is to be undone, and so it is.
    tellParent(draft, effectKey, { status: 'FAILED', output: null, failure: null });
    return;
  }
  draft.setControl({ undoneFor: effectKey });
  draft.addAudit({ actor: by, act: 'compensate', target: draft.base.run.runId, reason, detail: { effectKey } });
  followOrder(draft, { act: 'compensate', by, reason });
  // An ended run that goes on has no end until it has one again.
  draft.endedAtMs = null;
  const cause = { type: 'child.undo', id: `${event.source}/${event.eventId}`, step: null };
  feed(draft, { type: 'run.reopened', ending: ordered, atMs: draft.atMs }, cause);
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly order: Undo;
}

function refuse(draft: Draft, event: InboxEvent, { code, message, order }: Refusal): void {
  draft.answer(event, 'refused', { code });
  tellParent(draft, order.effectKey, { status: 'REFUSED', output: null, failure: { code, message, data: null } });
}
