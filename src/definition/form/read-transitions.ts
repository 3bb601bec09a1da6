import type { FormEdge, FormTrigger } from '../../model/machine-form.ts';
import { type BuildContext, readExpression } from '../build-context.ts';
import { child, isObject, textOf, type YamlNode } from '../yaml-node.ts';
import { checkKeys } from './form-keys.ts';
import { itemsOrOne, readActions } from './read-actions.ts';
import { type NamedState, readTarget, type StateNames } from './state-names.ts';

/** Where transitions stand. */
export interface TransitionPlace {
  readonly names: StateNames;
  readonly from: NamedState;
}

/** Reads what one trigger may do: a target, a transition, or a list of them of which the first whose guard is true is taken. */
export function readTransitions(
  context: BuildContext,
  at: TransitionPlace,
  { node, trigger }: { readonly node: YamlNode | null; readonly trigger: FormTrigger },
): readonly FormEdge[] {
  return itemsOrOne(node).flatMap((item) => readTransition(context, at, { node: item, trigger }));
}

function readTransition(
  context: BuildContext,
  at: TransitionPlace,
  { node, trigger }: { readonly node: YamlNode; readonly trigger: FormTrigger },
): readonly FormEdge[] {
  const plain = { trigger, guard: null, reenter: false, actions: [], pointer: node.pointer };
  if (textOf(node) !== null) return [{ ...plain, targets: targetsOf(context, at, node) }];
  if (!checkKeys(context, node, 'transition')) return [];
  const guard = child(node, 'guard');
  if (guard !== null && isObject(guard.value))
    context.report({
      code: 'PAWL-261',
      pointer: guard.pointer,
      message: 'a guard by name cannot be kept',
      help: 'write it as CEL: `guard: vars.n < 3`',
    });
  const event = trigger.kind === 'event' ? trigger.name : null;
  return [
    {
      ...plain,
      guard: readExpression(context, guard),
      targets: targetsOf(context, at, child(node, 'target')),
      reenter: child(node, 'reenter')?.value === true,
      actions: readActions(context, child(node, 'actions'), event),
    },
  ];
}

function targetsOf(context: BuildContext, at: TransitionPlace, node: YamlNode | null): readonly string[] {
  return itemsOrOne(node).flatMap((target) => readTarget(context, at, target) ?? []);
}
