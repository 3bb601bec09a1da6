import type { Expression, JsonSchema, Template } from '../model/definition.ts';
import { parseDuration } from '../model/duration.ts';
import { caught } from '../model/caught.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { parseTemplate } from './parse-template.ts';
import type { Finding } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';
import { child, entriesOf, isObject, itemsOf, textOf, type YamlNode } from './yaml-node.ts';

/** What building a definition needs and collects. Values of a wrong kind are passed over: the schema has told them. */
export interface BuildContext {
  readonly map: SourceMap;
  report(finding: Finding): void;
  /** Ids that authors wrote, so that generated ones avoid them. */
  readonly ids: Set<string>;
}

const WRAPPED = /^\s*(?:\$\{|=)/;

/** The CEL text of a key whose value is CEL; null where there is none. */
export function readExpression(context: BuildContext, node: YamlNode | null): Expression | null {
  if (node === null) return null;
  if (typeof node.value === 'boolean') return { source: String(node.value), pointer: node.pointer, offset: 0 };
  if (typeof node.value !== 'string') return null;
  if (WRAPPED.test(node.value)) {
    const inner = node.value
      .trim()
      .replace(/^=/, '')
      .replace(/^\$\{\s*([\s\S]*?)\s*\}$/, '$1');
    context.report({
      code: 'PAWL-117',
      pointer: node.pointer,
      message: 'this value is an expression already: it needs neither `${ }` nor `=`',
      help: `write it without them: ${inner}`,
    });
    return null;
  }
  return { source: node.value, pointer: node.pointer, offset: 0 };
}

/** Maps are sets: their members are taken in the order of their names, so that a definition does not depend on how it is written. */
function byName<Value>(entries: readonly (readonly [string, Value])[]): readonly (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The members of a map in the order of their names. */
export function membersOf(node: YamlNode | null): readonly (readonly [string, YamlNode])[] {
  return byName(entriesOf(node));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value)
    ? Object.fromEntries(byName(Object.entries(value)).map(([key, item]) => [key, sorted(item)]))
    : value;
}

/** The template of a value; null where there is none or it cannot be read (told). */
export function readTemplate(context: BuildContext, node: YamlNode | null): Template | null {
  if (node === null) return null;
  const parsed = parseTemplate(sorted(node.value), node.pointer);
  if (parsed.ok) return parsed.template;
  for (const problem of parsed.problems) {
    context.report({
      code: problem.kind === 'unclosed' ? 'PAWL-014' : 'PAWL-118',
      pointer: problem.pointer,
      at: [problem.start, problem.end],
      message: problem.message,
      help: problem.help,
    });
  }
  return null;
}

/** The members of a map as named templates. */
export function readTemplates(context: BuildContext, node: YamlNode | null): readonly (readonly [string, Template])[] {
  return membersOf(node).flatMap(([name, value]) => {
    const template = readTemplate(context, value);
    return template === null ? [] : [[name, template] as const];
  });
}

/** The items of a list as templates; a single value counts as a list of one. */
export function readTemplateList(context: BuildContext, node: YamlNode | null): readonly Template[] {
  const nodes = node !== null && !Array.isArray(node.value) ? [node] : itemsOf(node);
  return nodes.flatMap((item) => readTemplate(context, item) ?? []);
}

/** Texts of a list; a single text counts as a list of one. */
export function readTexts(node: YamlNode | null): readonly string[] {
  const single = textOf(node);
  return single === null ? itemsOf(node).flatMap((item) => textOf(item) ?? []) : [single];
}

/** Reports a text that is no duration, with the mend. */
export function reportDuration(context: BuildContext, pointer: string, error: unknown): void {
  const { message, details } = caught(error, RefusedError);
  context.report({ code: 'PAWL-110', pointer, message: message.replace(/; .*/s, ''), help: String(details['help']) });
}

/** Milliseconds of a duration key; the fallback where there is none or it cannot be read (told). */
export function readDuration<Fallback extends number | null>(
  context: BuildContext,
  node: YamlNode | null,
  fallback: Fallback,
): number | Fallback {
  const text = textOf(node);
  if (node === null || text === null) return fallback;
  if (WRAPPED.test(text)) {
    const message = 'this duration is fixed when the workflow is published: it cannot be computed';
    const help = 'write it out, for example 30s; `wait` and `expires` are the durations that can be computed';
    context.report({ code: 'PAWL-110', pointer: node.pointer, message, help });
    return fallback;
  }
  try {
    return parseDuration(text);
  } catch (error) {
    reportDuration(context, node.pointer, error);
    return fallback;
  }
}

/** A duration that is written out is read at once; a computed one when it is there. */
export function readLength(context: BuildContext, node: YamlNode | null): Template | null {
  const template = readTemplate(context, node);
  if (template?.kind === 'literal') readDuration(context, node, 0);
  return template;
}

/** A JSON Schema member; the fallback `{}` accepts everything. */
export function readSchema(node: YamlNode | null): JsonSchema {
  if (node === null) return {};
  return isObject(node.value) || typeof node.value === 'boolean' ? node.value : {};
}

/** A JSON object member; empty where there is none. */
export function readObject(node: YamlNode | null, key: string): JsonObject {
  const value = child(node, key)?.value;
  return isObject(value) ? value : {};
}
