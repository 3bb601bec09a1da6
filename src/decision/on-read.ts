import type { CallStep, RetryPolicy } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import { ownValue } from '../model/own-value.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ReadProgress } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { failureOf } from './failure-of.ts';
import { SECRET_MISSING } from './judge-outcome.ts';
import { mayRetry } from './may-retry.ts';
import { nextLookMs } from './missing-secret.ts';
import { roomAtMs } from './retry.ts';
import { UNSENT_WAIT_MS } from './settle-effect.ts';
import { effectSettled, failed } from './settle-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** What a read came to: no ledger row, its result is recorded with the transition; anything but a refusal is asked again. */
export function onRead(draft: Draft, step: string, attempt: number, outcome: Outcome): void {
  const read = ownValue(draft.control.reads, step);
  if (read === undefined || read.closed || read.notBeforeMs !== null || read.serial !== attempt) return;
  const cause = { type: 'read', id: `${step}:read:${attempt}`, step: authorOf(step) };
  if (outcome.kind === 'confirmed') {
    const output = outcome.output ?? null;
    draft.enqueue(effectSettled(draft, step, { ok: true, output, attempts: read.attempts }), cause);
    return;
  }
  if (outcome.kind === 'unavailable' && !outcome.sent) {
    noteRead(draft, step, unaskedRead(draft, step, read, outcome));
    return;
  }
  const atMs = outcome.kind === 'rejected' ? null : nextReadAtMs(draft, step, read, outcome);
  if (atMs !== null) {
    const { lacks, ...asked } = read;
    noteRead(draft, step, { ...asked, notBeforeMs: atMs });
    return;
  }
  draft.enqueue(effectSettled(draft, step, failed(failureOf({ step }, outcome), read.attempts)), cause);
}

/** Nothing left, so it does not count (E05); a missing secret is looked for by the policy's waits. */
function unaskedRead(draft: Draft, step: string, read: ReadProgress, outcome: Outcome): ReadProgress {
  const { code, message, retryAfterMs } = outcome;
  const { lacks, ...asked } = read;
  const leastMs = Math.max(UNSENT_WAIT_MS, retryAfterMs ?? 0);
  const unasked = { ...asked, attempts: read.attempts - 1, notBeforeMs: draft.atMs + leastMs };
  if (code !== SECRET_MISSING) return unasked;
  const tries = (lacks?.tries ?? 0) + 1;
  const waitMs = nextLookMs(policyOfRead(draft, step), tries, `${draft.base.run.runId}:${step}`);
  const notBeforeMs = draft.atMs + Math.max(UNSENT_WAIT_MS, waitMs);
  return { ...unasked, notBeforeMs, lacks: { message, tries } };
}

/** Reading again can do no harm, so the policy's `on` is not asked, only its `when` and whether it has room. */
function nextReadAtMs(draft: Draft, step: string, read: ReadProgress, outcome: Outcome): number | null {
  const { code, retryAfterMs } = outcome;
  const policy = policyOfRead(draft, step);
  const failure = failureOf({ step }, outcome);
  if (!mayRetry(draft, policy, { kind: 'read', step: readingStep(draft, step) }, failure)) return null;
  const seed = `${draft.base.run.runId}:${step}:${read.serial}`;
  const ask = { code, class: outcome.kind, firstAtMs: read.firstAtMs, nowMs: draft.atMs, seed, retryAfterMs };
  return roomAtMs({ ...ask, policy, attempts: read.attempts });
}

function policyOfRead(draft: Draft, id: string): RetryPolicy {
  const { action, retry } = readingStep(draft, id);
  return retry ?? draft.ctx.compiled.action(action).retry;
}

/** The call that a read belongs to. */
export function readingStep(draft: Draft, id: string): CallStep {
  const step = draft.ctx.compiled.step(id);
  invariant(step.verb === 'call', 'only a call reads', { step: id });
  return step;
}

function noteRead(draft: Draft, step: string, read: ReadProgress): void {
  draft.setControl({ reads: { ...draft.control.reads, [step]: read } });
}
