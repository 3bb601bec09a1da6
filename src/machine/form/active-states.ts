import { allStates, type FormState, type MachineForm } from '../../model/machine-form.ts';
import type { Json } from '../../model/json.ts';

/** The author's states that a run of a machine is in, each before what is in it; none where its forward part is over or held. */
export function activeStates(form: MachineForm, value: Json): readonly FormState[] {
  const inside = statesNamed(form, new Set(namesIn(value)));
  return inside.length === 0 ? [] : [form.root, ...inside];
}

function statesNamed({ root }: MachineForm, names: ReadonlySet<string>): readonly FormState[] {
  return root.states.flatMap(allStates).filter(({ id }) => names.has(id));
}

/** Those of them that no other one is in. */
export function restingStates(form: MachineForm, value: Json): readonly FormState[] {
  return innermost(activeStates(form, value));
}

/** The author's states in which a run rests that has gone these ways, the first one first. */
export function restingAfter(
  form: MachineForm,
  moves: readonly { readonly left: readonly string[]; readonly entered: readonly string[] }[],
): readonly FormState[] {
  const names = new Set<string>();
  for (const { left, entered } of moves) {
    for (const state of left) names.delete(state);
    for (const state of entered) names.add(state);
  }
  return innermost(statesNamed(form, names));
}

function innermost(active: readonly FormState[]): readonly FormState[] {
  const ids = new Set(active.map(({ id }) => id));
  return active.filter(({ states }) => !states.some(({ id }) => ids.has(id)));
}

function namesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}
