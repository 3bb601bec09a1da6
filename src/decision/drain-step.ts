import type { Draft } from './draft.ts';
import { effectSettled, failed, failureOf } from './settle-step.ts';
import { hasOpenEffect } from './step-effects.ts';

/** A handler has taken its event: the step's effect settles, without retries. Nothing on its way: it is settled now. */
export function drainStep(draft: Draft, step: string): void {
  if (hasOpenEffect(draft, step)) return;
  const failure = failureOf(step, 'cancelled', 'cancelled', 'an event took the step before anything was sent');
  draft.enqueue(effectSettled(draft, step, failed(failure)), { type: 'step', id: step, step });
}
