import type { CallStep } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Draft } from './draft.ts';
import { compensationOf, compensationPolicy, type EffectPolicy, forwardPolicy } from './effect-policy.ts';

/** The step that asked for a row, or for the row that it makes amends for. */
export function callStepOf(draft: Draft, effect: Effect): CallStep {
  const step = draft.ctx.compiled.step(effect.step);
  invariant(step.verb === 'call', 'a ledger row belongs to a call', { key: effect.key, step: effect.step });
  return step;
}

/** What is decided about a row beside its contract. */
export function policyOf(draft: Draft, effect: Effect): EffectPolicy {
  const { compiled } = draft.ctx;
  const step = callStepOf(draft, effect);
  const contract = compiled.action(effect.action);
  if (effect.compensates === null) return forwardPolicy(step, contract);
  const compensation = compensationOf(step, compiled.action(step.action));
  invariant(compensation?.kind === 'call', 'a compensation was declared by its step or action', {
    key: effect.key,
    step: step.id,
  });
  return compensationPolicy(compensation, contract, compiled.machine.definition.compensation);
}
