import type { Approval } from '../model/approval.ts';
import type { ApproveStep } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Frame } from '../model/effect.ts';
import type { Timer } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { envelopeOf, messageIdOf } from './enter-publish.ts';
import { framesAt } from './step-scope.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** The event that reminds of an approval. */
export const REMINDER = 'approval.reminder';

/** Name of the timer by which people are reminded of an approval. */
export function remindTimer(step: string): string {
  return `${step}:remind`;
}

/** Arms the next reminder: always a whole number of times after the question; those that nobody sent in time are left out. */
export function armReminder(draft: Draft, step: ApproveStep, { askedAtMs }: Pick<Approval, 'askedAtMs'>): void {
  const { remindMs } = step;
  if (remindMs === undefined) return;
  const passed = Math.floor((draft.ctx.nowMs - askedAtMs) / remindMs);
  draft.setTimer(remindTimer(step.id), askedAtMs + (passed + 1) * remindMs);
}

/** A reminder's time has come (A07): one message under a key of its own, and the next one is armed. */
export function remind(draft: Draft, id: string, { dueAtMs }: Pick<Timer, 'dueAtMs'>): void {
  const step = draft.ctx.compiled.step(id);
  const approval = [...draft.approvals.values()].find((known) => known.step === id && known.state === 'open');
  // It was fired while a vote that came before it decided.
  if (approval === undefined) return;
  invariant(step.verb === 'approve' && step.remindMs !== undefined, 'only an approval reminds', { step: id });
  const number = Math.round((dueAtMs - approval.askedAtMs) / step.remindMs);
  sendReminder(draft, approval, { number, frames: framesAt(draft, id, draft.snapshot.data) });
  armReminder(draft, step, approval);
}

function sendReminder(draft: Draft, approval: Approval, of: { number: number; frames: readonly Frame[] }): void {
  const { run } = draft.base;
  const { number, frames } = of;
  const messageId = messageIdOf(run, authorOf(approval.step), frames, `reminder/${number}`);
  const data = {
    approval: approval.approvalId,
    number,
    title: approval.title,
    from: approval.from,
    quorum: approval.quorum,
    votes: approval.votes.length,
    askedAt: new Date(approval.askedAtMs).toISOString(),
    expiresAt: approval.expiresAtMs === null ? null : new Date(approval.expiresAtMs).toISOString(),
  };
  const body = envelopeOf(run, { id: messageId, type: REMINDER, atMs: draft.atMs, data });
  draft.send({ messageId, topic: 'reminder', key: approval.approvalId, step: authorOf(approval.step), frames, body });
}
