import type {
  Compensation,
  Handler,
  RetryPolicy,
  Review,
  ReviewOption,
  ScopeCompensation,
  Template,
  Voting,
} from '../model/definition.ts';
import { parseChildReference } from '../model/child.ts';
import {
  type BuildContext,
  readDuration,
  readExpression,
  readLength,
  readTemplate,
  readTemplateList,
  readTemplates,
  readTexts,
} from './build-context.ts';
import { child, itemsOf, numberOf, textOf, wordOf, type YamlNode } from './yaml-node.ts';

const SECOND_MS = 1_000;

const RETRY_BASE: RetryPolicy = {
  attempts: 1,
  delayMs: SECOND_MS,
  factor: 1,
  capMs: null,
  jitter: 0,
  withinMs: null,
  on: ['unavailable', 'throttled'],
  when: null,
};
/** A write without `retry` is called once. */
export const RETRY_WRITE: RetryPolicy = RETRY_BASE;
/** Reads are harmless to repeat. */
export const RETRY_READ: RetryPolicy = { ...RETRY_BASE, attempts: 5, delayMs: 500, factor: 2, capMs: 10 * SECOND_MS };
/** Undoing is tried harder than doing. */
export const RETRY_COMPENSATION: RetryPolicy = { ...RETRY_BASE, attempts: 10, factor: 2, capMs: 60 * SECOND_MS };

function readDelay(
  context: BuildContext,
  node: YamlNode | null,
  fallback: RetryPolicy['delayMs'],
): RetryPolicy['delayMs'] {
  if (node === null || !Array.isArray(node.value))
    return readDuration(context, node, typeof fallback === 'number' ? fallback : SECOND_MS);
  return itemsOf(node).map((item) => readDuration(context, item, SECOND_MS));
}

/** The `retry` block of a node, completed from the defaults of its place; null where there is none. */
export function readRetry(context: BuildContext, node: YamlNode | null, defaults: RetryPolicy): RetryPolicy | null {
  if (node === null) return null;
  const attempts = child(node, 'attempts');
  const on = child(node, 'on');
  const withinMs = readDuration(context, child(node, 'within'), defaults.withinMs);
  return {
    attempts: textOf(attempts) === 'forever' ? null : (numberOf(attempts) ?? defaults.attempts),
    delayMs: readDelay(context, child(node, 'delay'), defaults.delayMs),
    factor: numberOf(child(node, 'factor')) ?? defaults.factor,
    capMs: readDuration(context, child(node, 'cap'), defaults.capMs),
    jitter: numberOf(child(node, 'jitter')) ?? defaults.jitter,
    // As everywhere else a limit of nothing is none: an attempt that may not follow is none that `attempts` names.
    withinMs: withinMs === 0 ? null : withinMs,
    on: on === null ? defaults.on : readTexts(on),
    when: readExpression(context, child(node, 'when')),
  };
}

/** Who decides and until when: an approve step's keys, or a compensation's. @param titleKey the key of the title. */
export function readVoting(context: BuildContext, node: YamlNode, titleKey: 'approve' | 'title'): Voting {
  const one: Template = { kind: 'literal', value: 1 };
  const except = child(node, 'except');
  const starter: Template = {
    kind: 'expression',
    expression: { source: 'run.startedBy', pointer: `${node.pointer}/except`, offset: 0 },
  };
  return {
    title: readTemplate(context, child(node, titleKey)) ?? { kind: 'literal', value: '' },
    from: readTemplateList(context, child(node, 'from')),
    quorum: readTemplate(context, child(node, 'quorum')) ?? one,
    denials: readTemplate(context, child(node, 'denials')) ?? one,
    except: except === null ? [starter] : readTemplateList(context, except),
    expires: readLength(context, child(node, 'expires')),
  };
}

/** A child that undoes is a call, too: of the version that it names. Null where it names none (told by the schema). */
function readUndoingChild(node: YamlNode): string | null {
  const text = textOf(child(node, 'child'));
  return text === null || parseChildReference(text) === null ? null : text;
}

/** The `compensate` of an action or step; null where there is none. */
export function readCompensation(context: BuildContext, node: YamlNode | null): Compensation | null {
  if (node === null) return null;
  if (textOf(node) === 'none') return { kind: 'none' };
  const action = textOf(child(node, 'call')) ?? readUndoingChild(node);
  if (action === null) return null;
  const onFailure = textOf(child(node, 'onFailure'));
  const after = child(node, 'after');
  const approve = child(node, 'approve');
  return {
    kind: 'call',
    action,
    with: readTemplate(context, child(node, 'with')),
    object: readTemplate(context, child(node, 'object')),
    retry: readRetry(context, child(node, 'retry'), RETRY_COMPENSATION),
    timeoutMs: readDuration(context, child(node, 'timeout'), null),
    onFailure: onFailure === 'hold' || onFailure === 'continue' ? onFailure : null,
    ...(after === null ? {} : { after: readTexts(after) }),
    ...(approve === null ? {} : { approve: readVoting(context, approve, 'title') }),
    pointer: node.pointer,
  };
}

/** The `order` of a compensation; null where there is none. */
export function readOrder(node: YamlNode | null): ScopeCompensation['order'] {
  return node === null ? null : wordOf(node, ['reverse', 'graph', 'parallel'] as const, 'reverse');
}

/** The `compensation` of a scope; null where there is none. What it does not say is as around it. */
export function readScopeCompensation(context: BuildContext, node: YamlNode | null): ScopeCompensation | null {
  if (node === null) return null;
  const onFailure = textOf(child(node, 'onFailure'));
  return {
    order: readOrder(child(node, 'order')),
    onFailure: onFailure === 'hold' || onFailure === 'continue' ? onFailure : null,
    retry: readRetry(context, child(node, 'retry'), RETRY_COMPENSATION),
  };
}

const REVIEW_OPTIONS: readonly ReviewOption[] = ['confirmed', 'absent', 'rejected', 'keep-waiting'];

/** The `review` of a call; null where there is none. */
export function readReview(context: BuildContext, node: YamlNode | null): Review | null {
  if (node === null) return null;
  const options = readTexts(child(node, 'options'));
  return {
    from: readTemplateList(context, child(node, 'from')),
    options: options.length === 0 ? REVIEW_OPTIONS : REVIEW_OPTIONS.filter((option) => options.includes(option)),
  };
}

/** The handlers of an `on` list. */
export function readHandlers(context: BuildContext, node: YamlNode | null): readonly Handler[] {
  return itemsOf(node).map((item) => {
    const then = textOf(child(item, 'then'));
    return {
      event: textOf(child(item, 'event')) ?? '',
      match: readTemplate(context, child(item, 'match')),
      where: readExpression(context, child(item, 'where')),
      set: readTemplates(context, child(item, 'set')),
      next: textOf(child(item, 'next')),
      then: then === null ? null : wordOf(child(item, 'then'), ['end', 'cancel', 'fail'] as const, 'end'),
      pointer: item.pointer,
    };
  });
}
