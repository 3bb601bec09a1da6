import type { Effect } from '../model/effect.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';
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
  const waiting = draft.control.cancelWaiting;
  if (waiting === null) return;
  draft.setControl({ cancelWaiting: null });
  const event = draft.kept.find((kept) => kept.source === waiting.source && kept.eventId === waiting.eventId);
  if (isBehind) {
    if (event !== undefined) {
      draft.answer(event, 'refused', { code: 'pivot', detail: { step: 'the point of no return is passed' } });
      return;
    }
  }
  if (event !== undefined) draft.answer(event, 'applied');
  stopRun(draft, { kind: 'cancelled', by: waiting.by, reason: waiting.reason }, causeOf(waiting));
}

function causeOf(waiting: Pick<InboxEvent, 'source' | 'eventId'>): { type: string; id: string; step: null } {
  return { type: 'cancel', id: `${waiting.source}/${waiting.eventId}`, step: null };
}
