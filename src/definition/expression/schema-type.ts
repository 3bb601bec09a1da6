import type { JsonSchema } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { BOOL, DOUBLE, DYN, type FieldType, INT, NULL, STRING, unionOf, type ValueType } from './value-type.ts';

/** How far references are followed; a recursive schema is unknown below that. */
const REFERENCE_DEPTH_MAX = 12;

/**
 * Whether defaults are written into the values before they are read (`filled`: input, `with`, vars), so that their keys are
 * always there, or the values are taken as they came (`received`: answers and events).
 */
export type Fill = 'filled' | 'received';

const caches: Readonly<Record<Fill, WeakMap<object, ValueType>>> = { filled: new WeakMap(), received: new WeakMap() };

/**
 * The type that a JSON Schema gives a value: `integer` is int, `number` is double. What a schema does not say is `dyn`, whose
 * numbers are doubles. An object that names `properties` has no other keys for expressions, unless `additionalProperties` or
 * `patternProperties` says so.
 */
export function typeOfSchema(schema: JsonSchema, fill: Fill = 'filled'): ValueType {
  if (typeof schema === 'boolean') return DYN;
  const known = caches[fill].get(schema);
  if (known !== undefined) return known;
  const type = read(schema, { root: schema, depth: 0, fill });
  caches[fill].set(schema, type);
  return type;
}

/** The type of a value that never changes, such as a constant: whole numbers are int. */
export function typeOfValue(value: Json): ValueType {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'string') return STRING;
  if (typeof value === 'number') return Number.isInteger(value) ? INT : DOUBLE;
  if (isList(value)) return { kind: 'list', item: value.length === 0 ? DYN : unionOf(value.map(typeOfValue)) };
  const fields = Object.entries(value).map(
    ([name, item]) => [name, { type: typeOfValue(item), required: true }] as const,
  );
  return { kind: 'object', fields: new Map<string, FieldType>(fields), rest: null };
}

interface Reading {
  readonly root: JsonObject;
  readonly depth: number;
  readonly fill: Fill;
}

function read(schema: Json | undefined, reading: Reading): ValueType {
  if (schema === undefined || !isObject(schema) || reading.depth > REFERENCE_DEPTH_MAX) return DYN;
  const deeper = { ...reading, depth: reading.depth + 1 };
  const reference = schema['$ref'];
  if (typeof reference === 'string') return read(resolveReference(reference, reading.root), deeper);
  if ('const' in schema) return typeOfValue(schema['const'] ?? null);
  return readChoices(schema, deeper) ?? readAll(schema, deeper);
}

function readChoices(schema: JsonObject, reading: Reading): ValueType | null {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (choices === undefined || !isList(choices) || schema['type'] !== undefined) return null;
  // Which choice a value takes is not known when defaults are written, so none are.
  return unionOf(choices.map((choice) => read(choice, { ...reading, fill: 'received' })));
}

function readAll(schema: JsonObject, reading: Reading): ValueType {
  const own = readOwn(schema, reading);
  const all = schema['allOf'];
  return all !== undefined && isList(all) ? [own, ...all.map((part) => read(part, reading))].reduce(intersect) : own;
}

function readOwn(schema: JsonObject, reading: Reading): ValueType {
  const type = schema['type'];
  if (type === undefined) return readUntyped(schema, reading);
  if (isList(type)) return unionOf(type.map((one) => readNamed(one, schema, reading)));
  return readNamed(type, schema, reading);
}

function readUntyped(schema: JsonObject, reading: Reading): ValueType {
  const values = schema['enum'];
  if (values !== undefined && isList(values)) return unionOf(values.map(typeOfValue));
  if (schema['properties'] !== undefined) return readObject(schema, reading);
  return DYN;
}

function readNamed(name: Json, schema: JsonObject, reading: Reading): ValueType {
  switch (name) {
    case 'null':
      return NULL;
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    case 'array':
      return { kind: 'list', item: schema['prefixItems'] === undefined ? read(schema['items'], reading) : DYN };
    case 'object':
      return readObject(schema, reading);
    default:
      return DYN;
  }
}

function readObject(schema: JsonObject, reading: Reading): ValueType {
  const properties = schema['properties'];
  const additional = schema['additionalProperties'];
  const open = schema['patternProperties'] !== undefined || schema['unevaluatedProperties'] !== undefined;
  if (properties === undefined || !isObject(properties)) {
    return { kind: 'map', value: additional === undefined || open ? DYN : read(additional, reading) };
  }
  const required = schema['required'];
  const names: readonly Json[] = required !== undefined && isList(required) ? required : [];
  const fields = Object.entries(properties).map(([name, property]) => {
    const defaulted = reading.fill === 'filled' && hasDefault(property);
    return [name, { type: read(property, reading), required: names.includes(name) || defaulted, defaulted }] as const;
  });
  const unnamed = names.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  const all = [...fields, ...unnamed.map((name) => [String(name), { type: DYN, required: true }] as const)];
  const closed = !open && (additional === undefined || additional === false);
  return {
    kind: 'object',
    fields: new Map<string, FieldType>(all),
    rest: closed ? null : read(open ? undefined : additional, reading),
  };
}

function hasDefault(property: Json): boolean {
  return isObject(property) && 'default' in property;
}

function intersect(left: ValueType, right: ValueType): ValueType {
  if (left.kind === 'dyn') return right;
  if (right.kind === 'dyn') return left;
  if (left.kind !== 'object' || right.kind !== 'object') return left.kind === 'map' ? right : left;
  const fields = new Map(left.fields);
  for (const [name, field] of right.fields) {
    const known = fields.get(name);
    fields.set(
      name,
      known === undefined
        ? field
        : { type: intersect(known.type, field.type), required: known.required || field.required },
    );
  }
  return { kind: 'object', fields, rest: left.rest ?? right.rest };
}

/** Local references only (`#/$defs/x`); others are unknown here and refused by the validator. */
export function resolveReference(reference: string, root: JsonObject): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const token of reference.slice(2).split('/')) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === undefined || !isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
