import type { Approval, Vote } from '../model/approval.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import { decisionOf, isEligible, isExcepted, tally } from './approval-rules.ts';
import { approvalOutcome, closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { feed } from './kernel-loop.ts';
import { stepSettled } from './settle-step.ts';

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
    draft.answer(event, 'already-decided', { code: 'decided', detail: decisionOf(approval) });
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
  count(draft, event, { approval, vote });
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
  const isSame = own.decision === vote.decision && own.subjectHash === vote.subjectHash;
  const detail = decisionOf(approval);
  const cameToNothing = approval.state === 'cancelled' || approval.state === 'expired';
  if (isSame && !cameToNothing) draft.answer(event, 'duplicate', { detail });
  else draft.answer(event, 'already-decided', { code: isSame ? 'decided' : 'voted', detail });
}

function count(draft: Draft, event: InboxEvent, given: { approval: Approval; vote: VotePayload }): void {
  const { principal, decision, subjectHash, roles, comment } = given.vote;
  const vote: Vote = { principal, decision, subjectHash, roles, comment, atMs: event.receivedAtMs };
  const voted: Approval = { ...given.approval, votes: [...given.approval.votes, vote] };
  draft.addVote(voted.approvalId, vote);
  draft.addAudit({
    actor: principal,
    act: decision,
    target: voted.approvalId,
    reason: comment,
    detail: { subjectHash },
  });
  const state = tally(voted);
  if (state === 'open') {
    draft.putApproval(voted);
    draft.answer(event, 'applied', { detail: decisionOf(voted) });
    return;
  }
  const closed = closeApproval(draft, voted, state);
  draft.answer(event, 'applied', { detail: decisionOf(closed) });
  const cause = { type: 'vote', id: `${event.source}/${event.eventId}`, step: closed.step };
  feed(draft, stepSettled(draft, closed.step, approvalOutcome(closed)), cause);
}
