/** What `pawl/client` knows of the API: made from the description of the route table, so that a new route is in it by itself. */
import { compile } from 'json-schema-to-typescript';
import { runnerImport } from 'vite';

const NAMED = '#/components/schemas/';
const typeName = (name) =>
  name
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** A schema as the type maker reads it: references at home, and what may be anything said in a word that it knows. */
function plain(schema) {
  if (schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0)) return { tsType: 'unknown' };
  if (typeof schema !== 'object') return schema;
  if (typeof schema.$ref === 'string') return { $ref: `#/$defs/${typeName(schema.$ref.slice(NAMED.length))}` };
  const { properties, items, anyOf, oneOf, $comment: _comment, ...rest } = schema;
  const each = (list) => list.map(plain);
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, plain(value)])) }),
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(anyOf === undefined ? {} : { anyOf: each(anyOf) }),
    ...(oneOf === undefined ? {} : { oneOf: each(oneOf) }),
  };
}

/** An object of those properties that there are; a name that ends in `?` may be left out. */
function record(properties) {
  const entries = Object.entries(properties).filter(([, schema]) => schema !== null);
  return {
    type: 'object',
    additionalProperties: false,
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
  };
}

/** The answers of an operation that are no refusals: media types, and what they hold. */
function answersOf({ responses }) {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.entries(content));
}

function heldBy([media, { schema }]) {
  if (media === 'text/event-stream') return [{ tsType: "import('node:stream/web').ReadableStream<Uint8Array>" }];
  return Object.keys(schema).join() === 'anyOf' ? schema.anyOf.map(plain) : [plain(schema)];
}

/** What an operation answers: one of all that its answers hold. */
function answerSchema(operation) {
  const found = new Map(
    answersOf(operation).flatMap((answer) => heldBy(answer).map((one) => [JSON.stringify(one), one])),
  );
  const kinds = [...found.values()];
  return kinds.length === 0 ? { type: 'null' } : kinds.length === 1 ? kinds[0] : { anyOf: kinds };
}

/** What an operation is given. */
function callSchema({ parameters = [], requestBody }) {
  const within = (place) => parameters.filter((parameter) => parameter.in === place);
  const group = (place) => {
    const all = within(place).map(({ name, required, description, schema }) => [
      required ? name : `${name}?`,
      { ...plain(schema), ...(description === undefined ? {} : { description }) },
    ]);
    return all.length === 0 ? null : record(Object.fromEntries(all));
  };
  const header = (name) => within('header').find((parameter) => parameter.name === name);
  const text = (parameter, more = '') =>
    parameter === undefined ? null : { type: 'string', description: `${parameter.description}${more}` };
  const [body] = Object.values(requestBody?.content ?? {});
  const ifMatch = header('If-Match');
  return record({
    params: group('path'),
    'query?': group('query'),
    ...(body === undefined ? {} : { body: plain(body.schema) }),
    'idempotencyKey?': text(header('Idempotency-Key'), '; left out, one is made'),
    [ifMatch?.required === true ? 'ifMatch' : 'ifMatch?']: text(ifMatch),
  });
}

/** The types of all operations, and of what the description names. */
async function typesOf(operations, schemas) {
  const properties = operations.map(({ operation }) => [
    operation.operationId,
    {
      ...record({ call: callSchema(operation), answer: answerSchema(operation) }),
      description: operation.summary,
    },
  ]);
  const named = Object.entries(schemas).map(([name, schema]) => [typeName(name), plain(schema)]);
  const schema = { ...record(Object.fromEntries(properties)), $defs: Object.fromEntries(named) };
  const text = await compile(schema, 'Operations', {
    bannerComment: '',
    additionalProperties: true,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
    style: { singleQuote: true, printWidth: 120 },
  });
  // Where a type was named is of no use to whoever reads the types.
  return text
    .replaceAll(/(?: \*\n)? \* This interface was referenced by [^\n]*\n \* via the [^\n]*\n/g, '')
    .replaceAll(/\/\*\*\n \*\/\n/g, '');
}

function rowOf({ method, path, operation }) {
  const { operationId, parameters = [], requestBody } = operation;
  const [media = null] = Object.keys(requestBody?.content ?? {});
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  const accepts = [...new Set(answersOf(operation).map(([type]) => type))];
  return [operationId, { method: method.toUpperCase(), path, media, isKeyed, accepts }];
}

/** The generated file as text. @param root folder of the repository, with a slash at its end. */
export async function clientFile(root) {
  const { module } = await runnerImport(`${root}src/api/routes.ts`, { configFile: false, logLevel: 'error' });
  const { paths, components } = module.openApi();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return [
    await typesOf(operations, components.schemas),
    '/** How an operation is asked for: `media` of its body (null: it has none), the media of its answers, whether it takes an Idempotency-Key. */',
    'export interface Operation {',
    '  readonly method: string;',
    '  readonly path: string;',
    '  readonly media: string | null;',
    '  readonly isKeyed: boolean;',
    '  readonly accepts: readonly string[];',
    '}',
    '/** Every operation of the API. */',
    `export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = ${JSON.stringify(Object.fromEntries(operations.map(rowOf)), null, 2)};`,
    '',
  ].join('\n');
}
