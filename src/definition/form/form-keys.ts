import type { BuildContext } from '../build-context.ts';
import { suggest } from '../suggest.ts';
import { entriesOf, isObject, type YamlNode } from '../yaml-node.ts';

/** What the parts of a machine may say; `title` and `description` are for its readers. */
export const FORM_KEYS = {
  state: [
    'id',
    'type',
    'initial',
    'states',
    'entry',
    'exit',
    'on',
    'always',
    'after',
    'onDone',
    'invoke',
    'history',
    'target',
    'tags',
    'meta',
    'description',
  ],
  transition: ['target', 'guard', 'actions', 'reenter', 'description', 'meta'],
  invoke: ['id', 'src', 'input', 'onDone', 'onError'],
  assign: ['type', 'params', 'when'],
  raise: ['type', 'params', 'when'],
  raised: ['event', 'data'],
  call: ['fail', 'object', 'intent', 'retry', 'pivot', 'compensate', 'onUnknown', 'review'],
} as const;

/** What XState has and a machine that is kept cannot have, with the way to say it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  context: 'a machine keeps its data in `vars` of the document: declare them there with their `default`',
  delays: 'write the delay where it is used, in milliseconds or as `10s`',
  guards: 'a guard is CEL, written where it is asked: `guard: vars.n < 3`',
  actions: 'actions are written where they are done: `assign` and `raise`; what touches the world is an `invoke`',
  actors: 'what touches the world is an action of the document: `invoke: { src: payments.charge }`',
  services: 'what touches the world is an action of the document: `invoke: { src: payments.charge }`',
  onSnapshot: 'an action has no snapshots: wait for its end with `onDone` and `onError`',
  systemId: 'actions of a run do not speak to each other',
  output: 'the output of the run is `output` of the document; of a state, keep it in `vars`',
  version: 'the version of the document counts',
  authorizedBy:
    'a machine asks nobody: it waits for an event that people send, or a workflow of steps asks with `approve`',
  types: 'a machine has no types of TypeScript: `vars` and `events` of the document have their schemas',
};

/** Keys that a part does not have are refused, with what was meant. @returns false where it is no map at all. */
export function checkKeys(context: BuildContext, node: YamlNode, part: keyof typeof FORM_KEYS): boolean {
  if (!isObject(node.value)) {
    context.report({
      code: 'PAWL-103',
      pointer: node.pointer,
      message: `this is no ${part}: it must be a map`,
      help: `it may have ${FORM_KEYS[part].join(', ')}`,
    });
    return false;
  }
  const known: readonly string[] = FORM_KEYS[part];
  for (const [key, { pointer }] of entriesOf(node)) {
    if (known.includes(key)) continue;
    const elsewhere = Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : undefined;
    context.report({
      code: elsewhere === undefined ? 'PAWL-101' : 'PAWL-261',
      pointer,
      at: 'key',
      message: elsewhere === undefined ? `a ${part} has no \`${key}\`` : `\`${key}\` of a machine cannot be kept`,
      help: elsewhere ?? suggest(key, known) ?? `it may have ${known.join(', ')}`,
    });
  }
  return true;
}
