import type { Approval, AuthorizedRequest } from '../model/approval.ts';
import type { Effect } from '../model/effect.ts';
import type { StepOutcome } from '../model/kernel.ts';
import type { Failure } from '../model/run.ts';
import { bornAuthorized, formAsked } from './approval-form.ts';
import { expiryTimer, formOf, isUndoApproval, votesOf } from './approval-rules.ts';
import type { Draft } from './draft.ts';
import { authorizeEffect } from './request-effect.ts';
import { failed, failureOf } from './settle-step.ts';
import { cancelEffect, refuseEffect } from './withdraw-effect.ts';

/** How an approval can be over. */
export type ApprovalEnd = 'approved' | 'denied' | 'expired' | 'cancelled';

/** Ends an approval, and with it says yes or no to the effects that it was asked about, in one commit (A05). */
export function closeApproval(draft: Draft, approval: Approval, state: ApprovalEnd): Approval {
  const closed: Approval = { ...approval, state, decidedAtMs: draft.atMs };
  draft.putApproval(closed);
  const timer = expiryTimer(approval);
  if (draft.timers.has(timer)) draft.clearTimer(timer);
  const hasForm = formAsked(draft, approval).form !== undefined;
  for (const target of approval.authorizes) {
    const known = draft.effects.get(target.effectKey);
    if (known !== undefined) answerRow(draft, known, { approval: closed, target });
    else if (hasForm && state === 'approved') bear(draft, closed, target);
  }
  return closed;
}

/** With a form the request is known only now. */
function bear(draft: Draft, approval: Approval, target: AuthorizedRequest): void {
  const born = bornAuthorized(draft, approval, target);
  if (born !== null) draft.putEffect(born);
}

/**
 * The answer to whoever was asked last is for a row that an earlier visit has left, too: a no takes back the yes of before, and
 * a yes to another request than the row's can authorize neither (A04).
 */
function answerRow(
  draft: Draft,
  row: Effect,
  { approval, target }: { readonly approval: Approval; readonly target: AuthorizedRequest },
): void {
  const isAsked = (target.edited ?? target).requestHash === row.requestHash;
  const isYes = approval.state === 'approved' && isAsked;
  if (row.state === 'AUTHORIZED' && !isYes) draft.putEffect(cancelEffect(row, draft.atMs));
  // Whose turn it is to be undone says the plan, which follows (R01).
  if (row.state !== 'PROPOSED' || (isYes && isUndoApproval(approval))) return;
  draft.putEffect(decided(row, approval, isYes, draft.atMs));
}

function decided(effect: Effect, approval: Approval, isYes: boolean, nowMs: number): Effect {
  const { approvalId, state, title } = approval;
  if (isYes) return authorizeEffect(effect, approvalId);
  if (state === 'denied' || state === 'expired')
    return refuseEffect(effect, { code: state, class: state, message: `"${title}" was not approved`, nowMs });
  return cancelEffect(effect, nowMs);
}

/** What a decided approval means to its step. */
export function approvalOutcome(approval: Approval): StepOutcome {
  const votes = votesOf(approval);
  if (approval.state === 'approved')
    return { ok: true, output: { decision: 'approved', votes, form: formOf(approval) }, attempts: 0 };
  const isExpired = approval.state === 'expired';
  const failure: Failure = isExpired
    ? failureOf(approval.step, 'expired', 'expired', `nobody decided "${approval.title}" in time`)
    : failureOf(approval.step, 'denied', 'denied', `"${approval.title}" was denied`);
  return failed({ ...failure, data: { approvalId: approval.approvalId, votes } });
}
