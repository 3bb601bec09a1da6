import type { RunControl } from '../model/run.ts';
import type { Effect } from '../model/effect.ts';
import { ConflictError, NotFoundError } from '../model/errors.ts';
import { displayEffectKey } from '../model/run-id.ts';

/** Where a person's word about an effect is looked for: the ledger and what is asked of people. */
export interface EffectSearch {
  readonly effects: readonly Effect[];
  readonly incidents: RunControl['incidents'];
}

function byKey(effects: readonly Effect[], name: string): readonly Effect[] {
  const digits = name.startsWith('eff_') ? name.slice(4) : name;
  return /^[0-9a-f]{8,64}$/.test(digits) ? effects.filter((effect) => effect.key.startsWith(digits)) : [];
}

/** Rows of a step, those that a person is asked about first. */
function byStep(search: EffectSearch, step: string): readonly Effect[] {
  const rows = search.effects.filter((effect) => effect.step === step);
  const asked = new Set(search.incidents.flatMap((incident) => incident.effectKey ?? []));
  const incidents = rows.filter((effect) => asked.has(effect.key));
  const unknown = rows.filter((effect) => effect.state === 'UNKNOWN');
  const last = rows.toSorted((a, b) => settledAt(a) - settledAt(b)).slice(-1);
  return [incidents, unknown, last].find((found) => found.length > 0) ?? [];
}

function settledAt({ settledAtMs }: Effect): number {
  return settledAtMs ?? Number.MAX_VALUE;
}

/**
 * The ledger row that a person means by an effect key (or its beginning) or by a step.
 * @throws PAWL_EFFECT_NOT_FOUND; PAWL_RUN_AMBIGUOUS when several rows fit.
 */
export function findEffect(search: EffectSearch, name: string): Effect {
  const keyed = byKey(search.effects, name);
  const found = keyed.length > 0 ? keyed : byStep(search, name);
  const [first, ...others] = found;
  if (first === undefined)
    throw new NotFoundError('PAWL_EFFECT_NOT_FOUND', `the run has no effect ${name}`, { effect: name });
  if (others.length === 0) return first;
  throw new ConflictError(
    'PAWL_RUN_AMBIGUOUS',
    `${name} names ${found.length} effects; use a key: ${found.map((effect) => displayEffectKey(effect.key)).join(', ')}`,
    {
      effects: found.map((effect) => effect.key),
    },
  );
}
