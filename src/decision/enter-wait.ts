import type { WaitStep } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { atEntry, enqueueSettled } from './settle-step.ts';
import { scopeAt } from './step-scope.ts';
import { templateFault } from './template-fault.ts';
import { durationOf, instantOf } from '../model/time-values.ts';

/** Sleeps until an instant that is fixed now, once; an instant that has passed is settled in the same commit. */
export function enterWait(draft: Draft, step: WaitStep, data: RunData): void {
  const at = scopeAt(draft, step.id, data);
  const { evaluator } = draft.ctx.compiled;
  const value = atEntry(draft, step.id, () => ({
    rendered: evaluator.render(step.wait.kind === 'for' ? step.wait.duration : step.wait.instant, at.site, at.scope),
  }));
  if (value === null) return;
  const dueAtMs = atEntry(draft, step.id, () => dueOf(draft, step, value.rendered));
  if (dueAtMs === null) return;
  if (dueAtMs > draft.atMs) {
    draft.setTimer(`${step.id}:wait`, dueAtMs);
    return;
  }
  enqueueSettled(draft, step.id, { ok: true, output: firedOutput(draft.atMs, draft.atMs - dueAtMs), attempts: 0 });
}

/** @throws PAWL_EXPRESSION_FAULT for a value that is no time, told by its expression, the value and what is wrong with it. */
function dueOf(draft: Draft, { wait }: WaitStep, value: Json): number {
  const isFor = wait.kind === 'for';
  const found = isFor ? durationOf(value) : instantOf(value);
  if ('why' in found) throw templateFault(isFor ? wait.duration : wait.instant, `this gave no time: ${found.why}`);
  return isFor ? draft.atMs + found.ms : found.ms;
}

/** A wait that goes on within this time after it was due is on time: no wake-up comes to the millisecond. */
const LATE_AFTER_MS = 1_000;

/**
 * The output of a wait, `{firedAt, late}`.
 * @param firedAtMs the instant that was waited for (of one that had passed at entry, the entry): a recorded time, epoch
 *   milliseconds, which expressions see as a timestamp.
 * @param behindMs how long after that instant it was applied; `late` is true beyond one second.
 */
export function firedOutput(firedAtMs: number, behindMs: number): Json {
  return { firedAt: firedAtMs, late: behindMs > LATE_AFTER_MS };
}
