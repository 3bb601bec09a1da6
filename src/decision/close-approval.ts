import type { Approval } from '../model/approval.ts';
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
    const born = hasForm && state === 'approved' ? bornAuthorized(draft, closed, target) : null;
    if (born !== null) draft.putEffect(born);
    const effect = draft.effects.get(target.effectKey);
    if (effect === undefined || effect.state !== 'PROPOSED') continue;
    // Whose turn it is to be undone says the plan, which follows (R01).
    if (state === 'approved' && isUndoApproval(approval)) continue;
    draft.putEffect(decided(effect, approval, state, draft.atMs));
  }
  return closed;
}

function decided(effect: Effect, approval: Approval, state: ApprovalEnd, nowMs: number): Effect {
  if (state === 'approved') return authorizeEffect(effect, approval.approvalId);
  if (state === 'cancelled') return cancelEffect(effect, nowMs);
  return refuseEffect(effect, { code: state, class: state, message: `"${approval.title}" was not approved`, nowMs });
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
