import type { Approval, AuthorizedRequest } from '../model/approval.ts';
import type { ApproveStep, CallStep, Template } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { RunData } from '../model/run.ts';
import { approvalIdOf } from './approval-id.ts';
import { tally } from './approval-rules.ts';
import { approvalOutcome, closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { armReminder } from './remind.ts';
import { prepareCall } from './prepare-call.ts';
import { atEntry, enqueueSettled, failed, failureOf } from './settle-step.ts';
import { withdrawUnsent } from './step-effects.ts';
import { framesAt, framesAhead, scopeAt } from './step-scope.ts';
import { type VotingFault, votersOf } from './voting.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** What an approval will be, or why it cannot be asked. */
type Asked = { readonly approval: Approval; readonly targets: readonly Effect[] } | VotingFault;

/** Asks people, once per visit of the step (A01): subject, requests of what they authorize, and the hash of both (A04). */
export function enterApprove(draft: Draft, step: ApproveStep, data: RunData): void {
  const approvalId = approvalIdOf(authorOf(step.id), framesAt(draft, step.id, data));
  const known = draft.approvals.get(approvalId);
  const asked = atEntry(draft, step.id, () => ask(draft, { step, data, approvalId }));
  if (asked === null) return;
  if ('fault' in asked) {
    enqueueSettled(draft, step.id, failed(failureOf(step.id, 'expression', 'expression', asked.fault)));
    return;
  }
  if (known !== undefined && isDecided(known)) {
    enqueueSettled(draft, step.id, approvalOutcome(known));
    return;
  }
  const approval = known === undefined ? asked.approval : reopen(known, asked.approval);
  draft.putApproval(approval);
  withdrawEarlier(draft, approval);
  if (known === undefined)
    for (const target of asked.targets) if (!draft.effects.has(target.key)) draft.putEffect(target);
  if (approval.expiresAtMs !== null) draft.setTimer(`${step.id}:expires`, approval.expiresAtMs);
  armReminder(draft, step, approval);
  if (step.timeoutMs !== null) draft.setTimer(`${step.id}:timeout`, draft.atMs + step.timeoutMs);
  const state = tally(approval);
  if (state !== 'open') enqueueSettled(draft, step.id, approvalOutcome(closeApproval(draft, approval, state)));
}

/** What people said yes to in an earlier visit and nobody has sent is theirs no more: they are asked anew (A04). */
function withdrawEarlier(draft: Draft, { authorizes }: Approval): void {
  const asked = authorizes.map(({ effectKey }) => effectKey);
  for (const { step } of authorizes) withdrawUnsent(draft, step, asked);
}

function isDecided(approval: Approval): boolean {
  return approval.state === 'approved' || approval.state === 'denied' || approval.state === 'expired';
}

/** Held at its expiry and let go on by a person: the same question and votes, with a new time to answer in. */
function reopen(known: Approval, asked: Approval): Approval {
  return { ...known, step: asked.step, state: 'open', decidedAtMs: null, expiresAtMs: asked.expiresAtMs };
}

interface Asking {
  readonly step: ApproveStep;
  readonly data: RunData;
  readonly approvalId: string;
}

function ask(draft: Draft, asking: Asking): Asked {
  const { step, data, approvalId } = asking;
  const at = scopeAt(draft, step.id, data);
  const render = (template: Template): Json => draft.ctx.compiled.evaluator.render(template, at.site, at.scope);
  const voters = votersOf(step, render);
  if ('fault' in voters) return voters;
  const { expiresMs, ...asked } = voters;
  const targets = targetsOf(draft, step).map((target) => proposeTarget(draft, asking, target));
  const effects = targets.map(({ shown }) => shown);
  const subject: Json = { subject: step.subject === null ? null : render(step.subject), effects };
  const approval: Approval = {
    ...asked,
    approvalId,
    step: step.id,
    state: 'open',
    subject,
    subjectHash: hashJson(subject),
    authorizes: targets.map(({ authorized }) => authorized),
    askedAtMs: draft.atMs,
    expiresAtMs: expiresMs === null ? null : draft.atMs + expiresMs,
    onExpire: step.onExpire,
    votes: [],
    decidedAtMs: null,
  };
  // With a form the request is known only when somebody has filled it in: its row is born with the yes.
  return { approval, targets: step.form === undefined ? targets.map(({ effect }) => effect) : [] };
}

/** The calls that wait for this approval, in the order of the file. */
function targetsOf(draft: Draft, step: ApproveStep): readonly CallStep[] {
  return [...draft.ctx.compiled.copies.values()].filter(
    (known): known is CallStep => known.verb === 'call' && known.authorizedBy === step.id,
  );
}

interface Target {
  readonly effect: Effect;
  readonly authorized: AuthorizedRequest;
  readonly shown: Json;
}

/** The request is computed now, from what is known now; that is what people see and what their yes is bound to (A04). */
function proposeTarget(draft: Draft, asking: Asking, target: CallStep): Target {
  const frames = framesAhead(draft, asking.step.id, target.id, asking.data);
  const effect = prepareCall(draft, { step: target, data: asking.data, frames, state: 'PROPOSED' });
  return {
    effect,
    authorized: {
      step: target.id,
      effectKey: effect.key,
      action: target.action,
      request: effect.request,
      requestHash: effect.requestHash,
    },
    shown: { step: effect.step, action: target.action, request: JSON.parse(effect.request) as Json },
  };
}
