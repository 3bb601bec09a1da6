import { assertNever } from '../model/errors.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Timer } from '../model/run.ts';
import type { DecisionInput } from './decision-input.ts';
import type { Draft } from './draft.ts';
import { pump } from './kernel-loop.ts';
import { onAttempt } from './on-attempt.ts';
import { onCancel } from './on-cancel.ts';
import { onCompensate } from './on-compensate.ts';
import { onQuery } from './on-query.ts';
import { onRead } from './on-read.ts';
import { onReconcile } from './on-reconcile.ts';
import { onResolve } from './on-resolve.ts';
import { onResumed } from './on-resumed.ts';
import { onRetry } from './on-retry.ts';
import { onSignal } from './on-signal.ts';
import { onTerminate } from './on-terminate.ts';
import { fireTimer, onTimer } from './on-timer.ts';
import { onVote } from './on-vote.ts';
import { orderInputs, timeOf } from './order-inputs.ts';
import { DEADLINE } from './settle-run.ts';

/**
 * Applies inputs one by one in their order, each with everything that follows from it.
 * @returns those that did not fit into the commit's transitions.
 */
export function applyInputs(draft: Draft, inputs: readonly DecisionInput[]): readonly DecisionInput[] {
  const ordered = orderInputs(inputs, draft.ctx.nowMs);
  for (const [index, input] of ordered.entries()) {
    const atMs = timeOf(input, draft.ctx.nowMs);
    fireDueBefore(draft, atMs, (timer) => input.type === 'inbox' || timer.name === DEADLINE);
    if (!isReady(draft)) return ordered.slice(index);
    draft.atMs = atMs;
    applyInput(draft, input);
    pump(draft);
  }
  // Only a fresh claim has the whole inbox in hand: nothing that was received before these timers is still to come.
  if (ordered.some((input) => input.type === 'resumed')) fireDueBefore(draft, draft.ctx.nowMs, () => true);
  return [];
}

/** Between two inputs nothing is queued, and there is room for another transition. */
function isReady(draft: Draft): boolean {
  return draft.queue.length === 0 && draft.hasRoom;
}

/** An event finds the outcome of every timer that was due before it, however late that timer is processed (V10). */
function fireDueBefore(draft: Draft, atMs: number, concerns: (timer: Timer) => boolean): void {
  for (
    let timer = nextDue(draft, atMs, concerns);
    timer !== null && isReady(draft);
    timer = nextDue(draft, atMs, concerns)
  ) {
    draft.atMs = timer.dueAtMs;
    fireTimer(draft, timer);
    pump(draft);
  }
}

function nextDue(draft: Draft, atMs: number, concerns: (timer: Timer) => boolean): Timer | null {
  let next: Timer | null = null;
  for (const timer of draft.timers.values()) {
    if (timer.dueAtMs < atMs && concerns(timer) && (next === null || timer.dueAtMs < next.dueAtMs)) next = timer;
  }
  return next;
}

function applyInput(draft: Draft, input: DecisionInput): void {
  switch (input.type) {
    case 'inbox':
      if (isNew(draft, input.event)) applyEvent(draft, input.event);
      return;
    case 'attempt.settled':
      onAttempt(draft, input.effectKey, input.attempt, input.outcome);
      return;
    case 'query.settled':
      onQuery(draft, input.effectKey, input.query, input.outcome);
      return;
    case 'read.settled':
      onRead(draft, input.step, input.attempt, input.outcome);
      return;
    case 'resumed':
      onResumed(draft);
      return;
    case 'due':
      return;
    default:
      assertNever(input);
  }
}

/** One event moves a run at most once (V13): rows that have their answer, or are kept for later, are not applied again. */
function isNew(draft: Draft, event: InboxEvent): boolean {
  const isKept = draft.kept.some((kept) => kept.source === event.source && kept.eventId === event.eventId);
  return event.outcome === null && !isKept && !draft.isAnswered(event);
}

function applyEvent(draft: Draft, event: InboxEvent): void {
  const { payload } = event;
  switch (payload.type) {
    case 'signal':
      onSignal(draft, event, payload);
      return;
    case 'timer':
      onTimer(draft, event, payload);
      return;
    case 'vote':
      onVote(draft, event, payload);
      return;
    case 'cancel':
      onCancel(draft, event, payload);
      return;
    case 'terminate':
      onTerminate(draft, event, payload);
      return;
    case 'compensate':
      onCompensate(draft, event, payload);
      return;
    case 'retry':
      onRetry(draft, event, payload);
      return;
    case 'resolve':
      onResolve(draft, event, payload);
      return;
    case 'reconcile':
      onReconcile(draft, event, payload);
      return;
    default:
      assertNever(payload);
  }
}
