import { failureView } from '../machine/scope.ts';
import type { CallStep, RetryPolicy } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { JsonObject } from '../model/json.ts';
import type { Failure } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { readRequest } from './effect-key.ts';
import { effectView } from './effect-view.ts';
import { orFault } from './faults.ts';
import { prepareRead } from './prepare-call.ts';
import { scopeAt } from './step-scope.ts';
import { laneStepOf } from './lane-step.ts';

/** Whose retry is asked about: a row of the ledger, or a read, which has none. */
export type Retried =
  | { readonly kind: 'effect'; readonly effect: Effect }
  | { readonly kind: 'read'; readonly step: CallStep };

/**
 * Whether the policy's `when` lets a failure be retried. It sees the flow's roots, `with`, `effect` (not of a read) and
 * `failure`; one that cannot be computed lets nothing be repeated.
 */
export function mayRetry(draft: Draft, policy: RetryPolicy, of: Retried, failure: Failure): boolean {
  const { when } = policy;
  if (when === null) return true;
  const step = of.kind === 'read' ? of.step.id : laneStepOf(draft, of.effect);
  const action = of.kind === 'read' ? of.step.action : of.effect.action;
  const holds = (): boolean => {
    const { scope } = scopeAt(draft, step, draft.snapshot.data);
    const seen = { ...scope, ...rootsOfCall(draft, of), failure: failureView(failure) };
    return draft.ctx.compiled.evaluator.holds(when, { kind: 'retry', action }, seen);
  };
  return orFault(holds, () => false);
}

function rootsOfCall(draft: Draft, of: Retried): JsonObject {
  if (of.kind === 'read') return { with: prepareRead(draft, of.step, draft.snapshot.data).with };
  return { with: readRequest(of.effect).with, effect: effectView(of.effect) };
}
