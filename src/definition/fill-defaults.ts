import type { JsonSchema } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import { STORABLE_DEPTH_MAX } from '../model/storable.ts';
import { resolveReference } from './expression/schema-type.ts';

/** As many defaults fill one value; more come only of a schema that refers to itself. */
const FILLED_MAX = 10_000;
/** References that lead to another reference, and schemas inside `allOf`, one in another. */
const REFERENCES_MAX = 12;

/**
 * A value with the defaults that its schema writes: a key that is missing in an object that is there gets the `default` of
 * its property, and so on inward; nothing that is there is ever changed. Looked for along `properties`,
 * `additionalProperties`, `items`, `allOf` and local references, not inside choices (`anyOf`, `oneOf`, `if`).
 * @returns the value itself when nothing is missing.
 * @throws PAWL_EXPRESSION_FAULT when the defaults of a schema that refers to itself do not come to an end.
 */
export function fillDefaults(schema: JsonSchema, value: Json): Json {
  if (typeof schema === 'boolean') return value;
  return new Filling(schema).fill(schema, value, 0);
}

class Filling {
  readonly #root: JsonObject;
  #filled = 0;
  #nested = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  fill(schema: Json | undefined, value: Json, references: number): Json {
    if (!isObject(schema) || typeof value !== 'object' || value === null || references > REFERENCES_MAX) return value;
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      return this.fill(resolveReference(reference, this.#root), value, references + 1);
    }
    const own = isList(value) ? this.#fillList(schema, value) : this.#fillObject(schema, value as JsonObject);
    const all = schema['allOf'];
    const parts: readonly Json[] = all !== undefined && isList(all) ? all : [];
    return parts.reduce((filled: Json, part) => this.fill(part, filled, references + 1), own);
  }

  #fillList(schema: JsonObject, value: readonly Json[]): Json {
    if (schema['items'] === undefined || schema['prefixItems'] !== undefined) return value;
    const items = value.map((item) => this.fill(schema['items'], item, 0));
    return items.every((item, index) => item === value[index]) ? value : items;
  }

  #fillObject(schema: JsonObject, value: JsonObject): Json {
    const { properties = {}, additionalProperties, patternProperties } = schema;
    const named = properties as JsonObject;
    const rest = patternProperties === undefined ? additionalProperties : undefined;
    const there = Object.entries(value).map(([name, item]) => {
      return [name, this.fill(ownValue(named, name) ?? rest, item, 0)] as const;
    });
    const added = Object.entries(named).flatMap(([name, property]) => {
      const isMissing = !Object.hasOwn(value, name) && isObject(property) && property['default'] !== undefined;
      return isMissing ? [[name, this.#default(property)] as const] : [];
    });
    if (added.length === 0 && there.every(([name, item]) => item === value[name])) return value;
    // fromEntries defines own properties, so a key `__proto__` stays data.
    return Object.fromEntries([...there, ...added]);
  }

  #default(property: JsonObject): Json {
    this.#filled += 1;
    this.#nested += 1;
    if (this.#filled > FILLED_MAX || this.#nested > STORABLE_DEPTH_MAX) {
      throw new RefusedError('PAWL_EXPRESSION_FAULT', 'the defaults of the schema do not come to an end');
    }
    const value = this.fill(property, property['default'] ?? null, 0);
    this.#nested -= 1;
    return value;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
