import type { Effect } from '../model/effect.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';
import { rememberOrder } from './follow-order.ts';
import { holdDeadline, stopForDeadline } from './pass-deadline.ts';
import { stopRun } from './stop-run.ts';

/** The pivot is settled: what waited for it applies if it failed, and lapses if it is confirmed (R18, R20). */
export function afterPivot(draft: Draft, effect: Effect): void {
  if (!effect.pivot || effect.compensates !== null || draft.phase !== 'forward') return;
  const isBehind = effect.state === 'CONFIRMED';
  answerCancel(draft, isBehind);
  if (!draft.control.deadlineWaiting) return;
  draft.setControl({ deadlineWaiting: false });
  if (isBehind) holdDeadline(draft, 'pivot');
  else stopForDeadline(draft);
}

function answerCancel(draft: Draft, isBehind: boolean): void {
  if (isBehind) {
    lapseCancel(draft, 'pivot', { code: 'pivot', detail: { step: 'the point of no return is passed' } });
    return;
  }
  const waiting = draft.control.cancelWaiting;
  if (waiting === null) return;
  draft.setControl({ cancelWaiting: null });
  for (const event of keptOf(draft, waiting)) draft.answer(event, 'applied');
  stopRun(draft, { kind: 'cancelled', by: waiting.by, reason: waiting.reason }, causeOf(waiting));
}

type Address = Pick<InboxEvent, 'source' | 'eventId'>;

/** A recorded cancel comes to nothing, if there is one: its sender is told, and so is whoever looks at the run later. */
export function lapseCancel(draft: Draft, end: 'pivot' | 'terminated', told: Parameters<Draft['answer']>[2]): void {
  const waiting = draft.control.cancelWaiting;
  if (waiting === null) return;
  draft.setControl({ cancelWaiting: null });
  const { by, reason } = waiting;
  for (const event of keptOf(draft, waiting)) {
    draft.answer(event, 'refused', told);
    rememberOrder(draft, { act: 'cancel', by, reason, atMs: event.receivedAtMs, end });
  }
}

function keptOf(draft: Draft, { source, eventId }: Address): readonly InboxEvent[] {
  return draft.kept.filter((known) => known.source === source && known.eventId === eventId);
}

function causeOf(waiting: Address): { type: string; id: string; step: null } {
  return { type: 'cancel', id: `${waiting.source}/${waiting.eventId}`, step: null };
}
