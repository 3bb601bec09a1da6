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

/**
 * The least that a schema asks for, as text in which a person fills the places: `{"amount": <integer>}`. What has only one
 * value is written as it is, of several ways the first is shown.
 */
export function sampleOf(schema: JsonSchema): string {
  return typeof schema === 'boolean' ? '{}' : sample(schema, schema, 0);
}

function sample(node: Json | undefined, root: JsonObject, depth: number): string {
  if (depth > DEPTH_MAX) return '<…>';
  const schema = asObject(node);
  const { $ref: reference, const: only } = schema;
  if (typeof reference === 'string') return sample(resolveReference(reference, root), root, depth + 1);
  const [value, ...others] = only === undefined ? listOf(schema['enum']) : [only];
  if (value !== undefined)
    return others.length === 0 ? JSON.stringify(value) : `<${[value, ...others].map(plain).join(' or ')}>`;
  const fields = fieldsOf(schema, root);
  if (fields.size > 0)
    return `{${[...fields].map(([name, field]) => `${JSON.stringify(name)}: ${sample(field, root, depth + 1)}`).join(', ')}}`;
  const [way] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  if (way !== undefined) return sample(way, root, depth + 1);
  return placeOf(schema['type']) ?? (depth === 0 ? '{}' : '<value>');
}

/** The place for a value of this type, of the first where there are several. */
function placeOf(type: Json | undefined): string | undefined {
  const [first] = Array.isArray(type) ? listOf(type) : [type];
  return typeof first === 'string' ? PLACES[first] : undefined;
}

/** Required properties by name, those that `allOf` adds too. */
function fieldsOf(schema: JsonObject, root: JsonObject): ReadonlyMap<string, Json | undefined> {
  const parts = listOf(schema['allOf']).map((part) => {
    const { $ref: reference } = asObject(part);
    return typeof reference === 'string' ? resolveReference(reference, root) : part;
  });
  const all = [schema, ...parts].map(asObject);
  const names = all.flatMap((part) => listOf(part['required']).map(plain));
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
