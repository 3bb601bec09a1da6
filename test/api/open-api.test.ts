import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_EXAMPLES } from '../../src/api/examples.ts';
import { refusalsOf } from '../../src/api/open-api.ts';
import type { Route } from '../../src/api/route.ts';
import { openApi, ROUTES } from '../../src/api/routes.ts';
import { RUN_SCHEMA } from '../../src/api/schemas.ts';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { JsonSchema } from '../../src/model/definition.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type ApiHouse, openApiHouse, RELEASE } from './support/api-house.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
});
afterAll(() => house.close());

/** Every reference of a document. */
function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    key === '$ref' ? [String(item)] : referencesIn(item),
  );
}

/** What a route says of keys: nothing where it needs one, as all do; none, or one beside what lets a caller in. */
function securityOf({ right, admit }: Route): readonly unknown[] | undefined {
  if (right !== null) return undefined;
  return admit === undefined ? [] : [{}, { key: [] }];
}

describe('/openapi.json', () => {
  it('is told to anybody, and is OpenAPI 3.1', async () => {
    const told = await house.get('/openapi.json', { as: null });
    expect(told.status).toBe(200);
    const checked = await new Validator().validate(told.json<JsonObject>());
    expect(checked.errors ?? []).toEqual([]);
    expect(checked.valid).toBe(true);
  });

  it('points only at what it has', () => {
    const document = openApi();
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\/components\/schemas\//);
      const name = reference.slice('#/components/schemas/'.length);
      expect(Object.keys((document['components'] as JsonObject)['schemas'] as JsonObject)).toContain(name);
    }
  });

  it('has an operation for each row of the table, with its parameters, body and answers, and no other', () => {
    const operations = Object.entries(openApi()['paths'] as Readonly<Record<string, JsonObject>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, ...(operation as JsonObject) })),
    );
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)).toEqual(
      expect.arrayContaining(ROUTES.map(({ path, method }) => `${method} ${path}`)),
    );
    expect(operations).toHaveLength(ROUTES.length);
    for (const route of ROUTES) {
      const operation = operations.find((one) => (one as unknown as { operationId: string }).operationId === route.id);
      const told = operation as unknown as { responses: object; security?: readonly unknown[]; requestBody?: object };
      const statuses = [...Object.keys(route.answers).map(Number), ...refusalsOf(route)].sort((a, b) => a - b);
      expect(Object.keys(told.responses).map(Number), route.id).toEqual([...new Set(statuses)]);
      expect(told.security, route.id).toEqual(securityOf(route));
      expect(told.requestBody !== undefined, route.id).toBe(route.body !== undefined);
    }
  });
});

describe('an example', () => {
  const RUN = JSON.parse(readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8')) as JsonObject;
  const misfits = (schema: JsonSchema, example: unknown): readonly unknown[] =>
    compileSchema(schema === RUN_SCHEMA ? RUN : schema)(example as Json);
  interface Shown {
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
    readonly responses: Readonly<
      Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
    >;
  }

  it.each(ROUTES.map(({ id }) => id))('of each answer and of the body of %s is in the document, and fits', (id) => {
    const route = ROUTES.find((row) => row.id === id) as Route;
    const paths = openApi()['paths'] as unknown as Readonly<Record<string, Readonly<Record<string, Shown>>>>;
    const shown = paths[route.path]?.[route.method.toLowerCase()] as Shown;
    for (const [status, { schema, media }] of Object.entries(route.answers)) {
      const content = shown.responses[status]?.content ?? {};
      if (schema !== undefined) {
        const example = content['application/json']?.example;
        expect([status, example === undefined, misfits(schema, example)]).toEqual([status, false, []]);
      }
      const [first] = media ?? [];
      if (first !== undefined) expect(content[first]?.example).toEqual(expect.stringMatching(/\S/));
    }
    const { body } = route;
    for (const { example } of Object.values(shown.requestBody?.content ?? {}))
      expect([example, body?.kind === 'json' ? misfits(body.schema, example) : []]).toEqual([expect.anything(), []]);
  });

  it('is of an operation that there is', () => {
    const ids = ROUTES.map(({ id }) => id);
    expect(Object.keys(ANSWER_EXAMPLES).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('routes about the server itself', () => {
  it('say that it lives, that it is ready, and which release it is', async () => {
    expect((await house.get('/healthz', { as: null })).json()).toEqual({ status: 'ok' });
    expect((await house.get('/readyz', { as: null })).json()).toEqual({ status: 'ok' });
    expect((await house.get('/version', { as: null })).json()).toEqual({ name: 'pawl', version: RELEASE });
  });
});
