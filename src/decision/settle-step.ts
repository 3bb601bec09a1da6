import type { KernelEvent, StepOutcome } from '../model/kernel.ts';
import type { Failure } from '../model/run.ts';
import type { FailureClass } from '../model/statuses.ts';
import type { Draft } from './draft.ts';
import { orFault } from './faults.ts';
import { holdsFailures } from './pivot.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** What a step without an effect of its own came to. */
export function stepSettled(draft: Draft, step: string, outcome: StepOutcome): KernelEvent {
  return { type: 'step.settled', step, outcome, atMs: draft.atMs, hold: holdsFailures(draft) };
}

/** The one event by which an effect moves its run (E09). */
export function effectSettled(draft: Draft, step: string, outcome: StepOutcome): KernelEvent {
  return { type: 'effect.settled', step, outcome, atMs: draft.atMs, hold: holdsFailures(draft) };
}

/** A failure of a step. */
export function failureOf(step: string | null, code: string, failureClass: FailureClass, message: string): Failure {
  return { code, class: failureClass, message, step: authorOf(step), data: null, cause: null };
}

/** The outcome that a failure is, after so many attempts. */
export function failed(failure: Failure, attempts = 0): StepOutcome {
  return { ok: false, failure, attempts };
}

/** Puts a step's own answer into line: it is known at once, so it belongs to the same commit. */
export function enqueueSettled(draft: Draft, step: string, outcome: StepOutcome): void {
  draft.enqueue(stepSettled(draft, step, outcome), { type: 'step', id: step, step: authorOf(step) });
}

/**
 * Runs what belongs to a step's entry; an expression that cannot be computed is the failure `expression` of that step.
 * @returns null when it failed so.
 * @throws whatever is not an expression's fault.
 */
export function atEntry<Value>(draft: Draft, step: string, compute: () => Value): Value | null {
  return orFault(compute, (message) => {
    enqueueSettled(draft, step, failed(failureOf(step, 'expression', 'expression', message)));
    return null;
  });
}
