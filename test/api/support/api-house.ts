import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { FunctionCall } from '../../../src/actions/action-function.ts';
import { Rejected } from '../../../src/actions/function-outcomes.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { PROBLEM, RUN_SCHEMA } from '../../../src/api/schemas.ts';
import { type ApiServer, openServer, type ServerOptions } from '../../../src/api/server.ts';
import { createKey } from '../../../src/app/api-keys.ts';
import type { Config } from '../../../src/app/config.ts';
import { type App, type AppOptions, createApp } from '../../../src/app/create-app.ts';
import { compileSchema } from '../../../src/definition/schema-validator.ts';
import { API_ROLES, type ApiRole, type KeyScope } from '../../../src/model/api-key.ts';
import type { JsonSchema } from '../../../src/model/definition.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';

/** The release that the servers of these tests tell. */
export const RELEASE = '0.0.0-test';
const LEASE_MS = 9_000;

const RUN = JSON.parse(
  readFileSync(new URL('../../../schemas/run.schema.json', import.meta.url), 'utf8'),
) as JsonObject;

/** How a call differs from a plain one. */
export interface Asked {
  /** A role whose key is sent, or a key; null = none. Left out: the admin's. */
  readonly as?: ApiRole | string | null;
  readonly body?: Json;
  /** Sent as it is, instead of `body`. */
  readonly text?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** What came back. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body as JSON. */
  json<T = Readonly<Record<string, never>>>(): T;
}

/** A server over a store in memory, with a key of each role. */
export interface ApiHouse {
  readonly app: App;
  readonly server: ApiServer;
  /** Lines that were logged. */
  readonly logged: readonly { readonly event: string; readonly facts: Readonly<Record<string, unknown>> }[];
  keyOf(role: ApiRole): string;
  /** Makes another key. */
  key(roles: readonly ApiRole[], options?: { principal?: string; scopes?: readonly KeyScope[] }): Promise<string>;
  /** Calls, and checks that what comes back is what the table says of the route. */
  call(method: string, url: string, asked?: Asked): Promise<Told>;
  get(url: string, asked?: Asked): Promise<Told>;
  post(url: string, body: Json, asked?: Asked): Promise<Told>;
  close(): Promise<void>;
}

/** The schema of an answer, with the run's in its place. */
function schemaOf(method: string, path: string, status: number): JsonSchema | null {
  if (status >= 400) return PROBLEM;
  const route = ROUTES.find(
    (row) => row.method === method && new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  const schema = route?.answers[status]?.schema ?? null;
  return schema === RUN_SCHEMA ? RUN : schema;
}

function checkAnswer(method: string, url: string, told: Told): void {
  const [path = ''] = url.split('?');
  const isProblem = told.status >= 400;
  if (isProblem)
    expect(told.headers['content-type'], `${method} ${url}`).toBe('application/problem+json; charset=utf-8');
  expect(told.headers['x-request-id'], `${method} ${url}`).toEqual(expect.any(String));
  const schema = schemaOf(method, path, told.status);
  if (schema === null || told.text === '') return;
  expect(compileSchema(schema)(told.json<Json>()), `${method} ${url} ${told.status} ${told.text}`).toEqual([]);
}

let keys = 0;

/** What the actions do: `ship` refuses the order `undone`; `wire` leaves everybody in doubt. */
const FUNCTIONS = new Map(
  Object.entries({
    'reserve@1': { send: () => ({ id: 'R-1' }) },
    'unreserve@1': { send: () => ({ id: 'U-1' }) },
    'ship@1': {
      send: ({ request }: FunctionCall) => {
        if ((request as { order: string }).order.startsWith('undone')) throw new Rejected('sold-out', 'nothing left');
        return { id: 'S-1' };
      },
    },
    'wire@1': { send: () => Promise.reject(new Error('the answer was lost')) },
  }),
);

/** A name of an act that no other call of a test has. */
export function newAct(): Readonly<Record<string, string>> {
  keys += 1;
  return { 'idempotency-key': `act-${keys}` };
}

/** Opens one. @param options.worker whether effects are sent. */
export async function openApiHouse(
  options: Partial<Pick<ServerOptions, 'authentication' | 'rates'>> &
    Partial<Pick<AppOptions, 'store' | 'env' | 'functions' | 'actions'>> &
    Pick<Config, 'links'> & { readonly worker?: boolean } = {},
): Promise<ApiHouse> {
  const logged: { event: string; facts: Readonly<Record<string, unknown>> }[] = [];
  const log = (facts: Readonly<Record<string, unknown>>, event: string): void => void logged.push({ event, facts });
  const store = options.store ?? openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 2, leaseMs: LEASE_MS });
  const app = await createApp({
    config: {
      databaseUrl: null,
      dataDir: '/nowhere',
      functions: [],
      catalogues: [],
      principals: { ana: ['finance'], zoe: [] },
      numbers: numbersFor(LEASE_MS),
      ...(options.links === undefined ? {} : { links: options.links }),
    },
    env: { PAWL_AS: 'local', ...options.env },
    store,
    functions: options.functions ?? FUNCTIONS,
    ...(options.actions === undefined ? {} : { actions: options.actions }),
    logger: { info: () => undefined, warn: log, error: log },
  });
  if (options.worker === true) await app.runWorker();
  const { authentication = 'keys', rates } = options;
  const server = openServer({ app, authentication, release: RELEASE, ...(rates === undefined ? {} : { rates }) });
  const key: ApiHouse['key'] = async (roles, { principal = roles[0] ?? 'nobody', scopes = [] } = {}) =>
    (await createKey(app, { principal, roles, scopes, forMs: null, by: 'root' })).key;
  const byRole = new Map<string, string>();
  for (const role of API_ROLES) byRole.set(role, await key([role]));
  const call: ApiHouse['call'] = async (method, url, { as = 'admin', body, text, headers = {} } = {}) => {
    const authorization = as === null ? {} : { authorization: `Bearer ${byRole.get(as) ?? as}` };
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const reply = await server.inject({
      method: method as 'GET',
      url,
      headers: {
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const told: Told = {
      status: reply.statusCode,
      headers: reply.headers,
      text: reply.payload,
      json: <T>() => JSON.parse(reply.payload) as T,
    };
    checkAnswer(method, url, told);
    return told;
  };
  return {
    app,
    server,
    logged,
    keyOf: (role) => byRole.get(role) ?? '',
    key,
    call,
    get: (url, asked) => call('GET', url, asked),
    post: (url, body, asked = {}) => call('POST', url, { body, ...asked, headers: { ...newAct(), ...asked.headers } }),
    close: async () => {
      await server.close(1_000);
      await app.close();
    },
  };
}
