import { resolveReference } from '../definition/expression/schema-type.ts';
import type { JsonSchema } from '../model/definition.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';

/** What lies deeper is left to the reader; also the end of a schema that refers to itself. */
const DEPTH_MAX = 6;

const PLACES: Readonly<Record<string, string>> = {
  string: '"<text>"',
  integer: '<integer>',
  number: '<number>',
  boolean: '<true or false>',
  array: '[]',
  null: 'null',
  object: '{}',
};

/** A value that is known before anybody fills in the rest. */
export interface Known {
  /** Names of properties, from the outside in; empty = the whole. */
  readonly path: readonly string[];
  readonly value: Json;
}

/**
 * The least that a schema asks for, as text in which a person fills the places: `{"amount": <integer>}`. What has only one
 * value is written as it is, of several ways the first is shown.
 * @param known a value that has its place, whether the schema asks for it or not.
 */
export function sampleOf(schema: JsonSchema, known: Known | null = null): string {
  const root = typeof schema === 'boolean' ? {} : schema;
  return sample(root, { root, depth: 0, known });
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
  /** What is known at this place or further inside. */
  readonly known: Known | null;
}

function sample(node: Json | undefined, at: Place): string {
  const { root, depth, known } = at;
  if (known?.path.length === 0) return JSON.stringify(known.value);
  if (depth > DEPTH_MAX) return '<…>';
  const schema = asObject(node);
  const { $ref: reference, const: only } = schema;
  const inside = { ...at, depth: depth + 1 };
  if (typeof reference === 'string') return sample(resolveReference(reference, root), inside);
  const [value, ...others] = only === undefined ? listOf(schema['enum']) : [only];
  if (value !== undefined)
    return others.length === 0 ? JSON.stringify(value) : `<${[value, ...others].map(plain).join(' or ')}>`;
  return sampleOfParts(schema, inside) ?? placeOf(schema['type']) ?? (depth === 0 ? '{}' : '<value>');
}

/** The fields that are asked for or known, else the first of several ways; null where there are neither. */
function sampleOfParts(schema: JsonObject, inside: Place): string | null {
  const { root, known } = inside;
  const [way] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  if (way !== undefined && fieldsOf(schema, root).size === 0) return sample(way, inside);
  const fields = fieldsOf(schema, root, known?.path[0]);
  if (fields.size === 0) return null;
  const told = [...fields].map(
    ([name, field]) => `${JSON.stringify(name)}: ${sample(field, { ...inside, known: within(known, name) })}`,
  );
  return `{${told.join(', ')}}`;
}

/** The place for a value of this type, of the first where there are several. */
function placeOf(type: Json | undefined): string | undefined {
  const [first] = Array.isArray(type) ? listOf(type) : [type];
  return typeof first === 'string' ? PLACES[first] : undefined;
}

/** What is known inside a property; null where it is known of another. */
function within(known: Known | null, name: string): Known | null {
  if (known === null || known.path[0] !== name) return null;
  return { path: known.path.slice(1), value: known.value };
}

/** Required properties by name, those that `allOf` adds too, and the one in which something is known. */
function fieldsOf(schema: JsonObject, root: JsonObject, known?: string): ReadonlyMap<string, Json | undefined> {
  const parts = listOf(schema['allOf']).map((part) => {
    const { $ref: reference } = asObject(part);
    return typeof reference === 'string' ? resolveReference(reference, root) : part;
  });
  const all = [schema, ...parts].map(asObject);
  const names = [
    ...all.flatMap((part) => listOf(part['required']).map(plain)),
    ...(known === undefined ? [] : [known]),
  ];
  const typed = (name: string): Json | undefined =>
    all.map((part) => ownValue(asObject(part['properties']), name)).find((field) => field !== undefined);
  return new Map(names.map((name) => [name, typed(name)]));
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
