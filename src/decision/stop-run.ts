import type { Ending, Failure } from '../model/run.ts';
import type { Cause, Draft } from './draft.ts';
import { followOrder } from './follow-order.ts';

/** Who stops a run and how it is to end. */
export interface Stop {
  readonly kind: Extract<Ending['kind'], 'cancelled' | 'terminated' | 'ordered'>;
  readonly by: string;
  readonly reason: string;
}

/** Puts the end of forward work into line, by a person's cancel. */
export function stopRun(draft: Draft, stop: Stop & { readonly kind: 'cancelled' }, cause: Cause): void {
  followOrder(draft, { act: 'cancel', by: stop.by, reason: stop.reason });
  draft.enqueue({ type: 'run.stopped', ending: endingOf(draft, stop), atMs: draft.atMs }, cause);
}

/** The end that a person's word leads to; an order keeps the failure that it answers, if there is one. */
export function endingOf(draft: Draft, stop: Stop): Ending {
  return { kind: stop.kind, as: null, output: null, failure: failureOf(draft, stop) };
}

function failureOf(draft: Draft, stop: Stop): Failure {
  const { failing } = draft.snapshot.data;
  if (stop.kind === 'ordered' && failing !== null) return failing;
  return { code: stop.kind, class: 'cancelled', message: stop.reason, step: null, data: null, cause: failing };
}
