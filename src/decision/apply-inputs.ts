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
  for (let timer = nextDue(draft, atMs, concerns); timer !== null && isReady(draft); timer = nextDue(draft, atMs, concerns)) {
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
      return applyEvent(draft, input.event);
    case 'attempt.settled':
      return onAttempt(draft, input.effectKey, input.attempt, input.outcome);
    case 'query.settled':
      return onQuery(draft, input.effectKey, input.query, input.outcome);
    case 'read.settled':
      return onRead(draft, input.step, input.attempt, input.outcome);
    case 'resumed':
      return onResumed(draft);
    case 'due':
      return;
    default:
      return assertNever(input);
  }
}

/** One event moves a run at most once (V13): rows that have their answer, or are kept for later, are not applied again. */
function applyEvent(draft: Draft, event: InboxEvent): void {
  const isKept = draft.kept.some((kept) => kept.source === event.source && kept.eventId === event.eventId);
  if (event.outcome !== null || isKept || draft.isAnswered(event)) return;
  const { payload } = event;
  switch (payload.type) {
    case 'signal':
      return onSignal(draft, event, payload);
    case 'timer':
      return onTimer(draft, event, payload);
    case 'vote':
      return onVote(draft, event, payload);
    case 'cancel':
      return onCancel(draft, event, payload);
    case 'terminate':
      return onTerminate(draft, event, payload);
    case 'compensate':
      return onCompensate(draft, event, payload);
    case 'retry':
      return onRetry(draft, event, payload);
    case 'resolve':
      return onResolve(draft, event, payload);
    case 'reconcile':
      return onReconcile(draft, event, payload);
    default:
      return assertNever(payload);
  }
}
