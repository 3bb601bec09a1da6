import type { FormAction } from '../../model/machine-form.ts';
import { type BuildContext, readExpression, readTemplate, readTemplates } from '../build-context.ts';
import { suggest } from '../suggest.ts';
import { child, textOf, type YamlNode } from '../yaml-node.ts';
import { checkKeys } from './form-keys.ts';

/** One value, or a list of them. */
export function itemsOrOne(node: YamlNode | null): readonly YamlNode[] {
  if (node === null) return [];
  if (!Array.isArray(node.value)) return [node];
  return node.value.map((value, index) => ({ value, pointer: `${node.pointer}/${index}` }));
}

/**
 * Reads actions: `{ type: assign, params: { name: template } }` and `{ type: raise, params: { event, data } }`, each with `when`
 * (CEL) where it is not always done. @param event whose roots they may read; null = none.
 */
export function readActions(context: BuildContext, node: YamlNode | null, event: string | null): readonly FormAction[] {
  return itemsOrOne(node).flatMap((item) => readAction(context, item, event));
}

/** What else XState can do in a transition, each with the way to say it where a run outlives its process. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  spawnChild: 'no actor outlives its process: call an action with `invoke`, two at once in two regions',
  stopChild: 'an action that was called settles by itself; leave its state to stop its retries',
  sendTo:
    'there is nobody in a run to send to: call an action with `invoke`, or `raise` an event of the machine itself',
  sendParent: 'a run has no parent to send to: its `output` is what it tells',
  forwardTo: 'there is nobody in a run to forward to',
  emit: 'a run tells others by actions: call one with `invoke`',
  cancel: 'a delay ends when its state is left',
  log: 'every transition is in the journal: `pawl history RUN`',
  enqueueActions: 'write the actions out, each with its `when`',
};

function readAction(context: BuildContext, node: YamlNode, event: string | null): readonly FormAction[] {
  const type = textOf(child(node, 'type')) ?? textOf(node);
  if (type !== 'assign' && type !== 'raise') {
    reportAction(context, node, type);
    return [];
  }
  if (!checkKeys(context, node, type)) return [];
  const params = child(node, 'params') ?? { value: {}, pointer: node.pointer };
  const common = { when: readExpression(context, child(node, 'when')), event, pointer: node.pointer };
  if (type === 'assign') return [{ kind: 'assign', ...common, set: readTemplates(context, params) }];
  if (!checkKeys(context, params, 'raised')) return [];
  const name = textOf(child(params, 'event'));
  if (name !== null) return [{ kind: 'raise', ...common, name, data: readTemplate(context, child(params, 'data')) }];
  context.report({
    code: 'PAWL-102',
    pointer: params.pointer,
    message: 'a `raise` needs the name of its event',
    help: 'add `params: { event: name }`',
  });
  return [];
}

/** An action of XState's that cannot be kept, one by name, or one that is none. */
function reportAction(context: BuildContext, node: YamlNode, type: string | null): void {
  const known = type !== null && Object.hasOwn(ELSEWHERE, type) ? ELSEWHERE[type] : undefined;
  const near = type === null ? null : suggest(type, ['assign', 'raise']);
  context.report({
    code: 'PAWL-261',
    pointer: node.pointer,
    message: `${type === null ? 'this' : `\`${type}\``} is no action that can be kept`,
    help:
      known ??
      near ??
      'an action is `{ type: assign, params }` or `{ type: raise, params: { event } }`; what touches the world is an `invoke`',
  });
}
