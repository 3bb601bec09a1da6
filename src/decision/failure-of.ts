import type { Effect } from '../model/effect.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Failure } from '../model/run.ts';
import type { FailureClass } from '../model/statuses.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** The class under which an outcome that is no success can be caught or retried. */
export function failureClassOf(outcome: Pick<Outcome, 'kind' | 'code' | 'class'>): FailureClass {
  if (outcome.class !== undefined) return outcome.class;
  if (outcome.code === 'unreadable') return 'unreadable';
  if (outcome.kind === 'pending' || outcome.kind === 'confirmed') return 'unknown';
  return outcome.kind;
}

/** The code of an outcome; one without a code is called by its kind. */
export function codeOf(outcome: Pick<Outcome, 'kind' | 'code'>): string {
  return outcome.code ?? outcome.kind;
}

/** An outcome that is no success as authors see it in `failure`. */
export function failureOf(effect: Pick<Effect, 'step'>, outcome: Outcome): Failure {
  return {
    code: codeOf(outcome),
    class: failureClassOf(outcome),
    message: outcome.message,
    step: authorOf(effect.step),
    data: outcome.output ?? null,
    cause: null,
  };
}
