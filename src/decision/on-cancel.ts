import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';
import { pivotOf } from './pivot.ts';
import { stopRun } from './stop-run.ts';

type Cancel = Extract<InboxPayload, { type: 'cancel' }>;

/**
 * A cancel is accepted or refused by the commit that consumes it (R18): settle, undo, CANCELLED; while the pivot is in
 * flight it waits; behind the pivot, while undoing and after the end it is refused.
 */
export function onCancel(draft: Draft, event: InboxEvent, { by, reason }: Cancel): void {
  const refusal = refusalOf(draft);
  if (refusal !== null) {
    draft.answer(event, 'refused', { code: refusal });
    return;
  }
  draft.addAudit({ actor: by, act: 'cancel', target: draft.base.run.runId, reason, detail: null });
  if (pivotOf(draft.effects.values()) === 'open') {
    const { source, eventId } = event;
    draft.setControl({ cancelWaiting: { source, eventId, by, reason } });
    draft.keep(event, { code: 'waits-for-pivot' });
    return;
  }
  draft.answer(event, 'applied');
  stopRun(
    draft,
    { kind: 'cancelled', by, reason },
    { type: 'cancel', id: `${event.source}/${event.eventId}`, step: null },
  );
}

function refusalOf(draft: Draft): string | null {
  if (draft.phase === 'ended') return 'ended';
  if (draft.phase !== 'forward') return 'compensating';
  if (pivotOf(draft.effects.values()) === 'behind') return 'pivot';
  return draft.control.cancelWaiting === null ? null : 'cancel-waits';
}
