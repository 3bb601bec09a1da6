import { bodiesAround } from '../machine/program.ts';
import type { CallStep, WorkflowDefinition } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Draft } from './draft.ts';
import { compensationOf, compensationPolicy, type EffectPolicy, forwardPolicy } from './effect-policy.ts';
import { laneStepOf } from './lane-step.ts';

/** Whoever knows the version: a policy reads nothing else. */
interface Reading {
  readonly ctx: Pick<Draft['ctx'], 'compiled'>;
}

/** The step that asked for a row, or for the row that it makes amends for. */
export function callStepOf({ ctx }: Reading, effect: Effect): CallStep {
  const step = ctx.compiled.step(effect.step);
  invariant(step.verb === 'call', 'a ledger row belongs to a call', { key: effect.key, step: effect.step });
  return step;
}

/** That step, or its copy in the lane where it is under way. */
export function laneCallOf(draft: Draft, effect: Effect): CallStep {
  return callStepOf(draft, { ...effect, step: laneStepOf(draft, effect) });
}

/** How a step is undone by the innermost scopes around it that say it, else by the document. */
function rulesAround({ ctx: { compiled } }: Reading, step: string): WorkflowDefinition['compensation'] {
  const scopes = bodiesAround(compiled.place(step)).flatMap((id) => {
    const around = compiled.step(id);
    return around.verb === 'scope' && around.compensation !== null ? [around.compensation] : [];
  });
  const { order, onFailure, retry } = compiled.machine.definition.compensation;
  return {
    order,
    onFailure: scopes.findLast((scope) => scope.onFailure !== null)?.onFailure ?? onFailure,
    retry: scopes.findLast((scope) => scope.retry !== null)?.retry ?? retry,
  };
}

/** What is decided about a row beside its contract. */
export function policyOf(reading: Reading, effect: Effect): EffectPolicy {
  const { compiled } = reading.ctx;
  const step = callStepOf(reading, effect);
  const contract = compiled.action(effect.action);
  if (effect.compensates === null) return forwardPolicy(step, contract);
  const compensation = compensationOf(step, compiled.action(step.action));
  invariant(compensation?.kind === 'call', 'a compensation was declared by its step or action', {
    key: effect.key,
    step: step.id,
  });
  return compensationPolicy(compensation, contract, rulesAround(reading, step.id));
}
