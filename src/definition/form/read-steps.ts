import type { CallStep, StepBase, WaitStep } from '../../model/definition.ts';
import { parseDuration } from '../../model/duration.ts';
import { type BuildContext, readTemplate, reportDuration } from '../build-context.ts';
import { readCompensation, readRetry, readReview, RETRY_WRITE } from '../build-policy.ts';
import { reservedNames } from '../expression/names.ts';
import { child, textOf, wordOf, type YamlNode } from '../yaml-node.ts';
import { checkKeys } from './form-keys.ts';
import { type NamedState, pawlOf } from './state-names.ts';

/** Begins neither a duration (`10s`, `PT10S`) nor a path. */
const NAME = /^(?!P[\dT])[A-Za-z_$]/;
const IDENTIFIER = /^[a-z][A-Za-z0-9_]{0,63}$/;

/** The step that an `invoke` is: its `src` the action, its `input` what it is given, the state's `meta.pawl` what else a call says. */
export function readInvoke(context: BuildContext, state: NamedState, node: YamlNode): CallStep {
  checkKeys(context, node, 'invoke');
  const src = child(node, 'src');
  if (textOf(src) === null)
    context.report({
      code: src === null ? 'PAWL-102' : 'PAWL-103',
      pointer: src?.pointer ?? node.pointer,
      message: '`src` of an invoke is the name of an action',
      help: 'declare the action under `actions` and name it: `src: payments.charge`',
    });
  const more = pawlOf(state);
  const onUnknown = child(more, 'onUnknown');
  return {
    ...baseOf(stepId(context, child(node, 'id') ?? { value: state.name, pointer: node.pointer }), node),
    verb: 'call',
    action: textOf(src) ?? '',
    with: readTemplate(context, child(node, 'input')),
    object: readTemplate(context, child(more, 'object')),
    intent: readTemplate(context, child(more, 'intent')),
    authorizedBy: null,
    retry: readRetry(context, child(more, 'retry'), RETRY_WRITE),
    pivot: child(more, 'pivot')?.value === true,
    compensate: readCompensation(context, child(more, 'compensate')),
    onUnknown: onUnknown === null ? null : wordOf(onUnknown, ['resend', 'reconcile', 'review'] as const, 'review'),
    review: readReview(context, child(more, 'review')),
  };
}

/** The step that a delay is: it sleeps from the entry of its state on, as long as its key says: milliseconds, `10s`, or `=path`. */
export function readDelay(context: BuildContext, state: NamedState, delay: { key: string; node: YamlNode }): WaitStep {
  const { pointer } = delay.node;
  const id = freeId(context, `after_${state.id.replace(/[^A-Za-z0-9]/g, '_')}`.slice(0, 56));
  const duration = readTemplate(context, { value: /^\d+$/.test(delay.key) ? `${delay.key}ms` : delay.key, pointer });
  if (duration?.kind === 'literal') checkDuration(context, pointer, String(duration.value));
  const wait = { kind: 'for', duration: duration ?? { kind: 'literal', value: delay.key } } as const;
  return { ...baseOf(id, delay.node), named: false, verb: 'wait', wait };
}

function checkDuration(context: BuildContext, pointer: string, text: string): void {
  if (NAME.test(text)) {
    const message = `\`${text}\` is a delay by name, which cannot be kept`;
    const help = 'write it where it is used: in milliseconds, as `10s`, or `=path` to what holds it';
    context.report({ code: 'PAWL-261', pointer, at: 'key', message, help });
    return;
  }
  try {
    parseDuration(text);
  } catch (error) {
    reportDuration(context, pointer, error);
  }
}

function baseOf(id: string, { pointer }: YamlNode): StepBase {
  return { id, named: true, pointer, when: null, next: null, maxJumps: null, on: [], timeoutMs: null, catch: [] };
}

function freeId(context: BuildContext, wanted: string): string {
  let id = wanted;
  for (let count = 1; context.ids.has(id); count += 1) id = `${wanted}_${count}`;
  context.ids.add(id);
  return id;
}

function stepId(context: BuildContext, node: YamlNode): string {
  const id = String(node.value);
  const taken = context.ids.has(id);
  if (!IDENTIFIER.test(id) || reservedNames.has(id) || taken)
    context.report({
      code: taken ? 'PAWL-201' : 'PAWL-112',
      pointer: node.pointer,
      message: taken ? `two steps are called \`${id}\`` : `\`${id}\` cannot be the name of a step`,
      help: 'give the invoke an `id` of letters, digits and `_` that begins with a small letter and that nothing else has',
    });
  context.ids.add(id);
  return id;
}
