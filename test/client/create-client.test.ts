import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalsOf } from '../../src/api/open-api.ts';
import { isPathOf, type Route } from '../../src/api/route.ts';
import { openApi, ROUTES } from '../../src/api/routes.ts';
import { type Client, ClientError, createClient, type Reply } from '../../src/client/index.ts';
import { type ApiHouse, openApiHouse, RELEASE } from '../api/support/api-house.ts';
import { ASK, LISTEN, ORDER, publishAll, SLEEP } from '../api/support/workflows.ts';
import { injectFetch } from './support/inject-fetch.ts';

let house: ApiHouse;
let client: Client;
/** What was asked of the server, as `GET /v1/runs`. */
const asked: [method: string, path: string][] = [];
beforeAll(async () => {
  house = await openApiHouse({ worker: true });
  client = clientOf(house.keyOf('admin'));
  await publishAll(house, [SLEEP, LISTEN, ASK, ORDER]);
});
afterAll(() => house.close());

function clientOf(key: string): Client {
  const fetcher = injectFetch(house.server, (method, path) => void asked.push([method, path]));
  return createClient({ url: 'http://pawl.example', key, fetch: fetcher });
}

let runs = 0;
/** Starts a run and waits until it rests. @returns its id, and its tag. */
async function started(workflow: string, prefix = 'run'): Promise<{ readonly run: string; readonly ifMatch: string }> {
  runs += 1;
  const { data, etag } = await client.startRun({
    query: { wait: '20s' },
    body: { workflow, input: { id: `${prefix}-${runs}` } },
  });
  return { run: data.id, ifMatch: etag ?? '' };
}

const reason = 'as agreed';
const version = { workflow: 'sleep', version: '1' } as const;

/** How operations are asked so that they do what they are for; every other is asked with the example of its description. */
const WAYS: Partial<Record<keyof Client, () => Promise<Reply<unknown>>>> = {
  isAlive: () => client.isAlive(),
  isReady: () => client.isReady({}),
  showRelease: () => client.showRelease(),
  listWorkflows: () => client.listWorkflows(),
  listVersions: () => client.listVersions({ params: { workflow: 'sleep' } }),
  showVersion: () => client.showVersion({ params: version }),
  showSource: () => client.showSource({ params: version }),
  showDiagram: () => client.showDiagram({ params: version, query: { format: 'mermaid' } }),
  publishWorkflow: () => client.publishWorkflow({ body: SLEEP.replace('version: 1', 'version: 2') }),
  startRun: () => client.startRun({ body: { workflow: 'sleep', input: { id: 'started' } } }),
  listRuns: () => client.listRuns({ query: { workflow: 'sleep', limit: '2' } }),
  showRun: async () => client.showRun({ params: await started('sleep') }),
  showJournal: async () => client.showJournal({ params: await started('sleep') }),
  sendEvent: async () =>
    client.sendEvent({ params: await started('listen'), body: { type: 'paid', data: { amount: 1 } } }),
  vote: async () => {
    const { run } = await started('ask');
    const [approval] = (await client.showRun({ params: { run } })).data.approvals;
    const body = { decision: 'approve', subjectHash: approval?.subjectHash ?? '' } as const;
    return clientOf(house.keyOf('approver')).vote({ params: { run, approval: 'decision' }, body });
  },
  cancelRun: async () => client.cancelRun({ params: await started('sleep'), body: { reason } }),
  terminateRun: async () => {
    const { run, ifMatch } = await started('sleep');
    return client.terminateRun({ params: { run }, body: { reason }, ifMatch });
  },
  pauseRun: async () => client.pauseRun({ params: await started('sleep'), body: { reason } }),
  resumeRun: async () => {
    const params = await started('sleep');
    await client.pauseRun({ params, body: { reason } });
    return client.resumeRun({ params, query: { reason } });
  },
  compensateRun: async () => {
    const params = await started('order');
    const { data } = await client.compensateRun({ params, query: { dryRun: 'true' }, body: { reason } });
    const planHash = 'planHash' in data ? data.planHash : '';
    return client.compensateRun({ params, body: { reason, planHash } });
  },
  retryStep: async () => {
    const { run, ifMatch } = await started('order', 'undone');
    return client.retryStep({ params: { run }, body: { step: 'ship', reason }, ifMatch });
  },
};

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example: unknown }>> };
}

const OPERATIONS = Object.values(openApi()['paths'] as Readonly<Record<string, object>>).flatMap(
  (methods): readonly Described[] => Object.values(methods),
);

/** Asks an operation by its description alone. */
async function byExample({ operationId, parameters, requestBody }: Described): Promise<Reply<unknown>> {
  const { run } = await started('order');
  const names: Readonly<Record<string, string>> = { ...version, run, approval: 'decision', effect: 'reserve' };
  const params = parameters.filter((one) => one.in === 'path').map(({ name }) => [name, names[name] ?? 'unknown']);
  const [body] = Object.values(requestBody?.content ?? {});
  const call = Reflect.get(client, operationId) as (call: object) => Promise<Reply<unknown>>;
  return call({
    params: Object.fromEntries(params) as object,
    ...(body === undefined ? {} : { body: body.example }),
    ...(parameters.some(({ name, required }) => name === 'If-Match' && required) ? { ifMatch: '"0"' } : {}),
  });
}

function routeOf(id: string): Route {
  const route = ROUTES.find((row) => row.id === id);
  if (route === undefined) throw new Error(`no route ${id}`);
  return route;
}

describe('the client', () => {
  it.each(OPERATIONS.map(({ operationId }) => operationId))('has %s, and is understood', async (id) => {
    const operation = OPERATIONS.find(({ operationId }) => operationId === id) as Described;
    const route = routeOf(id);
    const way = WAYS[id as keyof Client];
    asked.length = 0;
    const told = await (way ?? (() => byExample(operation)))().catch((error: unknown) => error);
    expect(asked.some(([method, path]) => method === route.method && isPathOf(route, path))).toBe(true);
    if (told instanceof ClientError) {
      expect([way, told.problem?.code, told.message]).toEqual([undefined, told.code, expect.any(String)]);
      expect(refusalsOf(route)).toContain(told.status);
      // These would say that it was not asked as the table wants it.
      expect([400, 405, 415, 428], told.message).not.toContain(told.status);
      expect(told.code).not.toBe('PAWL_API_NO_ROUTE');
      return;
    }
    const { status, data } = told as Reply<unknown>;
    expect(Object.keys(route.answers).map(Number), JSON.stringify(told)).toContain(status);
    if (data instanceof ReadableStream) await data.cancel();
  });

  it('gives what was asked for as its types say', async () => {
    expect((await client.showRelease()).data).toEqual({ name: 'pawl', version: RELEASE });
    expect((await client.showSource({ params: version })).data).toBe(SLEEP);
    const { run, ifMatch } = await started('sleep');
    const { data, etag, status, isReplay, requestId } = await client.showRun({ params: { run } });
    expect([data.id, data.status, status, isReplay]).toEqual([run, 'WAITING', 200, false]);
    expect([etag, requestId]).toEqual([ifMatch, expect.any(String)]);
    const { data: page } = await client.listRuns({ query: { workflow: 'sleep', limit: '1' } });
    expect([page.data[0]?.id, page.nextCursor]).toEqual([run, expect.any(String)]);
  });

  it('names an act once for all its sendings, and anew for each call', async () => {
    const params = await started('listen');
    const body = { type: 'paid', data: { amount: 1 } };
    const first = await client.sendEvent({ params, body, idempotencyKey: 'bank-1' });
    const again = await client.sendEvent({ params, body, idempotencyKey: 'bank-1' });
    expect([first.status, first.isReplay, again.status, again.isReplay]).toEqual([201, false, 200, true]);
    const other = await started('listen');
    const ids = [await client.sendEvent({ params: other, body }), await client.sendEvent({ params: other, body })];
    expect(new Set(ids.map(({ data }) => data.eventId)).size).toBe(2);
  });

  it('tells what was refused with its code, its places and the id under which the log has it', async () => {
    const unknown = await client.showRun({ params: { run: 'nobody' } }).catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(ClientError);
    expect(unknown).toMatchObject({
      code: 'PAWL_RUN_NOT_FOUND',
      status: 404,
      retry: 'never',
      message: 'there is no run nobody',
    });
    const body = { workflow: 'sleep', input: {} };
    const misfit = (await client.startRun({ body }).catch((error: unknown) => error)) as ClientError;
    expect([misfit.code, misfit.requestId, misfit.idempotencyKey]).toEqual([
      'PAWL_INPUT_INVALID',
      misfit.problem?.requestId,
      expect.any(String),
    ]);
    expect(misfit.problem?.errors.map(({ pointer }) => pointer)).toEqual(['/input/id']);
    const stranger = createClient({ url: 'http://pawl.example', fetch: injectFetch(house.server) });
    await expect(stranger.listRuns()).rejects.toMatchObject({ code: 'PAWL_API_UNAUTHENTICATED', status: 401 });
  });

  it('is made of an address that holds no password, and of a key that can be sent', () => {
    for (const url of ['ftp://pawl.example', 'https://ana:secret@pawl.example', 'http://pawl.example/?a=1', 'pawl'])
      expect(() => createClient({ url }), url).toThrow(TypeError);
    expect(() => createClient({ url: 'https://pawl.example', key: 'pawl_1\n' })).toThrow(TypeError);
  });
});
