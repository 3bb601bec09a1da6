import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../model/json.ts';
import { ANSWER_EXAMPLES } from './examples.ts';
import { PROBLEM_MEDIA } from './problem-json.ts';
import { type AnswerDoc, paramsOf, type Route } from './route.ts';
import { PROBLEM, RUN_SCHEMA } from './schemas.ts';

/** The statuses with which a route may refuse, and what they mean there. */
const REFUSALS = {
  400: 'the request does not fit the route',
  401: 'no API key, or none that counts now',
  403: 'the key does not give the right, or the run does not let this person decide',
  404: 'there is nothing of that name, or the key may not read it',
  409: 'understood and not done: the run, or an act before, does not let it',
  412: 'the run is at another revision than the one in If-Match',
  413: 'the body is too large',
  415: 'the body is of a kind that is not read',
  422: 'the value, or the workflow, does not fit',
  428: 'If-Match is missing',
  429: 'more calls, or open streams, than one principal may have, or too many credentials that do not count',
  503: 'the database does not answer, or the server has too much in hand',
} as const;

/** A media type without its parameters. */
function bare(media: string): string {
  return media.split(';')[0] ?? media;
}

/** Whether a call says which run it is about: a key may name several. */
function namesRun({ path, query }: Pick<Route, 'path'> & { readonly query: Route['query'] | undefined }): boolean {
  return path.includes('{run}') || query?.['run'] !== undefined;
}

/** Which of them come of where a route leads, whoever asks. */
function refusalsOfPlace(route: Route): readonly (keyof typeof REFUSALS)[] {
  const { path, method, query, resumes } = route;
  const isOfRun = namesRun({ path, query });
  const isOfAny = path === '/v1/runs' || path === '/v1/batches' || path === '/v1/pauses';
  const mayBeMissing = isOfRun || isOfAny || path.includes('{') || resumes === true;
  return [...(mayBeMissing ? ([404] as const) : []), ...(method !== 'GET' || isOfRun ? ([409] as const) : [])];
}

/** Which of them a route can give. */
export function refusalsOf(route: Route): readonly (keyof typeof REFUSALS)[] {
  const { right, admit, body, ifMatch, method } = route;
  return [
    400,
    ...(right === null && admit === undefined ? [] : ([401, 403, 429] as const)),
    ...refusalsOfPlace(route),
    ...(ifMatch === undefined ? [] : ([412] as const)),
    ...(method !== 'GET' ? ([413, 415] as const) : []),
    ...(body === undefined ? [] : ([422] as const)),
    ...(ifMatch === 'required' ? ([428] as const) : []),
    503,
  ];
}

/** References of `schemas/run.schema.json`, at home in the document. */
function placed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => placed(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema as JsonObject).map(([key, value]) => {
    if (key !== '$ref' || typeof value !== 'string') return [key, placed(value)];
    return [
      key,
      value === RUN_SCHEMA.$ref ? '#/components/schemas/Run' : value.replace('#/$defs/', '#/components/schemas/Run.'),
    ];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** A run and its parts as schemas of their own. */
function runSchemas(): JsonObject {
  const text = readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8');
  const { $schema: _schema, $id: _id, $defs, ...run } = JSON.parse(text) as JsonObject;
  const parts = Object.entries($defs as JsonObject).map(([name, part]) => [`Run.${name}`, placed(part)]);
  return { Run: placed(run), ...(Object.fromEntries(parts) as JsonObject) };
}

/** @param example of what is answered where all is well. */
function answerOf({ description, schema, media }: AnswerDoc, example: Json): JsonObject {
  const content = [
    ...(schema === undefined ? [] : [['application/json', { schema: placed(schema), example }]]),
    ...(media ?? []).map((type, at) => [type, { schema: { type: 'string' }, ...(at === 0 ? { example } : {}) }]),
  ];
  return { description, ...(content.length === 0 ? {} : { content: Object.fromEntries(content) as JsonObject }) };
}

function answersOf(route: Route): JsonObject {
  const refused = refusalsOf(route).map((status) => [
    String(status),
    {
      description: REFUSALS[status],
      content: { [bare(PROBLEM_MEDIA)]: { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]);
  const example = ANSWER_EXAMPLES[route.id] ?? null;
  const given = Object.entries(route.answers).map(([status, doc]) => [status, answerOf(doc, example)]);
  return Object.fromEntries([...given, ...refused]) as JsonObject;
}

function parametersOf(route: Route): readonly JsonObject[] {
  const canBeDry = route.query?.['dryRun'] !== undefined;
  const header = (name: string, description: string, required: boolean): JsonObject => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    ...paramsOf(route).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(route.query ?? {}).map(([name, { description, schema }]) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema,
    })),
    ...(route.idempotency === undefined
      ? []
      : [
          header(
            'Idempotency-Key',
            'the name of this act; sent again, it is the same act',
            route.idempotency === 'required' && !canBeDry,
          ),
        ]),
    ...(route.resumes === true
      ? [header('Last-Event-ID', 'the id of the last event that was read; it goes on behind it', false)]
      : []),
    ...(route.ifMatch === undefined
      ? []
      : [header('If-Match', 'the ETag of the run for which this is meant', route.ifMatch === 'required')]),
  ];
}

function bodyOf({ body }: Route): JsonObject {
  if (body === undefined) return {};
  const content =
    body.kind === 'json'
      ? { 'application/json': { schema: placed(body.schema), example: body.example } }
      : Object.fromEntries(body.media.map((type) => [type, { schema: { type: 'string' }, example: body.example }]));
  return { requestBody: { required: true, content } };
}

/** A route that lets callers in by something else takes a key beside it. */
function securityOf({ right, admit }: Route): JsonObject {
  if (right !== null) return { description: `Needs a key with the right \`${right}\`.` };
  return { security: admit === undefined ? [] : [{}, { key: [] }] };
}

function operationOf(route: Route): JsonObject {
  const { id, summary } = route;
  return {
    operationId: id,
    summary,
    ...securityOf(route),
    parameters: parametersOf(route),
    ...bodyOf(route),
    responses: answersOf(route),
  };
}

/** The API as OpenAPI 3.1, made from the table that the server answers by: neither says what the other does not. */
export function describeApi(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  return {
    openapi: '3.1.0',
    info: { title: 'Pawl', version: '1', description: 'Start, watch, decide, compensate and reconcile runs.' },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM, ...runSchemas() },
    },
  };
}
