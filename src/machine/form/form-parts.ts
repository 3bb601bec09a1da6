import type { FormAction, FormEdge, FormState, MachineForm } from '../../model/machine-form.ts';
import type { Expression } from '../../model/template.ts';

/** What a machine computes: a guard, or an action of a state or transition. */
export type FormPart =
  | FormAction
  | { readonly kind: 'guard'; readonly when: Expression; readonly event: string | null; readonly pointer: string };

/** Everything that a machine computes, by its place in the file; nothing where the workflow has steps. */
export function formParts(form: MachineForm | undefined): ReadonlyMap<string, FormPart> {
  const parts = form === undefined ? [] : partsOf(form.root);
  return new Map(parts.map((part) => [part.pointer, part] as const));
}

/** The guard of a transition as a part; none where it has none. */
export function guardPart({ guard, trigger, pointer }: FormEdge): readonly FormPart[] {
  if (guard === null) return [];
  return [{ kind: 'guard', when: guard, event: trigger.kind === 'event' ? trigger.name : null, pointer }];
}

function partsOf(state: FormState): readonly FormPart[] {
  return [
    ...state.entry,
    ...state.exit,
    ...state.edges.flatMap((edge) => [...guardPart(edge), ...edge.actions]),
    ...state.states.flatMap(partsOf),
  ];
}
