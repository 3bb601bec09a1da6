import { canonicalJson } from '../../model/canonical-json.ts';
import type { Effect } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import type { RunIdentity } from '../../model/run.ts';
import { effectKey, type ForwardIngredients, forwardIngredients } from '../effect-key.ts';
import type { Finding, RowCheck } from './check.ts';
import { effectRow } from './opened-run.ts';

/** Ingredients of which no key can be made are a finding, not a fault of the checker. */
function recomputed(effect: Effect): string | null {
  try {
    return effectKey(effect.ingredients);
  } catch {
    return null;
  }
}

/** A forward key is made of this run's own name: tenant, and the address that its step and frames have. */
function isOwnAddress(run: RunIdentity, effect: Effect, { tenant, reach, ...rest }: ForwardIngredients): boolean {
  const { step, frames, action } = effect;
  const { object, intent, generation } = rest;
  const own = forwardIngredients({ run, reach, step, frames, action, object, intent, generation });
  return tenant === own.tenant && canonicalJson(rest.address as Json) === canonicalJson(own.address as Json);
}

function faultsOf(run: RunIdentity, effect: Effect): readonly string[] {
  if (recomputed(effect) !== effect.key) return ['its key is not that of its ingredients'];
  const { ingredients } = effect;
  if (ingredients.kind === 'compensation')
    return ingredients.forwardKey === effect.compensates ? [] : ['its key is of the undo of another row'];
  return isOwnAddress(run, effect, ingredients) ? [] : ['its key is of another run, step or frame'];
}

/** E01, R13: every key is recomputed from what the row keeps, and from what the run is. */
export const EFFECT_KEY: RowCheck = {
  name: 'effect-key',
  rule: 'E01, R13',
  promise: "Every effect's key is the hash of its ingredients, and these are of its run, step and frames.",
  mend: null,
  find: ({ run, effects }): readonly Finding[] =>
    effects.flatMap((effect) => faultsOf(run, effect).map((what) => ({ row: effectRow(effect), what }))),
};
