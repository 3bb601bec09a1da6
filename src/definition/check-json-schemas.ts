import { caught } from '../model/caught.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { closestWord } from './closest-word.ts';
import { fillDefaults } from './fill-defaults.ts';
import type { Finding } from './report-problem.ts';
import { compileSchema, FORMATS } from './schema-validator.ts';
import { childPointer } from './source-map.ts';
import { child, entriesOf, isObject, itemsOf, textOf, type YamlNode } from './yaml-node.ts';
import { valueKind } from './value-kind.ts';

type Holds = 'schema' | 'schemas' | 'map' | 'text' | 'texts' | 'count' | 'number' | 'flag' | 'list' | 'type' | 'any';

/** The keywords of JSON Schema 2020-12 that definitions may use, and what each holds. */
const KEYWORDS: Readonly<Record<string, Holds>> = {
  $schema: 'text',
  $id: 'text',
  $anchor: 'text',
  $ref: 'text',
  $comment: 'text',
  $defs: 'map',
  type: 'type',
  enum: 'list',
  const: 'any',
  default: 'any',
  examples: 'list',
  title: 'text',
  description: 'text',
  deprecated: 'flag',
  readOnly: 'flag',
  writeOnly: 'flag',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  properties: 'map',
  patternProperties: 'map',
  dependentSchemas: 'map',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  unevaluatedProperties: 'schema',
  required: 'texts',
  dependentRequired: 'any',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'schema',
  prefixItems: 'schemas',
  contains: 'schema',
  unevaluatedItems: 'schema',
  minItems: 'count',
  maxItems: 'count',
  minContains: 'count',
  maxContains: 'count',
  uniqueItems: 'flag',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'text',
  format: 'text',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
/** What other languages call the types. */
const OTHER_TYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'string'],
  ['str', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['decimal', 'number'],
  ['bool', 'boolean'],
  ['map', 'object'],
  ['list', 'array'],
]);
const WORDS: Readonly<Record<Exclude<Holds, 'any' | 'type'>, string>> = {
  schema: 'a schema (a map)',
  schemas: 'a list of schemas',
  map: 'a map of schemas',
  text: 'text',
  texts: 'a list of names',
  count: 'a whole number, 0 or more',
  number: 'a number',
  flag: 'true or false',
  list: 'a list with something in it',
};

const isTextList = (value: Json): boolean =>
  Array.isArray(value) && value.every((item: Json) => typeof item === 'string');

const FITS: Readonly<Record<Exclude<Holds, 'any' | 'type'>, (value: Json) => boolean>> = {
  schema: (value) => isObject(value) || typeof value === 'boolean',
  schemas: (value) => Array.isArray(value) && value.length > 0,
  map: isObject,
  text: (value) => typeof value === 'string',
  texts: isTextList,
  count: (value) => Number.isInteger(value) && Number(value) >= 0,
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value) && value.length > 0,
};

function finding(pointer: string, message: string, help: string, at: 'key' | 'value' = 'value'): Finding {
  return { code: 'PAWL-114', pointer, message, help, at };
}

function typeMeant(word: string): string | null {
  return OTHER_TYPES.get(word) ?? closestWord(word, TYPES);
}

/** How a text becomes what the keyword holds; null = by writing something else. */
function keywordHelp(holds: Holds, value: Json): string | null {
  if (typeof value !== 'string') return null;
  if (holds === 'texts') return `write a list: [${value}]`;
  if (holds === 'count' || holds === 'number')
    return /^\d+(?:\.\d+)?$/.test(value) ? `write ${value} without quotes` : null;
  return holds === 'schema' ? `write { type: ${typeMeant(value) ?? 'string'} }` : null;
}

function typeFindings(node: YamlNode): Finding[] {
  const nodes = Array.isArray(node.value) ? itemsOf(node) : [node];
  return nodes.flatMap((item) => {
    const word = textOf(item);
    if (word !== null && TYPES.includes(word)) return [];
    const near = word === null ? null : typeMeant(word);
    const found = word === null ? valueKind(item.value) : `\`${word}\``;
    return [
      finding(
        item.pointer,
        `\`type\` must be one of ${TYPES.join(', ')} (found ${found})`,
        near === null ? 'write for example { type: string }' : `did you mean \`${near}\`?`,
      ),
    ];
  });
}

function keywordFindings(keyword: string, node: YamlNode): Finding[] {
  const holds = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
  if (holds === undefined) {
    const near = closestWord(keyword, Object.keys(KEYWORDS));
    const help = near === null ? 'keywords are those of JSON Schema 2020-12' : `did you mean \`${near}\`?`;
    return [finding(node.pointer, `\`${keyword}\` is no keyword of JSON Schema`, help, 'key')];
  }
  if (holds === 'any') return [];
  if (holds === 'type') return typeFindings(node);
  if (!FITS[holds](node.value)) {
    const message = `\`${keyword}\` must be ${WORDS[holds]} (found ${valueKind(node.value)})`;
    return [finding(node.pointer, message, keywordHelp(holds, node.value) ?? `write ${WORDS[holds]}`)];
  }
  if (keyword === '$ref' && !String(node.value).startsWith('#')) {
    return [
      finding(
        node.pointer,
        'a `$ref` may only lead to a place in the same schema',
        'begin it with #, for example #/$defs/address',
      ),
    ];
  }
  if (keyword === 'format' && !FORMATS.some((format) => format === node.value)) {
    return [
      finding(
        node.pointer,
        `the format \`${String(node.value)}\` is not checked here`,
        `the formats are ${FORMATS.join(', ')}`,
      ),
    ];
  }
  return innerFindings(holds, node);
}

function innerFindings(holds: Holds, node: YamlNode): Finding[] {
  if (holds === 'schema') return schemaFindings(node);
  if (holds === 'schemas') return itemsOf(node).flatMap(schemaFindings);
  return holds === 'map' ? entriesOf(node).flatMap(([, schema]) => schemaFindings(schema)) : [];
}

function schemaFindings(node: YamlNode): Finding[] {
  if (typeof node.value === 'boolean') return [];
  if (!isObject(node.value))
    return [
      finding(node.pointer, `a schema is a map (found ${valueKind(node.value)})`, 'write for example { type: string }'),
    ];
  return entriesOf(node).flatMap(([keyword, value]) => keywordFindings(keyword, value));
}

/** The form of a schema keyword by keyword, then the compiler's own word. */
function checkOne(node: YamlNode | null): readonly Finding[] {
  if (node === null || (!isObject(node.value) && typeof node.value !== 'boolean')) return [];
  const findings = schemaFindings(node);
  if (findings.length > 0) return findings;
  try {
    compileSchema(node.value);
    return [];
  } catch (error) {
    const reason = String(caught(error, RefusedError).details['reason']);
    const message = `the JSON Schema cannot be used: ${reason}`;
    return [
      finding(patternPointer(node, reason) ?? node.pointer, message, 'mend what the reason names, or leave it out'),
    ];
  }
}

/** The place of the pattern that a compiler's complaint quotes. */
function patternPointer(node: YamlNode, reason: string): string | null {
  for (const [key, value] of entriesOf(node)) {
    if (key === 'pattern' && reason.includes(JSON.stringify(value.value))) return value.pointer;
    const inner = patternPointer(value, reason);
    if (inner !== null) return inner;
  }
  for (const item of itemsOf(node)) {
    const inner = patternPointer(item, reason);
    if (inner !== null) return inner;
  }
  return null;
}

/** A reference that means another place once a part of its schema stands alone. */
const FOREIGN_REFERENCE = /"\$ref":"(?!#\/\$defs\/)/;

/** A default that its own schema refuses, or that lacks what it requires once the defaults inside it are written in. */
function defaultFindings(node: YamlNode, root: YamlNode): readonly Finding[] {
  const value = child(node, 'default');
  if (value === null || !isObject(node.value)) return [];
  const defs = child(root, '$defs')?.value;
  const schema = defs === undefined ? node.value : { ...node.value, $defs: defs };
  if (FOREIGN_REFERENCE.test(JSON.stringify(schema))) return [];
  const [misfit] = compileSchema(schema)(fillDefaults(schema, value.value));
  if (misfit === undefined) return [];
  return [
    finding(
      childPointer(node.pointer, 'default'),
      `the default does not fit its own schema: ${misfit.message}`,
      'write a default that fits, or change the schema',
    ),
  ];
}

/** The defaults of properties, looked for where values are filled with them. */
function propertyDefaults(node: YamlNode | null, root: YamlNode): readonly Finding[] {
  if (node === null || !isObject(node.value)) return [];
  const properties = entriesOf(child(node, 'properties')).flatMap(([, property]) => [
    ...defaultFindings(property, root),
    ...propertyDefaults(property, root),
  ]);
  const parts = [child(node, 'items'), child(node, 'additionalProperties'), ...itemsOf(child(node, 'allOf'))];
  const defs = entriesOf(child(node, '$defs')).map(([, def]) => def);
  return [...properties, ...[...parts, ...defs].flatMap((part) => propertyDefaults(part, root))];
}

/** The forms of approvals, wherever steps may stand. */
function formsIn(steps: YamlNode | null): readonly YamlNode[] {
  return itemsOf(steps).flatMap((step) => {
    const form = child(step, 'form');
    const branches = itemsOf(child(step, 'choose')).flatMap((branch) => [
      child(branch, 'steps'),
      child(branch, 'else'),
    ]);
    const catches = itemsOf(child(step, 'catch')).map((clause) => child(clause, 'do'));
    return [...(form !== null && isObject(form.value) ? [form] : []), ...[...branches, ...catches].flatMap(formsIn)];
  });
}

/** Checks every JSON Schema that an author wrote: input, vars with their defaults, events, forms, action inputs and outputs. */
export function checkJsonSchemas(root: YamlNode): readonly Finding[] {
  const vars = entriesOf(child(root, 'vars')).map(([, schema]) => schema);
  const events = entriesOf(child(root, 'events')).map(([, event]) => child(event, 'schema'));
  const actions = entriesOf(child(root, 'actions')).flatMap(([, action]) => [
    child(action, 'input'),
    child(action, 'output'),
  ]);
  const forms = formsIn(child(root, 'steps'));
  const schemas = [child(root, 'input'), ...vars, ...events, ...forms, ...actions];
  const findings = schemas.flatMap(checkOne);
  if (findings.length > 0) return findings;
  const inputs = entriesOf(child(root, 'actions')).map(([, action]) => child(action, 'input'));
  const filled = [child(root, 'input'), ...vars, ...forms, ...inputs];
  return [
    ...vars.flatMap((schema) => defaultFindings(schema, schema)),
    ...filled.flatMap((schema) => (schema === null ? [] : propertyDefaults(schema, schema))),
  ];
}
