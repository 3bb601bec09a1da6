import type { CallStep } from '../model/definition.ts';
import type { Effect, EffectRequest, Frame } from '../model/effect.ts';
import { RefusedError } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunData } from '../model/run.ts';
import { acceptWith } from './accept-with.ts';
import { childBody } from './child-run.ts';
import type { Draft } from './draft.ts';
import { effectKey, forwardIngredients } from './effect-key.ts';
import { queueOf } from './hand-out.ts';
import { linksOf, withLinks } from './link-root.ts';
import { proposeEffect } from './propose-effect.ts';
import { redoOf } from './redo.ts';
import { renderRequest } from './render-request.ts';
import { scopeAt } from './step-scope.ts';
import { noteLane } from './lane-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** What a call is prepared from; everything is evaluated on `data`, the values before the transition. */
export interface CallAsk {
  readonly step: CallStep;
  readonly data: RunData;
  readonly frames: readonly Frame[];
  readonly state: 'PROPOSED' | 'AUTHORIZED';
  /** The `with` that people made of the proposed one; absent = what the step's template gives. */
  readonly edited?: Json;
}

/**
 * The ledger row of a call: `with`, `object`, `intent`, then key, request and hash (rules E01, E02).
 * @throws PAWL_EXPRESSION_FAULT when one of them cannot be computed or `with` does not fit the action's input.
 */
export function prepareCall(draft: Draft, ask: CallAsk): Effect {
  const { step, data, frames } = ask;
  const { compiled } = draft.ctx;
  const { site, scope } = scopeAt(draft, step.id, data);
  const withValue =
    ask.edited === undefined ? withOf(draft, step, data) : acceptWith(compiled.action(step.action), ask.edited);
  const ingredients = forwardIngredients({
    run: draft.base.run,
    ...(step.reach === undefined ? {} : { reach: step.reach }),
    step: authorOf(step.id),
    frames,
    action: step.action,
    object: step.object === null ? null : compiled.evaluator.render(step.object, site, scope),
    intent: step.intent === null ? null : intentText(compiled.evaluator.render(step.intent, site, scope)),
    generation: redoOf(draft.control.redo, authorOf(step.id), frames),
  });
  const plain = requestOf(draft, ask, { with: withValue, key: effectKey(ingredients) });
  const request = step.child === undefined ? plain : { ...plain, body: childBodyOf(draft, ask, withValue) };
  const { pivot } = step;
  noteLane(draft, { key: effectKey(ingredients), frames }, step.id);
  return proposeEffect({
    ingredients,
    step: authorOf(step.id),
    frames,
    request,
    queue: queueOf(draft.ctx.compiled.action(step.action)),
    pivot,
    state: ask.state,
    approvalId: null,
    compensates: null,
  });
}

/** The request of a read: no key, no row. @throws PAWL_EXPRESSION_FAULT as `prepareCall`. */
export function prepareRead(draft: Draft, step: CallStep, data: RunData): EffectRequest {
  return requestOf(draft, { step, data }, { with: withOf(draft, step, data), key: null });
}

function requestOf(
  draft: Draft,
  ask: Pick<CallAsk, 'step' | 'data'>,
  given: { with: Json; key: EffectKey | null },
): EffectRequest {
  const { compiled } = draft.ctx;
  const { scope } = scopeAt(draft, ask.step.id, ask.data);
  const request = renderRequest(compiled.evaluator, compiled.action(ask.step.action), { ...given, scope });
  return { ...request, ...linksOf(draft, ask.step, ask.data) };
}

function withOf(draft: Draft, step: CallStep, data: RunData): Json {
  const { compiled } = draft.ctx;
  const { site, scope } = scopeAt(draft, step.id, data);
  const sent = withLinks(draft, step, { scope, data });
  const rendered = step.with === null ? {} : compiled.evaluator.render(step.with, site, sent);
  return acceptWith(compiled.action(step.action), rendered);
}

/** What of a child is fixed at the entry of its step, its key included. */
function childBodyOf(draft: Draft, { step, data }: CallAsk, input: Json): Json {
  const { key = null, detach = false } = step.child ?? {};
  if (key === null) return childBody({ key: null, input, detach });
  const { site, scope } = scopeAt(draft, step.id, data);
  const value = draft.ctx.compiled.evaluator.evaluate(key, site, scope);
  if (typeof value !== 'string' || value === '')
    throw new RefusedError('PAWL_EXPRESSION_FAULT', 'the key of a child is a text');
  return childBody({ key: value, input, detach });
}

function intentText(value: Json): string {
  if (typeof value === 'string') return value;
  throw new RefusedError('PAWL_EXPRESSION_FAULT', 'an intent is a text');
}
