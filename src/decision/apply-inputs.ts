import { assertNever } from '../model/errors.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Timer } from '../model/run.ts';
import type { DecisionInput } from './decision-input.ts';
import type { Draft } from './draft.ts';
import { onShareTold } from './hear-share.ts';
import { pump } from './kernel-loop.ts';
import { onAttempt } from './on-attempt.ts';
import { onCancel } from './on-cancel.ts';
import { onChildEnded } from './on-child-ended.ts';
import { onChildUndo } from './on-child-undo.ts';
import { onCompensate } from './on-compensate.ts';
import { onGranted } from './on-lock.ts';
import { refuseMoved } from './on-moved.ts';
import { onExtend, onSettle } from './on-hand-out.ts';
import { onPull } from './on-pull.ts';
import { onProof } from './on-proof.ts';
import { onQuery } from './on-query.ts';
import { onRead } from './on-read.ts';
import { onReconcile } from './on-reconcile.ts';
import { onResolve } from './on-resolve.ts';
import { lookAgain } from './look-again.ts';
import { onResumed } from './on-resumed.ts';
import { onRetry } from './on-retry.ts';
import { onSignal } from './on-signal.ts';
import { onTerminate } from './on-terminate.ts';
import { fireTimer, onTimer } from './on-timer.ts';
import { onVote } from './on-vote.ts';
import { orderInputs, timeOf } from './order-inputs.ts';
import { isPaused } from './on-pause.ts';
import { DEADLINE } from './settle-run.ts';
import { comeToRest } from './take-event.ts';

/**
 * Applies inputs one by one in their order, each with everything that follows from it.
 * @returns those that did not fit into the commit's transitions.
 */
export function applyInputs(draft: Draft, inputs: readonly DecisionInput[]): readonly DecisionInput[] {
  const ordered = orderInputs(inputs, draft.ctx.nowMs);
  for (const [index, input] of ordered.entries()) {
    const atMs = timeOf(input, draft.ctx.nowMs);
    fireDueBefore(draft, atMs, { concerns: (timer) => input.type === 'inbox' || isDeadline(timer), rest: comeToRest });
    if (!isReady(draft) && !isPaused(draft)) return ordered.slice(index);
    applyAt(draft, input, { atMs, rest: comeToRest });
  }
  // Only a fresh claim has the whole inbox in hand: nothing that was received before these timers is still to come.
  if (ordered.some((input) => input.type === 'resumed'))
    fireDueBefore(draft, draft.ctx.nowMs, { concerns: () => true, rest: comeToRest });
  return [];
}

/**
 * What stops a run, applied before the follow-up events that the last commit had no room for: a run that is busy with
 * itself hears its cancel, its terminate and its deadline between any two commits. Other inputs wait until those events are
 * worked off, because what they would move may have its answer among them.
 * @returns the inputs that are left to apply.
 */
export function applyStops(draft: Draft, inputs: readonly DecisionInput[]): readonly DecisionInput[] {
  if (draft.queue.length === 0) return inputs;
  const followUps = draft.queue.filter(({ event }) => event.type !== 'run.stopped');
  draft.queue = draft.queue.filter(({ event }) => event.type === 'run.stopped');
  pump(draft);
  // The few transitions of a stop always fit: the first one that is taken ends the forward work.
  for (const stop of orderInputs(inputs.filter(isStop), draft.ctx.nowMs)) {
    const atMs = timeOf(stop, draft.ctx.nowMs);
    fireDueBefore(draft, atMs, { concerns: isDeadline, rest: pump });
    applyAt(draft, stop, { atMs, rest: pump });
  }
  fireDueBefore(draft, draft.ctx.nowMs, { concerns: isDeadline, rest: pump });
  draft.queue.push(...followUps);
  return inputs.filter((input) => !isStop(input));
}

function isStop(input: DecisionInput): boolean {
  if (input.type !== 'inbox') return false;
  const { payload } = input.event;
  return payload.type === 'cancel' || payload.type === 'terminate' || (payload.type === 'timer' && isDeadline(payload));
}

function isDeadline(timer: { readonly name: string }): boolean {
  return timer.name === DEADLINE;
}

/** How what follows from an input is worked off. */
type Rest = (draft: Draft) => void;

/** Applies one input with everything that follows from it, as far as there is room. */
function applyAt(draft: Draft, input: DecisionInput, { atMs, rest }: { atMs: number; rest: Rest }): void {
  draft.atMs = atMs;
  applyInput(draft, input);
  rest(draft);
}

/** Between two inputs nothing is queued, and there is room for another transition. */
function isReady(draft: Draft): boolean {
  return draft.queue.length === 0 && draft.hasRoom;
}

/** An event finds the outcome of every timer that was due before it, however late that timer is processed (V10). */
function fireDueBefore(
  draft: Draft,
  atMs: number,
  { concerns, rest }: { concerns: (timer: Timer) => boolean; rest: Rest },
): void {
  for (
    let timer = nextDue(draft, atMs, concerns);
    timer !== null && isReady(draft);
    timer = nextDue(draft, atMs, concerns)
  ) {
    draft.atMs = timer.dueAtMs;
    fireTimer(draft, timer);
    rest(draft);
  }
}

function nextDue(draft: Draft, atMs: number, concerns: (timer: Timer) => boolean): Timer | null {
  if (isPaused(draft)) return null;
  let next: Timer | null = null;
  for (const timer of draft.timers.values()) {
    if (timer.dueAtMs < atMs && concerns(timer) && (next === null || timer.dueAtMs < next.dueAtMs)) next = timer;
  }
  return next;
}

function applyInput(draft: Draft, input: DecisionInput): void {
  switch (input.type) {
    case 'inbox':
      if (isNew(draft, input.event) && !refuseMoved(draft, input.event)) applyEvent(draft, input.event);
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
      lookAgain(draft);
      return;
    case 'woken':
      lookAgain(draft);
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

/** What a run hears of the house: of its lock, of its children, of its parent, of the acts that it shares. */
type HouseWord = Extract<
  InboxPayload,
  { type: 'lock.granted' | 'child.ended' | 'child.undo' | 'share.told' | 'proof' }
>;

const HOUSE_WORDS: ReadonlySet<string> = new Set<HouseWord['type']>([
  'lock.granted',
  'child.ended',
  'child.undo',
  'share.told',
  'proof',
]);

function isHouseWord(payload: InboxPayload): payload is HouseWord {
  return HOUSE_WORDS.has(payload.type);
}

function applyHouseWord(draft: Draft, event: InboxEvent, payload: HouseWord): void {
  if (payload.type === 'lock.granted') onGranted(draft, event);
  else if (payload.type === 'child.ended') onChildEnded(draft, event, payload);
  else if (payload.type === 'child.undo') onChildUndo(draft, event, payload);
  else if (payload.type === 'proof') onProof(draft, event, payload);
  else onShareTold(draft, event, payload);
}

/** What a run hears of remote workers: that one asks, wants more time, or is done. */
type RemoteWord = Extract<InboxPayload, { type: 'pull' | 'extend' | 'settle' }>;

function isRemoteWord(payload: InboxPayload): payload is RemoteWord {
  return payload.type === 'pull' || payload.type === 'extend' || payload.type === 'settle';
}

function applyRemoteWord(draft: Draft, event: InboxEvent, payload: RemoteWord): void {
  if (payload.type === 'pull') onPull(draft, event, payload);
  else if (payload.type === 'extend') onExtend(draft, event, payload);
  else onSettle(draft, event, payload);
}

function applyEvent(draft: Draft, event: InboxEvent): void {
  const { payload } = event;
  if (isHouseWord(payload)) applyHouseWord(draft, event, payload);
  else if (isRemoteWord(payload)) applyRemoteWord(draft, event, payload);
  else applyAct(draft, event, payload);
}

/** What people, senders and times ask of a run. */
function applyAct(draft: Draft, event: InboxEvent, payload: Exclude<InboxPayload, HouseWord | RemoteWord>): void {
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
    case 'pause':
    case 'resume':
      // Heard before all others (`hearPauses`).
      return;
    default:
      assertNever(payload);
  }
}
