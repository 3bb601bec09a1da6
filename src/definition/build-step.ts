import type {
  ApproveStep,
  CallStep,
  CatchClause,
  ChooseBranch,
  EndStep,
  Expression,
  Join,
  MapStep,
  Step,
  StepBase,
  Template,
  WaitStep,
} from '../model/definition.ts';
import { instantOf } from '../model/time-values.ts';
import {
  type BuildContext,
  readDuration,
  readExpression,
  readLength,
  readTemplate,
  readTemplates,
  readTexts,
} from './build-context.ts';
import { buildChild, readChild } from './build-child.ts';
import {
  RETRY_WRITE,
  readCompensation,
  readHandlers,
  readRetry,
  readReview,
  readScopeCompensation,
  readVoting,
} from './build-policy.ts';
import { child, entriesOf, isObject, itemsOf, numberOf, textOf, wordOf, type YamlNode } from './yaml-node.ts';

/** The verbs of this part of the language. */
export const VERBS = [
  'call',
  'child',
  'set',
  'choose',
  'repeat',
  'parallel',
  'map',
  'scope',
  'wait',
  'await',
  'approve',
  'publish',
  'undo',
  'fail',
  'end',
] as const;
type Verb = (typeof VERBS)[number];

/** A name for a step whose author gave none: verb and place, for example `fail_1_0_0`; never one that an author wrote. */
function generatedId(context: BuildContext, verb: string, pointer: string): string {
  const place = pointer
    .split('/')
    .flatMap((token) => (token === 'catch' ? ['c'] : token === 'finally' ? ['f'] : /^\d+$/.test(token) ? [token] : []))
    .join('_');
  let id = `${verb}_${place}`;
  while (context.ids.has(id)) id = `${id}_`;
  context.ids.add(id);
  return id;
}

function readCatch(context: BuildContext, node: YamlNode | null): readonly CatchClause[] {
  return itemsOf(node).map((item) => {
    const on = readTexts(child(item, 'on'));
    return {
      on: on.length === 0 ? ['any'] : on,
      when: readExpression(context, child(item, 'when')),
      ...(child(item, 'undo')?.value === true ? { undo: true as const } : {}),
      do: buildSteps(context, child(item, 'do')),
      then: wordOf(child(item, 'then'), ['continue', 'end', 'raise'] as const, 'continue'),
      next: textOf(child(item, 'next')),
      pointer: item.pointer,
    };
  });
}

function buildBase(context: BuildContext, verb: Verb, node: YamlNode): StepBase {
  const id = textOf(child(node, 'id'));
  return {
    id: id ?? generatedId(context, verb, node.pointer),
    named: id !== null,
    pointer: node.pointer,
    when: readExpression(context, child(node, 'when')),
    next: textOf(child(node, 'next')),
    maxJumps: numberOf(child(node, 'maxJumps')),
    on: readHandlers(context, child(node, 'on')),
    timeoutMs: readDuration(context, child(node, 'timeout'), null),
    catch: readCatch(context, child(node, 'catch')),
  };
}

function readBranches(context: BuildContext, node: YamlNode | null): readonly ChooseBranch[] {
  return itemsOf(node).map((item) => {
    const otherwise = child(item, 'else');
    const steps = otherwise ?? child(item, 'steps');
    return {
      when: readExpression(context, child(item, 'when')),
      steps: steps === null ? null : buildSteps(context, steps),
      next: textOf(child(item, 'next')),
      pointer: item.pointer,
    };
  });
}

/** An instant that is written out is read at once; a computed one when it is there. */
function readInstant(context: BuildContext, node: YamlNode): Template | null {
  const template = readTemplate(context, node);
  if (template?.kind !== 'literal' || !('why' in instantOf(template.value))) return template;
  const message = '`until` must be a time with its zone';
  const help = 'write for example 2030-01-31T12:00:00Z; a length of time stands in `wait` itself';
  context.report({ code: 'PAWL-106', pointer: node.pointer, message, help });
  return template;
}

function readWait(context: BuildContext, node: YamlNode | null): WaitStep['wait'] {
  const zero: Template = { kind: 'literal', value: '0s' };
  const until = child(node, 'until');
  if (until !== null) return { kind: 'until', instant: readInstant(context, until) ?? zero };
  return { kind: 'for', duration: readLength(context, node) ?? zero };
}

function readEnd(context: BuildContext, node: YamlNode | null): Pick<EndStep, 'end' | 'as' | 'output'> {
  const word = textOf(node);
  if (word !== null) return { end: word === 'cancelled' ? 'cancelled' : 'done', as: null, output: null };
  return { end: 'as', as: textOf(child(node, 'as')), output: readTemplate(context, child(node, 'output')) };
}

function buildCall(context: BuildContext, base: StepBase, node: YamlNode): CallStep {
  const onUnknown = child(node, 'onUnknown');
  const reach = wordOf(child(node, 'reach'), ['run', 'workflow', 'global'] as const, 'run');
  return {
    ...base,
    verb: 'call',
    action: textOf(child(node, 'call')) ?? '',
    with: readTemplate(context, child(node, 'with')),
    object: readTemplate(context, child(node, 'object')),
    intent: readTemplate(context, child(node, 'intent')),
    ...(reach === 'run' ? {} : { reach }),
    authorizedBy: textOf(child(node, 'authorizedBy')),
    retry: readRetry(context, child(node, 'retry'), RETRY_WRITE),
    pivot: child(node, 'pivot')?.value === true,
    compensate: readCompensation(context, child(node, 'compensate')),
    onUnknown: onUnknown === null ? null : wordOf(onUnknown, ['resend', 'reconcile', 'review'] as const, 'review'),
    review: readReview(context, child(node, 'review')),
  };
}

/** How often people are reminded; never is not to say it. */
function readReminder(context: BuildContext, node: YamlNode | null): Pick<ApproveStep, 'remindMs'> {
  const remindMs = readDuration(context, node, null);
  if (node === null || remindMs === null) return {};
  if (remindMs > 0) return { remindMs };
  const message = 'nobody can be reminded all the time';
  context.report({ code: 'PAWL-106', pointer: node.pointer, message, help: 'write for example 1d, or take it out' });
  return {};
}

function buildApprove(context: BuildContext, base: StepBase, node: YamlNode): ApproveStep {
  const form = child(node, 'form')?.value;
  return {
    ...base,
    verb: 'approve',
    subject: readTemplate(context, child(node, 'subject')),
    ...readVoting(context, node, 'approve'),
    onExpire: wordOf(child(node, 'onExpire'), ['deny', 'approve', 'hold'] as const, 'deny'),
    ...readReminder(context, child(node, 'remind')),
    ...(isObject(form) ? { form } : {}),
  };
}

/** Stands for an expression that is missing (told elsewhere). */
function nothing({ pointer }: YamlNode, key: string): Expression {
  return { source: 'null', pointer: `${pointer}/${key}`, offset: 0 };
}

function readMapJoin(context: BuildContext, node: YamlNode | null): MapStep['join'] {
  const percent = readTemplate(context, child(node, 'percent'));
  return percent === null ? readJoin(context, node) : { kind: 'percent', percent };
}

function readTolerate(node: YamlNode | null): Pick<MapStep, 'tolerate'> {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(textOf(node) ?? '')?.[1];
  if (share !== undefined) return { tolerate: { kind: 'percent', of: Number(share) } };
  const of = numberOf(node);
  return of === null ? {} : { tolerate: { kind: 'count', of } };
}

/** What a step of each verb is built from: the context, what every step says, the step's node and the verb's value. */
type Built<V extends Step['verb']> = (
  context: BuildContext,
  base: StepBase,
  at: { readonly node: YamlNode; readonly value: YamlNode | null },
) => Extract<Step, { verb: V }>;

const BUILDERS: { readonly [V in Verb]: Built<V extends 'child' ? 'call' : V> } = {
  call: (context, base, { node }) => buildCall(context, base, node),
  child: (context, base, { node }) => buildChild(context, base, node),
  set: (context, base, { value }) => ({ ...base, verb: 'set', set: readTemplates(context, value) }),
  choose: (context, base, { node, value }) => ({
    ...base,
    verb: 'choose',
    branches: readBranches(context, value),
    output: readTemplate(context, child(node, 'output')),
  }),
  scope: (context, base, { node, value }) => ({
    ...base,
    verb: 'scope',
    steps: buildSteps(context, value),
    compensation: readScopeCompensation(context, child(node, 'compensation')),
    output: readTemplate(context, child(node, 'output')),
  }),
  repeat: (context, base, { node, value }) => ({
    ...base,
    verb: 'repeat',
    max: numberOf(value) ?? 1,
    while: readExpression(context, child(node, 'while')),
    until: readExpression(context, child(node, 'until')),
    steps: buildSteps(context, child(node, 'steps')),
  }),
  map: (context, base, { node, value }) => ({
    ...base,
    verb: 'map',
    items: readExpression(context, value) ?? nothing(node, 'map'),
    as: textOf(child(node, 'as')) ?? 'item',
    key: readExpression(context, child(node, 'key')) ?? nothing(node, 'key'),
    concurrency: numberOf(child(node, 'concurrency')) ?? 10,
    join: readMapJoin(context, child(node, 'join')),
    ...readTolerate(child(node, 'tolerate')),
    siblings: wordOf(child(node, 'siblings'), ['drain', 'cancel', 'finish'] as const, 'drain'),
    losers: wordOf(child(node, 'losers'), ['undo', 'keep'] as const, 'undo'),
    steps: buildSteps(context, child(node, 'steps')),
  }),
  parallel: (context, base, { node, value }) => ({
    ...base,
    verb: 'parallel',
    branches: entriesOf(value).map(([name, steps]) => ({
      name,
      steps: buildSteps(context, steps),
      pointer: steps.pointer,
    })),
    join: readJoin(context, child(node, 'join')),
    siblings: wordOf(child(node, 'siblings'), ['drain', 'cancel', 'finish'] as const, 'drain'),
    ...(textOf(child(node, 'losers')) === 'keep' ? { losers: 'keep' as const } : {}),
  }),
  wait: (context, base, { value }) => ({ ...base, verb: 'wait', wait: readWait(context, value) }),
  await: (context, base, { node, value }) => ({
    ...base,
    verb: 'await',
    event: textOf(value) ?? '',
    match: readTemplate(context, child(node, 'match')),
    where: readExpression(context, child(node, 'where')),
    from: readTexts(child(node, 'from')),
  }),
  approve: (context, base, { node }) => buildApprove(context, base, node),
  publish: (context, base, { node, value }) => ({
    ...base,
    verb: 'publish',
    event: textOf(value) ?? '',
    data: readTemplate(context, child(node, 'data')),
    key: readExpression(context, child(node, 'key')),
  }),
  undo: (_context, base, { value }) => ({ ...base, verb: 'undo', undo: readTexts(value) }),
  fail: (context, base, { value }) => ({
    ...base,
    verb: 'fail',
    code: readTemplate(context, child(value, 'code')) ?? { kind: 'literal', value: 'failed' },
    message: readTemplate(context, child(value, 'message')),
    data: readTemplate(context, child(value, 'data')),
  }),
  end: (context, base, { value }) => ({ ...base, verb: 'end', ...readEnd(context, value) }),
};

function readJoin(context: BuildContext, node: YamlNode | null): Join {
  const count = readTemplate(context, child(node, 'count'));
  return count === null ? { kind: wordOf(node, ['all', 'any'] as const, 'all') } : { kind: 'count', count };
}

function buildVerb(context: BuildContext, verb: Verb, node: YamlNode): Step {
  return BUILDERS[verb](context, buildBase(context, verb, node), { node, value: child(node, verb) });
}

/** Builds a list of steps; what has no verb of this part is left out (told by the schema). */
export function buildSteps(context: BuildContext, node: YamlNode | null): readonly Step[] {
  return itemsOf(node).flatMap((item) => {
    const verb = VERBS.find((candidate) => child(item, candidate) !== null);
    if (verb === undefined || (verb === 'child' && readChild(item) === null)) return [];
    return [buildVerb(context, verb, item)];
  });
}
