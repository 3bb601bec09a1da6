import { invariant } from '../model/errors.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { ownValue } from '../model/own-value.ts';
import type { Timer } from '../model/run.ts';
import { recallChildren } from './tell-child.ts';
import { isGroup } from '../model/step-lists.ts';
import { advancePlan } from './advance-plan.ts';
import { expiryTimer, isUndoApproval } from './approval-rules.ts';
import { approvalOutcome, closeApproval } from './close-approval.ts';
import type { Cause, Draft } from './draft.ts';
import { firedOutput } from './enter-wait.ts';
import { actsNow, OPERATORS } from './hold-step.ts';
import { rowOfTimer } from './hand-out.ts';
import { passWorkerTime } from './on-hand-out.ts';
import { keptAddress } from './kept-timers.ts';
import { feed } from './kernel-loop.ts';
import { remind, remindTimer } from './remind.ts';
import { cancelEffect } from './withdraw-effect.ts';
import { passDeadline } from './pass-deadline.ts';
import { DEADLINE } from './settle-run.ts';
import { effectSettled, failed, failureOf, stepSettled } from './settle-step.ts';
import { liveRows, openSteps } from './step-effects.ts';
import { laneStepOf } from './lane-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

type Firing = Extract<InboxPayload, { type: 'timer' }>;

/** A timer that some process fired; one of another generation than the present is ignored (V06). */
export function onTimer(draft: Draft, event: InboxEvent, firing: Firing): void {
  const { name, generation, dueAtMs } = firing;
  // What a remote worker was handed outlasts the run, as anything in flight does.
  if (draft.phase === 'ended' && rowOfTimer(name) === null) {
    draft.answer(event, 'ended');
    return;
  }
  if (ownValue(draft.control.timerGenerations, name) !== generation) {
    draft.answer(event, 'stale', { code: 'generation' });
    return;
  }
  draft.answer(event, 'applied');
  fireTimer(draft, { name, generation, dueAtMs });
}

/** Applies a due timer once: from here on its generation is not the present one. */
export function fireTimer(draft: Draft, timer: Timer): void {
  draft.clearTimer(timer.name);
  if (timer.name === DEADLINE) {
    passDeadline(draft);
    return;
  }
  const address = keptAddress(timer.name);
  if (address !== null) {
    endKeeping(draft, address);
    return;
  }
  if (rowOfTimer(timer.name) !== null) {
    passWorkerTime(draft, timer.name);
    return;
  }
  const { prefix, kind } = splitName(timer.name);
  const cause: Cause = { type: 'timer', id: `${timer.name}#${timer.generation}`, step: authorOf(prefix) };
  if (kind === 'wait') {
    const output = firedOutput(timer.dueAtMs, draft.ctx.nowMs - timer.dueAtMs);
    feed(draft, stepSettled(draft, prefix, { ok: true, output, attempts: 0 }), cause);
  } else if (kind === 'timeout' && isGroup(draft.ctx.compiled.step(prefix))) {
    feed(draft, { type: 'group.expired', step: prefix, open: openSteps(draft), atMs: draft.atMs }, cause);
  } else if (kind === 'timeout' && draft.ctx.compiled.step(prefix).verb === 'call') {
    passChildTime(draft, prefix, cause);
  } else if (kind === 'timeout') {
    feed(
      draft,
      stepSettled(
        draft,
        prefix,
        failed(failureOf(prefix, 'timeout', 'timeout', `step ${authorOf(prefix)} took too long`)),
      ),
      cause,
    );
  } else if (kind === 'remind') remind(draft, prefix, timer);
  else expire(draft, prefix, cause);
}

/** A child's time is over: one that runs is told to end, one that was not started yet is not started any more. */
function passChildTime(draft: Draft, step: string, cause: Cause): void {
  const unsent = liveRows(draft).filter((row) => laneStepOf(draft, row) === step && row.state === 'AUTHORIZED');
  if (unsent.length === 0) {
    recallChildren(draft, [step], 'timeout');
    return;
  }
  for (const row of unsent) draft.putEffect(cancelEffect(row, draft.atMs));
  const late = failed(
    failureOf(step, 'timeout', 'timeout', `step ${authorOf(step)} took too long: its child was not started`),
  );
  feed(draft, effectSettled(draft, step, late), cause);
}

/** What stands before the kind is a step, or the approval of an undo, which has colons of its own. */
function splitName(name: string): { prefix: string; kind: string } {
  const colon = name.lastIndexOf(':');
  return { prefix: name.slice(0, colon), kind: name.slice(colon + 1) };
}

/** Kept for as long as its declaration says, and nobody waited for it (V01). */
function endKeeping(draft: Draft, address: string): void {
  const event = draft.kept.find((kept) => `${kept.source}/${kept.eventId}` === address);
  invariant(event !== undefined, 'a timer keeps an event that is not kept', { address });
  draft.answer(event, 'unmatched');
}

/** Nobody decided in time; what that means the step says, and of an undo that a person decides (R23). */
function expire(draft: Draft, step: string, cause: Cause): void {
  const timer = `${step}:expires`;
  const approval = [...draft.approvals.values()].find(
    (known) => known.state === 'open' && expiryTimer(known) === timer,
  );
  // It was fired while a vote that came before it decided.
  if (approval === undefined) return;
  if (approval.onExpire === 'hold') {
    draft.putApproval({ ...approval, state: 'held', decidedAtMs: draft.atMs });
    if (draft.timers.has(remindTimer(step))) draft.clearTimer(remindTimer(step));
    const message = `nobody decided "${approval.title}" in time`;
    const acts = actsNow(draft, ['retry', 'cancel', 'terminate']);
    draft.openIncident({
      id: `expired:${approval.approvalId}`,
      kind: 'expired',
      step,
      effectKey: null,
      message,
      from: OPERATORS,
      acts,
    });
    return;
  }
  const closed = closeApproval(draft, approval, approval.onExpire === 'approve' ? 'approved' : 'expired');
  if (isUndoApproval(closed)) advancePlan(draft);
  else feed(draft, stepSettled(draft, step, approvalOutcome(closed)), cause);
}
