import type { Approval, Vote } from '../model/approval.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { advancePlan } from './advance-plan.ts';
import { editRequests, fillForm, formAsked, type FormFault } from './approval-form.ts';
import { decisionOf, isEligible, isExcepted, isUndoApproval, tally } from './approval-rules.ts';
import { approvalOutcome, closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { orFault } from './faults.ts';
import { feed } from './kernel-loop.ts';
import { stepSettled } from './settle-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

type VotePayload = Extract<InboxPayload, { type: 'vote' }>;

/**
 * A vote: one per person, with the roles held when it arrived (A02), bound to the hash of what was shown (A04). The vote
 * that decides moves the run and authorizes the target in the same commit (A05).
 */
export function onVote(draft: Draft, event: InboxEvent, vote: VotePayload): void {
  const approval = draft.approvals.get(vote.approvalId);
  if (approval === undefined) {
    draft.answer(event, 'refused', { code: 'not-found', detail: { approvalId: vote.approvalId } });
    return;
  }
  const own = approval.votes.find((known) => known.principal === vote.principal);
  if (own !== undefined) {
    answerAgain(draft, event, { approval, own, vote });
    return;
  }
  if (approval.state !== 'open') {
    draft.answer(event, 'already-decided', { code: overCode(approval), detail: decisionOf(approval) });
    return;
  }
  if (isExcepted(approval, vote.principal)) {
    draft.answer(event, 'refused', {
      code: 'except',
      detail: { rule: 'A03', principal: vote.principal, except: [...approval.except] },
    });
    return;
  }
  if (!isEligible(approval, vote.principal, vote.roles)) {
    draft.answer(event, 'refused', {
      code: 'not-eligible',
      detail: { rule: 'A02', principal: vote.principal, from: [...approval.from] },
    });
    return;
  }
  if (vote.subjectHash !== approval.subjectHash) {
    draft.answer(event, 'stale', {
      code: 'subject',
      detail: { rule: 'A04', subjectHash: approval.subjectHash },
    });
    return;
  }
  const filled = fill(draft, approval, vote);
  if ('message' in filled) draft.answer(event, 'refused', { code: 'form', detail: { rule: 'A04', ...filled } });
  else count(draft, event, filled);
}

/** The approval as this vote would make it, and the vote; or why what it fills in is not taken. */
function fill(
  draft: Draft,
  approval: Approval,
  vote: VotePayload,
): { readonly approval: Approval; readonly vote: VotePayload } | FormFault {
  const filled = fillForm(formAsked(draft, approval), vote);
  if ('message' in filled) return filled;
  const { form } = filled;
  if (form === undefined) return { approval, vote };
  return orFault(
    () => {
      const authorizes = editRequests(draft, approval, { by: vote.principal, form });
      return { approval: { ...approval, authorizes }, vote: { ...vote, form } };
    },
    (message) => ({ pointer: '', message }),
  );
}

/**
 * The same vote again is answered with the first; another one of the same person is not taken (A05). A vote that came to
 * nothing, because the run ended or nobody else decided in time, is not told again as if it counted.
 */
function answerAgain(
  draft: Draft,
  event: InboxEvent,
  again: { approval: Approval; own: Vote; vote: VotePayload },
): void {
  const { approval, own, vote } = again;
  const isSame = own.decision === vote.decision && own.subjectHash === vote.subjectHash && fillsSame(draft, again);
  const detail = decisionOf(approval);
  const cameToNothing = approval.state === 'cancelled' || approval.state === 'expired';
  if (isSame && !cameToNothing) draft.answer(event, 'duplicate', { detail });
  else draft.answer(event, 'already-decided', { code: isSame ? overCode(approval) : 'voted', detail });
}

/** Whoever comes after the expiry is told that, not that somebody has decided: a run that is held may be asked about again (A06). */
function overCode({ state }: Approval): 'decided' | 'expired' {
  return state === 'expired' || state === 'held' ? 'expired' : 'decided';
}

/** A second answer of one person that fills in something else is another answer. */
function fillsSame(
  draft: Draft,
  { approval, own, vote }: { approval: Approval; own: Vote; vote: VotePayload },
): boolean {
  const filled = fillForm(formAsked(draft, approval), vote);
  if ('message' in filled) return false;
  return canonicalJson(own.form ?? null) === canonicalJson(filled.form ?? null);
}

function count(draft: Draft, event: InboxEvent, given: { approval: Approval; vote: VotePayload }): void {
  const { principal, decision, subjectHash, roles, comment } = given.vote;
  const { form } = given.vote;
  const cast: Vote = { principal, decision, subjectHash, roles, comment, atMs: event.receivedAtMs };
  const vote: Vote = form === undefined ? cast : { ...cast, form };
  const voted: Approval = { ...given.approval, votes: [...given.approval.votes, vote] };
  draft.addVote(voted.approvalId, vote);
  draft.addAudit({
    actor: principal,
    act: decision,
    target: voted.approvalId,
    reason: comment,
    detail: form === undefined ? { subjectHash } : { subjectHash, form },
  });
  const state = tally(voted);
  if (state === 'open') {
    draft.putApproval(voted);
    draft.answer(event, 'applied', { detail: decisionOf(voted) });
    return;
  }
  const closed = closeApproval(draft, voted, state);
  draft.answer(event, 'applied', { detail: decisionOf(closed) });
  if (isUndoApproval(closed)) {
    advancePlan(draft);
    return;
  }
  const cause = { type: 'vote', id: `${event.source}/${event.eventId}`, step: authorOf(closed.step) };
  feed(draft, stepSettled(draft, closed.step, approvalOutcome(closed)), cause);
}
