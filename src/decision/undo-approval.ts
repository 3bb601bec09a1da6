import type { Approval } from '../model/approval.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { expiryTimer, tally, UNDO_APPROVAL } from './approval-rules.ts';
import { closeApproval } from './close-approval.ts';
import type { Draft } from './draft.ts';
import { approvalIdOf } from './approval-id.ts';
import { authorizeEffect } from './request-effect.ts';
import { askUndo, isShared } from './share-effect.ts';
import { undoVoters } from './undo-voters.ts';
import type { Voters } from './voting.ts';

/**
 * A compensation's turn has come: it may be requested, or waits PROPOSED until people have agreed to its request (R23). They
 * are asked once; who has agreed to the very same request before a refusal is not asked again.
 * @returns whether it is settled already: of people who may not vote nobody can agree.
 */
export function authorizeUndo(draft: Draft, key: EffectKey): boolean {
  const row = draft.effectOf(key);
  const forward = forwardOf(draft, row);
  const voters = undoVoters(draft.ctx.compiled, draft.base.run, forward);
  const given = voters === null ? null : approvalGiven(draft, row, forward);
  if (voters === null || given !== null) {
    const approvalId = given?.approvalId ?? null;
    if (isShared(forward)) askUndo(draft, row, forward, approvalId);
    else draft.putEffect(authorizeEffect(row, approvalId));
    return false;
  }
  invariant(!('fault' in voters), 'who agrees to an undo was computed with its plan', { key });
  if (draft.approvals.has(undoApprovalId(forward, row.ingredients.generation))) return false;
  return ask(draft, { row, forward, voters }) !== 'open';
}

/** The approval of this request: for this row, or for one before it that the provider refused; what was withdrawn asks anew. */
function approvalGiven(draft: Draft, row: Effect, forward: Effect): Approval | null {
  for (let generation = row.ingredients.generation; generation >= 0; generation -= 1) {
    const known = draft.approvals.get(undoApprovalId(forward, generation));
    const [asked] = known?.authorizes ?? [];
    const isHeld = asked?.effectKey === row.key || draft.effects.get(asked?.effectKey as EffectKey)?.state === 'FAILED';
    if (known?.state === 'approved' && isHeld) return known;
  }
  return null;
}

interface AskedUndo {
  readonly row: Effect;
  readonly forward: Effect;
  readonly voters: Voters;
}

/** People see what was done and exactly what will be sent; that is what their yes is bound to (A04). */
function ask(draft: Draft, { row, forward, voters }: AskedUndo): Approval['state'] {
  const { expiresMs, ...asked } = voters;
  const { key: effectKey, step, action, request, requestHash } = row;
  const shown: Json = { step, action, request: JSON.parse(request) as Json };
  const subject: Json = { subject: { undoes: step, action: forward.action }, effects: [shown] };
  const approval: Approval = {
    ...asked,
    approvalId: undoApprovalId(forward, row.ingredients.generation),
    step,
    state: 'open',
    subject,
    subjectHash: hashJson(subject),
    authorizes: [{ step, effectKey, action, request, requestHash }],
    askedAtMs: draft.atMs,
    expiresAtMs: expiresMs === null ? null : draft.atMs + expiresMs,
    onExpire: 'deny',
    votes: [],
    decidedAtMs: null,
  };
  draft.putApproval(approval);
  if (approval.expiresAtMs !== null) draft.setTimer(expiryTimer(approval), approval.expiresAtMs);
  const state = tally(approval);
  return state === 'open' ? state : closeApproval(draft, approval, state).state;
}

/** Stable name: what it undoes in which visit, which try of that, and which try of the undo (A01). */
function undoApprovalId(forward: Effect, generation: number): string {
  const tries = [forward.ingredients.generation, generation];
  const which = tries.some((no) => no > 0) ? `~${tries.join('.')}` : '';
  return `${UNDO_APPROVAL}${approvalIdOf(forward.step, forward.frames)}${which}`;
}

function forwardOf(draft: Draft, { compensates, key }: Effect): Effect {
  invariant(compensates !== null, 'a plan names a row that is no compensation', { key });
  return draft.effectOf(compensates);
}
