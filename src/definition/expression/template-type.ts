import type { Expression, JsonSchema, Template } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type ExpressionProblem, problemAt, type ProblemDraft } from './expression-problem.ts';
import { digitsHelp, INEXACT, wholeHelp } from './exact-form.ts';
import { typeOfSchema, typeOfValue } from './schema-type.ts';
import type { SyntaxNode } from './syntax-tree.ts';
import { describeType, DYN, type FieldType, optionsOf, STRING, type ValueType } from './value-type.ts';

/** A mistake in a template. With `expression` the offsets are in its source; without, the whole value at `pointer` is meant. */
export interface TemplateProblem extends ExpressionProblem {
  readonly pointer: string;
  readonly expression: Expression | null;
}

type Infer = (expression: Expression) => {
  readonly type: ValueType;
  readonly problems: readonly ExpressionProblem[];
  readonly tree: SyntaxNode | null;
};

interface Expected {
  readonly type: ValueType;
  /** The schema itself where it could be followed, for `enum` and `const`. */
  readonly schema: JsonObject | null;
}

/** Checks a template's expressions, and its values against a schema. */
export function checkTemplateAt(
  template: Template,
  expected: { readonly schema: JsonSchema; readonly pointer: string },
  infer: Infer,
): readonly TemplateProblem[] {
  const schema = typeof expected.schema === 'boolean' ? null : expected.schema;
  const check = new TemplateCheck(infer);
  check.visit(template, { type: typeOfSchema(expected.schema), schema }, expected.pointer);
  return check.problems;
}

class TemplateCheck {
  readonly problems: TemplateProblem[] = [];
  readonly #infer: Infer;

  constructor(infer: Infer) {
    this.#infer = infer;
  }

  visit(template: Template, expected: Expected, pointer: string): void {
    switch (template.kind) {
      case 'literal':
        this.#visitLiteral(template.value, expected, pointer);
        return;
      case 'expression':
        this.#visitExpression(template.expression, expected);
        return;
      case 'text':
        for (const part of template.parts) if (typeof part !== 'string') this.#visitPart(part);
        this.#demand(STRING, expected, pointer);
        return;
      case 'list':
        if (!this.#demandKind('list', expected, pointer)) return;
        for (const [at, item] of template.items.entries()) this.visit(item, itemOf(expected), `${pointer}/${at}`);
        return;
      case 'map':
        this.#visitMap(template.entries, expected, pointer);
        return;
    }
  }

  #visitLiteral(value: Json, expected: Expected, pointer: string): void {
    if (isList(value)) {
      if (!this.#demandKind('list', expected, pointer)) return;
      for (const [at, item] of value.entries()) this.#visitLiteral(item, itemOf(expected), `${pointer}/${at}`);
      return;
    }
    if (isObject(value)) {
      this.#visitMap(
        Object.entries(value).map(([key, item]) => [key, { kind: 'literal', value: item }] as const),
        expected,
        pointer,
      );
      return;
    }
    const before = this.problems.length;
    if (!assignable(typeOfValue(value), expected.type)) {
      const draft = wrongType(typeOfValue(value), expected.type);
      this.#tellKey(pointer, { ...draft, help: literalHelp(value, expected.type) ?? draft.help });
    }
    if (this.problems.length === before) this.#demandListed(value, expected.schema, pointer);
  }

  #visitExpression(expression: Expression, expected: Expected): void {
    const { type, problems, tree } = this.#infer(expression);
    this.#tellAll(expression, problems);
    if (tree === null || problems.some((problem) => problem.severity === 'error')) return;
    if (assignable(type, expected.type)) {
      this.#warnInexact(expression, { tree, type }, 'value');
      return;
    }
    const span = { start: 0, end: expression.source.length };
    const draft = wrongType(type, expected.type);
    const help = conversionHelp(tree, type, expected.type) ?? draft.help;
    this.#tell({ pointer: expression.pointer, expression }, problemAt(span, { ...draft, help }));
  }

  #visitPart(part: Expression): void {
    const { type, problems, tree } = this.#infer(part);
    this.#tellAll(part, problems);
    if (tree !== null) this.#warnInexact(part, { tree, type }, 'text');
  }

  /** What goes out goes into requests and keys: 0.1 + 0.2 would be there with seventeen digits. */
  #warnInexact(
    expression: Expression,
    { tree, type }: { readonly tree: SyntaxNode; readonly type: ValueType },
    place: 'value' | 'text',
  ): void {
    const help = type.kind === 'double' ? digitsHelp(tree, place) : null;
    if (help === null) return;
    const problem = problemAt(tree, { kind: 'inexact', severity: 'warning', message: INEXACT, help });
    this.#tell({ pointer: expression.pointer, expression }, problem);
  }

  #visitMap(entries: readonly (readonly [string, Template])[], expected: Expected, pointer: string): void {
    if (!this.#demandKind('map', expected, pointer)) return;
    const [only, ...others] = optionsOf(expected.type);
    if (only?.kind === 'object' && others.length === 0) {
      this.#checkKeys(new Set(entries.map(([key]) => key)), { ...expected, type: only }, pointer);
    }
    for (const [key, item] of entries) this.visit(item, fieldOf(expected, key), `${pointer}/${escapePointer(key)}`);
  }

  #checkKeys(names: ReadonlySet<string>, expected: Expected & { readonly type: ObjectType }, pointer: string): void {
    const { fields, rest } = expected.type;
    for (const [name, field] of fields) {
      if (isDemanded(field) && !names.has(name)) this.#tellKey(pointer, missingKey(name));
    }
    for (const name of names) {
      if (rest === null && !fields.has(name))
        this.#tellKey(`${pointer}/${escapePointer(name)}`, unknownKey(name, fields));
    }
  }

  #demandKind(kind: 'list' | 'map', expected: Expected, pointer: string): boolean {
    const type: ValueType = kind === 'list' ? { kind, item: DYN } : { kind, value: DYN };
    const before = this.problems.length;
    this.#demand(type, expected, pointer);
    return this.problems.length === before;
  }

  #demand(type: ValueType, expected: Expected, pointer: string): void {
    if (!assignable(type, expected.type)) this.#tellKey(pointer, wrongType(type, expected.type));
  }

  /** `enum` and `const` of a literal; what else a schema says is checked when the value is there. */
  #demandListed(value: Json, schema: JsonObject | null, pointer: string): void {
    const listed =
      schema === null ? undefined : (schema['enum'] ?? ('const' in schema ? [schema['const'] ?? null] : undefined));
    if (!Array.isArray(listed) || listed.includes(value)) return;
    const words = listed.map((word: Json) => JSON.stringify(word));
    this.#tellKey(pointer, {
      kind: 'template-value',
      message: 'not one of the values that the schema lists',
      help: `write ${words.join(' or ')}`,
    });
  }

  #tellKey(pointer: string, draft: ProblemDraft): void {
    this.#tell({ pointer, expression: null }, problemAt({ start: 0, end: 0 }, draft));
  }

  #tellAll(expression: Expression, problems: readonly ExpressionProblem[]): void {
    for (const problem of problems) this.#tell({ pointer: expression.pointer, expression }, problem);
  }

  #tell(at: { readonly pointer: string; readonly expression: Expression | null }, problem: ExpressionProblem): void {
    this.problems.push({ ...problem, ...at });
  }
}

function missingKey(name: string): ProblemDraft {
  return {
    kind: 'template-key',
    message: `the key \`${name}\` is missing: the schema requires it`,
    help: `add ${name}`,
    name,
  };
}

function unknownKey(name: string, fields: ReadonlyMap<string, FieldType>): ProblemDraft {
  const candidates = [...fields.keys()];
  const help =
    candidates.length === 0 ? 'leave it out: the schema has no keys' : `known here: ${candidates.join(', ')}`;
  return { kind: 'template-key', message: `the schema has no key \`${name}\``, name, candidates, help };
}

function wrongType(type: ValueType, expected: ValueType): ProblemDraft {
  if (type.kind === 'object' && expected.kind === 'object') {
    const names = misfits(type, expected).map((name) => `\`${name}\``);
    const message = `this map does not fit the schema: ${names.join(', ')} is missing or of another type`;
    return { kind: 'template-value', message, help: 'write the map key by key: { name: =path }' };
  }
  return {
    kind: 'template-value',
    message: `the schema wants ${describeType(expected)}, this is ${describeType(type)}`,
    help: `give it ${describeType(expected)}, or change the schema`,
  };
}

/** How an expression's value becomes what is wanted; null = by naming another one. */
function conversionHelp(tree: SyntaxNode, type: ValueType, expected: ValueType): string | null {
  if (expected.kind === 'string' && TEXTUAL.has(type.kind)) return 'write string(…) around it';
  if (expected.kind === 'int' && type.kind === 'string') return 'write int(…) around it, a fault where it is no number';
  if (expected.kind === 'int' && type.kind === 'double') return wholeHelp(tree);
  if (type.kind !== 'decimal') return null;
  if (expected.kind === 'int') return 'write int(…) around it, a fault where it is no whole number';
  return expected.kind === 'double' ? 'write double(string(…)) around it' : null;
}

/** Kinds that `string(…)` makes a text of, where a text is wanted. */
const TEXTUAL: ReadonlySet<ValueType['kind']> = new Set(['int', 'double', 'bool']);

/** How a literal becomes what is wanted; null = by writing another one. */
function literalHelp(value: null | boolean | number | string, expected: ValueType): string | null {
  const isNumber = expected.kind === 'int' || expected.kind === 'double';
  if (isNumber && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)) return `write ${value} without quotes`;
  return expected.kind === 'string' && value !== null ? `quote it: "${String(value)}"` : null;
}

/** Whether a value of the type can be what is wanted. Times, durations and decimals are rendered as text; an int is a number. */
function assignable(type: ValueType, wanted: ValueType): boolean {
  return optionsOf(type).some((one) => optionsOf(wanted).some((other) => fits(one, other)));
}

/** Kinds that go where another is wanted. */
const ACCEPTED: ReadonlyMap<ValueType['kind'], readonly ValueType['kind'][]> = new Map([
  ['double', ['int', 'double']],
  ['string', ['string', 'timestamp', 'duration', 'decimal']],
  ['map', ['map', 'object']],
]);

function fits(type: ValueType, wanted: ValueType): boolean {
  if (type.kind === 'dyn' || wanted.kind === 'dyn') return true;
  if (wanted.kind === 'list') return type.kind === 'list' && assignable(type.item, wanted.item);
  if (wanted.kind === 'object') return type.kind === 'map' || (type.kind === 'object' && objectFits(type, wanted));
  return (ACCEPTED.get(wanted.kind) ?? [wanted.kind]).includes(type.kind);
}

type ObjectType = ValueType & { readonly kind: 'object' };

/** Every key that is wanted and known fits, and none is missing for sure. */
function objectFits(type: ObjectType, wanted: ObjectType): boolean {
  return misfits(type, wanted).length === 0;
}

function misfits(type: ObjectType, wanted: ObjectType): readonly string[] {
  const bad = [...wanted.fields].filter(([name, field]) => {
    const own = type.fields.get(name);
    return own === undefined ? isDemanded(field) && type.rest === null : !assignable(own.type, field.type);
  });
  return bad.map(([name]) => name);
}

function itemOf(expected: Expected): Expected {
  const list = optionsOf(expected.type).find((option) => option.kind === 'list');
  return { type: list?.kind === 'list' ? list.item : DYN, schema: inner(expected.schema, 'items') };
}

function fieldOf(expected: Expected, key: string): Expected {
  const properties = inner(expected.schema, 'properties');
  const schema = inner(properties, key);
  for (const option of optionsOf(expected.type)) {
    if (option.kind === 'object') return { type: option.fields.get(key)?.type ?? option.rest ?? DYN, schema };
    if (option.kind === 'map') return { type: option.value, schema: null };
  }
  return { type: DYN, schema };
}

/** A key with a default may be left out of a template. */
function isDemanded(field: FieldType): boolean {
  return field.required && field.defaulted !== true;
}

function inner(schema: JsonObject | null, key: string): JsonObject | null {
  const value = schema !== null && Object.hasOwn(schema, key) ? schema[key] : undefined;
  return value !== undefined && isObject(value) ? value : null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
