import { resolveReference } from '../../definition/expression/schema-type.ts';
import { compileSchema } from '../../definition/schema-validator.ts';
import type { JsonSchema } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { generateText } from './generate-pattern.ts';

/** Which of the many values that fit is wanted. */
export interface Draw {
  /** Another number gives other texts and numbers where the schema leaves room. */
  readonly no: number;
  /** Which item of an enum, which branch of a choice. */
  readonly pick: number;
  /** The number that is tried wherever a number is wanted. */
  readonly size: number;
}

const DEPTH_MAX = 12;

const FORMATS: Readonly<Record<string, (no: number) => string>> = {
  date: () => '2026-01-02',
  'date-time': () => '2026-01-02T03:04:05Z',
  time: () => '03:04:05Z',
  duration: () => 'PT1H',
  email: (no) => `person-${no}@example.com`,
  hostname: () => 'example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  'json-pointer': () => '/a',
  uri: (no) => `https://example.com/${no}`,
  'uri-reference': (no) => `/${no}`,
  uuid: (no) => `00000000-0000-4000-8000-${String(no).padStart(12, '0')}`,
};

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOf(schema: JsonObject, name: string): number | null {
  const value = schema[name];
  return typeof value === 'number' ? value : null;
}

class Generator {
  readonly #root: JsonObject;
  readonly #draw: Draw;

  constructor(root: JsonObject, draw: Draw) {
    this.#root = root;
    this.#draw = draw;
  }

  make(schema: Json | undefined, name: string, depth: number): Json {
    if (!isObject(schema) || depth > DEPTH_MAX) return `${name}-${this.#draw.no}`;
    const reference = schema['$ref'];
    if (typeof reference === 'string') return this.make(resolveReference(reference, this.#root), name, depth + 1);
    if (schema['const'] !== undefined) return schema['const'];
    if (schema['default'] !== undefined && this.#draw.pick === 0) return schema['default'];
    for (const word of ['enum', 'examples'] as const) {
      const listed = this.#oneOf(schema[word]);
      if (listed !== undefined) return listed;
    }
    const branch = this.#oneOf(schema['oneOf'] ?? schema['anyOf']);
    return branch === undefined ? this.#ofType(schema, name, depth) : this.make(branch, name, depth + 1);
  }

  #oneOf(list: Json | undefined): Json | undefined {
    return Array.isArray(list) && list.length > 0 ? (list[this.#draw.pick % list.length] as Json) : undefined;
  }

  #ofType(schema: JsonObject, name: string, depth: number): Json {
    const type = Array.isArray(schema['type']) ? (schema['type'][0] as Json) : schema['type'];
    switch (type ?? (schema['properties'] === undefined ? 'string' : 'object')) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, name, depth);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return this.#draw.pick % 2 === 0;
      case 'null':
        return null;
      default:
        return this.#text(schema, name);
    }
  }

  #object(schema: JsonObject, depth: number): Json {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
    const names = new Set([...Object.keys(properties), ...required.filter((name) => typeof name === 'string')]);
    return Object.fromEntries([...names].map((name) => [name, this.make(properties[name], name, depth + 1)]));
  }

  #array(schema: JsonObject, name: string, depth: number): Json {
    const fixed = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as readonly Json[]) : [];
    const count = Math.max(numberOf(schema, 'minItems') ?? 1, fixed.length, 1);
    // Items are told from each other by what they hold.
    const { no, size } = this.#draw;
    return Array.from({ length: count }, (_, at) =>
      new Generator(this.#root, { ...this.#draw, no: no + at, size: size + at }).make(
        fixed[at] ?? schema['items'],
        `${name}-${at}`,
        depth + 1,
      ),
    );
  }

  #number(schema: JsonObject): number {
    const step = numberOf(schema, 'multipleOf') ?? (schema['type'] === 'integer' ? 1 : 0);
    const over = numberOf(schema, 'exclusiveMinimum');
    const under = numberOf(schema, 'exclusiveMaximum');
    const least = Math.max(numberOf(schema, 'minimum') ?? -Infinity, over === null ? -Infinity : over + (step || 0.5));
    const most = Math.min(numberOf(schema, 'maximum') ?? Infinity, under === null ? Infinity : under - (step || 0.5));
    const wanted = Math.min(Math.max(this.#draw.size, least), most);
    return step > 0 ? Math.ceil(wanted / step) * step : wanted;
  }

  #text(schema: JsonObject, name: string): string {
    const { no } = this.#draw;
    const { pattern, format } = schema;
    if (typeof pattern === 'string') return generateText(pattern, no);
    if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format](no);
    const text = `${name}-${no}`;
    const least = numberOf(schema, 'minLength') ?? 0;
    return text.padEnd(least, 'x').slice(0, numberOf(schema, 'maxLength') ?? undefined);
  }
}

/**
 * A value that a schema takes: defaults, enums, bounds, simple patterns.
 * @returns undefined when none was found.
 */
export function generateValue(schema: JsonSchema, draw: Draw): Json | undefined {
  if (typeof schema === 'boolean') return schema ? {} : undefined;
  const value = Object.keys(schema).length === 0 ? {} : new Generator(schema, draw).make(schema, 'value', 0);
  return compileSchema(schema)(value).length === 0 ? value : undefined;
}
