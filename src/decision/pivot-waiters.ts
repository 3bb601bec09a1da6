import type { Effect } from '../model/effect.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { InboxOutcome } from '../model/statuses.ts';
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
  if (isBehind) {
    answerKept(draft, waiting, 'refused', { code: 'pivot', detail: { step: 'the point of no return is passed' } });
    return;
  }
  answerKept(draft, waiting, 'applied');
  stopRun(draft, { kind: 'cancelled', by: waiting.by, reason: waiting.reason }, causeOf(waiting));
}

type Address = Pick<InboxEvent, 'source' | 'eventId'>;

/** Answers an event that was kept, for good. */
export function answerKept(
  draft: Draft,
  { source, eventId }: Address,
  outcome: InboxOutcome,
  told: Parameters<Draft['answer']>[2] = {},
): void {
  const kept = draft.kept.filter((known) => known.source === source && known.eventId === eventId);
  for (const event of kept) draft.answer(event, outcome, told);
}

function causeOf(waiting: Address): { type: string; id: string; step: null } {
  return { type: 'cancel', id: `${waiting.source}/${waiting.eventId}`, step: null };
}
