import { allStates, type FormState, type MachineForm } from '../../model/machine-form.ts';
import type { Json } from '../../model/json.ts';

/** The author's states that a run of a machine is in, each before what is in it; none where its forward part is over or held. */
export function activeStates(form: MachineForm, value: Json): readonly FormState[] {
  const names = new Set(namesIn(value));
  const inside = form.root.states.flatMap(allStates).filter(({ id }) => names.has(id));
  return inside.length === 0 ? [] : [form.root, ...inside];
}

/** Those of them that no other one is in. */
export function restingStates(form: MachineForm, value: Json): readonly FormState[] {
  const active = activeStates(form, value);
  const ids = new Set(active.map(({ id }) => id));
  return active.filter(({ states }) => !states.some(({ id }) => ids.has(id)));
}

function namesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}
