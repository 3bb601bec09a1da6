import type { WaitStep } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { atEntry, enqueueSettled, failed, failureOf } from './settle-step.ts';
import { scopeAt } from './step-scope.ts';
import { instantOf, millisecondsOf } from './time-values.ts';

/** Sleeps until an instant that is fixed now, once; an instant that has passed is settled in the same commit. */
export function enterWait(draft: Draft, step: WaitStep, data: RunData): void {
  const at = scopeAt(draft, step.id, data);
  const { evaluator } = draft.ctx.compiled;
  const value = atEntry(draft, step.id, () => ({
    rendered: evaluator.render(step.wait.kind === 'for' ? step.wait.duration : step.wait.instant, at.site, at.scope),
  }));
  if (value === null) return;
  const dueAtMs = dueOf(draft, step, value.rendered);
  if (dueAtMs instanceof RefusedError) {
    enqueueSettled(draft, step.id, failed(failureOf(step.id, 'expression', 'expression', dueAtMs.message)));
    return;
  }
  if (dueAtMs > draft.atMs) {
    draft.setTimer(`${step.id}:wait`, dueAtMs);
    return;
  }
  enqueueSettled(draft, step.id, { ok: true, output: firedOutput(draft.atMs, draft.atMs - dueAtMs), attempts: 0 });
}

function dueOf(draft: Draft, step: WaitStep, value: Json): number | RefusedError {
  const found = step.wait.kind === 'for' ? millisecondsOf(value) : instantOf(value);
  if (found === null) {
    const wanted =
      step.wait.kind === 'for' ? 'a duration of zero or more, as "1h30m"' : 'a timestamp, as "2030-01-31T12:00:00Z"';
    return new RefusedError('PAWL_EXPRESSION_FAULT', `a wait needs ${wanted}`);
  }
  return step.wait.kind === 'for' ? draft.atMs + found : found;
}

/**
 * The output of a wait.
 * @param firedAtMs database time at which it was applied; `lateMs` how long after its due time.
 */
export function firedOutput(firedAtMs: number, lateMs: number): Json {
  return { firedAt: new Date(firedAtMs).toISOString(), late: lateMs > 0 };
}
