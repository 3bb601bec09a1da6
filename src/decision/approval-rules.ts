import type { Approval, Vote } from '../model/approval.ts';
import type { Json } from '../model/json.ts';

/** What the id of an approval begins with that a compensation waits for; an id of a step has no colon. */
export const UNDO_APPROVAL = 'undo:';

/** Whether a compensation waits for it, and no step (R23). */
export function isUndoApproval({ approvalId }: Pick<Approval, 'approvalId'>): boolean {
  return approvalId.startsWith(UNDO_APPROVAL);
}

/** Name of the timer by which an approval expires; of one step many undos may wait at once. */
export function expiryTimer(approval: Pick<Approval, 'approvalId' | 'step'>): string {
  return `${isUndoApproval(approval) ? approval.approvalId : approval.step}:expires`;
}

/** Who may vote at all: named in `from` by name or by a role held when the vote arrived (A02). */
export function isEligible(approval: Approval, principal: string, roles: readonly string[]): boolean {
  return approval.from.some((entry) => entry === `user:${principal}` || roles.some((role) => entry === `role:${role}`));
}

/** Who may not, whatever their roles (A03). */
export function isExcepted(approval: Approval, principal: string): boolean {
  return approval.except.includes(principal) || approval.except.includes(`user:${principal}`);
}

/** What the votes come to: distinct people count (A02), and a quorum that can no longer be met is a denial (A05). */
export function tally(approval: Approval): 'open' | 'approved' | 'denied' {
  const approvals = peopleWho(approval.votes, 'approve').size;
  if (approvals >= approval.quorum) return 'approved';
  if (peopleWho(approval.votes, 'deny').size >= approval.denials) return 'denied';
  const left = peopleLeft(approval);
  return left !== null && approvals + left < approval.quorum ? 'denied' : 'open';
}

function peopleWho(votes: readonly Vote[], decision: Vote['decision']): ReadonlySet<string> {
  return new Set(votes.filter((vote) => vote.decision === decision).map((vote) => vote.principal));
}

/** How many people can still vote; null when a role is among them, because nobody knows who holds it. */
function peopleLeft(approval: Approval): number | null {
  if (!approval.from.every((entry) => entry.startsWith('user:'))) return null;
  const voted = new Set(approval.votes.map((vote) => vote.principal));
  const people = new Set(approval.from.map((entry) => entry.slice('user:'.length)));
  return [...people].filter((person) => !voted.has(person) && !isExcepted(approval, person)).length;
}

/** The decision as it is told to whoever asks or comes late. */
export function decisionOf(approval: Approval): Json {
  return {
    approvalId: approval.approvalId,
    decision: approval.state,
    decidedAtMs: approval.decidedAtMs,
    votes: votesOf(approval),
  };
}

/** The votes as authors and people see them. */
export function votesOf(approval: Approval): Json {
  return approval.votes.map(({ principal, decision, comment, atMs, form }) => ({
    principal,
    decision,
    comment,
    at: new Date(atMs).toISOString(),
    ...(form === undefined ? {} : { form }),
  }));
}

/** What whoever approved has filled in; null where there is no form, or nobody did. */
export function formOf(approval: Approval): Json {
  return approval.votes.find(({ decision }) => decision === 'approve')?.form ?? null;
}
