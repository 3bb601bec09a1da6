import type { Approval, AuthorizedRequest } from '../model/approval.ts';
import type { CallStep } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { ownValue } from '../model/own-value.ts';
import type { RunData } from '../model/run.ts';
import { withIn } from './approval-form.ts';
import { isMachine } from './aside.ts';
import type { Draft } from './draft.ts';
import { isSameRequest } from './effect-key.ts';
import { isOpen, isSettled } from './effect-lifecycle.ts';
import { sameFrames } from './frames.ts';
import { actsNow, OPERATORS } from './hold-step.ts';
import { prepareCall, prepareRead } from './prepare-call.ts';
import { atEntry, effectSettled, enqueueSettled, failed, failureOf } from './settle-step.ts';
import { stepOutcomeOf } from './settlement.ts';
import { askShare, isShared } from './share-effect.ts';
import { forwardRows } from './step-effects.ts';
import { raiseRedo } from './redo.ts';
import { framesAt } from './step-scope.ts';
import { cancelEffect } from './withdraw-effect.ts';
import { authorOf } from '../machine/lane-steps.ts';

/**
 * A call begins: its row is written AUTHORIZED (the end of the decision sends it), or, where the key is there already,
 * the recorded outcome is given again (E02).
 */
export function enterCall(draft: Draft, step: CallStep, data: RunData): void {
  if (draft.ctx.compiled.action(step.action).effect === 'read') {
    enterRead(draft, step, data);
    return;
  }
  const frames = framesAt(draft, step.id, data);
  const wanted = atEntry(draft, step.id, () => prepareCall(draft, { step, data, frames, state: birthOf(step) }));
  if (wanted === null) return;
  if (step.authorizedBy !== null) {
    enterAuthorized(draft, step, wanted, data);
    return;
  }
  enterWanted(draft, step, wanted, data);
}

/** What is wanted is written, or what is known of its key is told or goes on. */
function enterWanted(draft: Draft, step: CallStep, wanted: Effect, data: RunData): void {
  const known = draft.effects.get(wanted.key);
  if (step.child !== undefined && step.timeoutMs !== null && (known === undefined || isOpen(known.state)))
    draft.setTimer(`${step.id}:timeout`, draft.atMs + step.timeoutMs);
  if (known === undefined) {
    if (isShared(wanted)) askShare(draft, wanted);
    else draft.putEffect(wanted);
    return;
  }
  // Given up when its state was left, and a history leads back to it: it is still to be done, and nothing of it has happened.
  const isGivenUp = known.state === 'CANCELLED' && isMachine(draft);
  if (isGivenUp || isClosedHere(draft, known, wanted)) {
    draft.setControl({ redo: raiseRedo(draft.control.redo, wanted.step, wanted.frames) });
    enterCall(draft, step, data);
    return;
  }
  if (!isSameRequest(known, wanted.requestHash)) {
    openConflict(draft, step, known, `the key of step ${known.step} was used for another request (${known.state})`);
    return;
  }
  if (isOther(known, wanted)) replayShared(draft, step, known);
  else replay(draft, step, known);
}

/** The key of a shared act is claimed before its row may become AUTHORIZED (E11). */
function birthOf(step: CallStep): 'PROPOSED' | 'AUTHORIZED' {
  return step.reach === undefined ? 'AUTHORIZED' : 'PROPOSED';
}

/** Whether the row of a shared act is that of another visit or step of this run. */
function isOther(known: Effect, wanted: Effect): boolean {
  return isShared(wanted) && (known.step !== wanted.step || !sameFrames(known.frames, wanted.frames));
}

/** Another visit of this run that finds the act refused, withdrawn or undone is its next user, with the next generation. */
function isClosedHere(draft: Draft, known: Effect, wanted: Effect): boolean {
  if (!isOther(known, wanted) || !isSettled(known.state)) return false;
  return known.state !== 'CONFIRMED' || draft.effects.undoOf(known.key)?.state === 'CONFIRMED';
}

/** What this run has done already is done; what it is doing elsewhere has no second place to tell its end to. */
function replayShared(draft: Draft, step: CallStep, known: Effect): void {
  if (isSettled(known.state)) {
    const cause = { type: 'share', id: `${known.key}:shared`, step: known.step };
    draft.enqueue(effectSettled(draft, step.id, stepOutcomeOf(known)), cause);
    return;
  }
  const message = `step ${known.step} of this run is carrying out the same act`;
  enqueueSettled(draft, step.id, failed(failureOf(step.id, 'shared-effect', 'shared-effect', message)));
}

/** A settled row tells what it told before; an open one goes on. */
function replay(draft: Draft, step: CallStep, known: Effect): void {
  if (!isSettled(known.state)) return;
  draft.enqueue(effectSettled(draft, step.id, stepOutcomeOf(known)), {
    type: 'effect',
    id: `${known.key}:settled`,
    step: known.step,
  });
}

/** Only the request that people said yes to is sent; any other is the failure `unauthorized` and never leaves (A04). */
function enterAuthorized(draft: Draft, step: CallStep, wanted: Effect, data: RunData): void {
  const known = draft.effects.get(wanted.key);
  if (known !== undefined) {
    enterAsked(draft, step, { wanted, known });
    return;
  }
  const approval = approvedBefore(draft, wanted);
  if (approval === null) {
    failUnauthorized(draft, step);
    return;
  }
  const edited = targetOf(approval, step.id)?.edited;
  const again = (request: string): Effect =>
    prepareCall(draft, { step, data, frames: wanted.frames, state: 'AUTHORIZED', edited: withIn(request) });
  const asked = edited === undefined ? wanted : atEntry(draft, step.id, () => again(edited.request));
  if (asked !== null) draft.putEffect({ ...asked, approvalId: approval.approvalId });
}

function enterAsked(draft: Draft, step: CallStep, { wanted, known }: { wanted: Effect; known: Effect }): void {
  const isTaken = known.state === 'CANCELLED';
  const isApproved = !isTaken && known.approvalId !== null && shownHash(draft, known) === wanted.requestHash;
  if (isApproved) {
    replay(draft, step, known);
    return;
  }
  if (isOpen(known.state)) draft.putEffect(cancelEffect(known, draft.atMs));
  failUnauthorized(draft, step);
}

function failUnauthorized(draft: Draft, step: CallStep): void {
  const message = `the request is not the one that ${String(authorOf(step.authorizedBy))} approved`;
  enqueueSettled(draft, step.id, failed(failureOf(step.id, 'unauthorized', 'unauthorized', message)));
}

/** A person's redo of the very request that was approved needs no second approval; another visit of the step does. */
function approvedBefore(draft: Draft, wanted: Effect): Approval | null {
  if (wanted.ingredients.generation === 0) return null;
  const before = forwardRows(draft).find(
    (row) =>
      row.step === wanted.step && sameFrames(row.frames, wanted.frames) && shownHash(draft, row) === wanted.requestHash,
  );
  return (before === undefined ? undefined : approvalOf(draft, before)) ?? null;
}

function approvalOf(draft: Draft, { approvalId }: Effect): Approval | undefined {
  return approvalId === null ? undefined : draft.approvals.get(approvalId);
}

function targetOf({ authorizes }: Approval, step: string): AuthorizedRequest | undefined {
  return authorizes.find((target) => target.step === step);
}

/** The request that was shown to people before a form changed it; a row that nobody edited is what was shown. */
function shownHash(draft: Draft, row: Effect): string {
  const approval = approvalOf(draft, row);
  const target = approval === undefined ? undefined : targetOf(approval, row.step);
  return target?.edited?.requestHash === row.requestHash ? target.requestHash : row.requestHash;
}

/** One key, two requests: nothing is sent until a person has looked (E02). @param why whose request the other is. */
export function openConflict(draft: Draft, step: CallStep, known: Effect, why: string): void {
  draft.openIncident({
    id: `conflict:${known.key}`,
    kind: 'conflict',
    step: step.id,
    effectKey: null,
    message: `PAWL_EFFECT_CONFLICT: ${why}`,
    from: OPERATORS,
    acts: actsNow(draft, ['compensate', 'terminate']),
  });
}

/** A read has no row: its progress is the run's own note, and the end of the decision asks. */
function enterRead(draft: Draft, step: CallStep, data: RunData): void {
  if (atEntry(draft, step.id, () => prepareRead(draft, step, data)) === null) return;
  const serial = ownValue(draft.control.reads, step.id)?.serial ?? 0;
  const progress = { attempts: 0, firstAtMs: draft.atMs, notBeforeMs: draft.atMs, serial, closed: false };
  draft.setControl({ reads: { ...draft.control.reads, [step.id]: progress } });
}
