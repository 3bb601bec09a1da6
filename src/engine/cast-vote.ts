import { authorOf } from '../machine/lane-steps.ts';
import type { Approval } from '../model/approval.ts';
import { ConflictError, NotFoundError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { LinkName } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { approvalLink, stepOfLink } from '../model/link.ts';
import type { RunIdentity } from '../model/run.ts';
import { DECISION_WAIT_MS, type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** A person's answer to an approval. */
export interface VoteAsk {
  /**
   * The approval or its step; null = the only open one. The id of a step's first approval is the step's own name: with the
   * hash that it showed, it alone is meant, however often the step has asked since.
   */
  readonly approval: string | null;
  /** The approval that an address leads to, instead of its name; absent = there is none. */
  readonly link?: LinkName;
  readonly decision: 'approve' | 'deny';
  /** The hash of what the person saw (A04); null = what stands there now. */
  readonly subjectHash: string | null;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly comment: string | null;
  /** What the person fills in; absent = nothing. */
  readonly form?: Json;
}

function named(approvals: readonly Approval[], name: string): Approval | undefined {
  return (
    approvals.find((approval) => approval.approvalId === name) ??
    approvals.filter((approval) => authorOf(approval.step) === name).at(-1)
  );
}

/** @throws PAWL_APPROVAL_NOT_FOUND where nobody has been asked yet. */
function linked(run: RunIdentity, approvals: readonly Approval[], link: LinkName): Approval {
  const found = approvals.find(({ step, approvalId }) => approvalLink(authorOf(step), approvalId) === link);
  if (found !== undefined) return found;
  const step = stepOfLink(link);
  throw new NotFoundError('PAWL_APPROVAL_NOT_FOUND', `run ${run.key} has not asked for ${step} yet`, {
    runId: run.runId,
    approval: step,
  });
}

function choose(
  run: RunIdentity,
  approvals: readonly Approval[],
  { approval: name, link, subjectHash }: Pick<VoteAsk, 'approval' | 'link' | 'subjectHash'>,
): Approval {
  if (link !== undefined) return linked(run, approvals, link);
  const open = approvals.filter((approval) => approval.state === 'open' || approval.state === 'held');
  if (name !== null) {
    const seen = approvals.find((approval) => approval.approvalId === name && approval.subjectHash === subjectHash);
    const found = seen ?? named(open, name) ?? named(approvals, name);
    if (found !== undefined) return found;
    throw new NotFoundError('PAWL_APPROVAL_NOT_FOUND', `run ${run.key} has no approval ${name}`, {
      runId: run.runId,
      approval: name,
    });
  }
  const only = open.length > 0 ? open : approvals;
  if (only.length === 1 && only[0] !== undefined) return only[0];
  if (only.length === 0)
    throw new NotFoundError('PAWL_APPROVAL_NOT_FOUND', `run ${run.key} asks for no approval`, { runId: run.runId });
  throw new ConflictError(
    'PAWL_RUN_AMBIGUOUS',
    `run ${run.key} has ${only.length} approvals; name one: ${only.map((one) => one.approvalId).join(', ')}`,
    {
      approvals: only.map((one) => one.approvalId),
    },
  );
}

/**
 * Casts a vote: stored as an inbox row under an id made of who, what, with which roles and in which time to answer, so that
 * the same vote again finds the first (A02, A05), and whoever came too late is heard when a person has asked again. The
 * run's decider says what becomes of it. Transaction: opens its own.
 * @throws PAWL_RUN_NOT_FOUND, PAWL_APPROVAL_NOT_FOUND, PAWL_RUN_AMBIGUOUS, PAWL_VALUE_NOT_STORABLE.
 */
export async function castVote(engine: Engine, door: Door, run: RunIdentity, ask: VoteAsk): Promise<Delivered> {
  const { stored } = await loadStored(engine, run);
  const approval = choose(run, stored.approvals, ask);
  const { decision, principal, comment, form } = ask;
  refuseUnstorable('the vote', { principal, comment, form: form ?? null });
  const roles = [...ask.roles].sort();
  const subjectHash = ask.subjectHash ?? approval.subjectHash;
  const filled = form === undefined ? [] : [form];
  return deliverEvent(engine, door, {
    run,
    source: `vote:${approval.approvalId}`,
    eventId: hashJson([principal, decision, subjectHash, roles, comment, approval.expiresAtMs, ...filled]).slice(0, 32),
    payload: {
      type: 'vote',
      approvalId: approval.approvalId,
      decision,
      subjectHash,
      principal,
      roles,
      comment,
      ...(form === undefined ? {} : { form }),
    },
    waitMs: DECISION_WAIT_MS,
  });
}
