import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_LOST, MALFORMED, NO_SERVER, NOT_PAWL } from '../../src/client/client-error.ts';
import { type Client, type ClientError, createClient } from '../../src/client/index.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';

/** What an attempt meets: an answer, or a fault of the way. */
type Met = Response | Error | 'silence';

/** A client whose attempts meet this, one after the other, and what each of them has sent. */
function meeting(...met: readonly Met[]): {
  readonly client: Client;
  readonly sent: { url: string; init: RequestInit }[];
} {
  const sent: { url: string; init: RequestInit }[] = [];
  const fetcher = ((url: string, init: RequestInit) => {
    const next = met[sent.length];
    sent.push({ url, init });
    if (next instanceof Response) return Promise.resolve(next);
    if (next instanceof Error) return Promise.reject(next);
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  }) as typeof fetch;
  return {
    client: createClient({ url: 'https://pawl.example/base/', key: 'pawl_k', fetch: fetcher, timeoutMs: 5_000 }),
    sent,
  };
}

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json; charset=utf-8' } });
function problem(status: number, code: string, retry: string, headers: Record<string, string> = {}): Response {
  const body = { code, retry, detail: 'in words', requestId: 'r-1', errors: [], details: {} };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}
const fault = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const page = (status: number): Response => new Response('<html>', { status, headers: { 'content-type': 'text/html' } });

const body = { workflow: 'sleep' };
const start = (client: Client): Promise<unknown> => client.startRun({ body }).catch((error: unknown) => error);
const publish = (client: Client): Promise<unknown> =>
  client.publishWorkflow({ body: 'x' }).catch((error: unknown) => error);
const read = (client: Client): Promise<unknown> => client.listRuns().catch((error: unknown) => error);

/** What becomes of a call while the clock runs as far as it wants. */
async function ends(call: Promise<unknown>): Promise<unknown> {
  await vi.runAllTimersAsync();
  return call;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a call', () => {
  it('carries the key, says what it takes, and goes to no other place than the one it was made for', async () => {
    const { client, sent } = meeting(
      json({}),
      new Response(null, { status: 307, headers: { location: 'https://b.example' } }),
    );
    await ends(client.showRun({ params: { run: 'O/1 ü' }, query: { wait: '5s' } }));
    expect(sent[0]?.url).toBe('https://pawl.example/base/v1/runs/O%2F1%20%C3%BC?wait=5s');
    expect(sent[0]?.init).toMatchObject({
      method: 'GET',
      redirect: 'manual',
      headers: { authorization: 'Bearer pawl_k', accept: 'application/json, application/problem+json' },
    });
    expect(await ends(read(client))).toMatchObject({ code: NOT_PAWL, retry: 'never', status: 307 });
    expect(sent).toHaveLength(2);
  });

  it('is not made with what would arrive as something else', async () => {
    const { client, sent } = meeting();
    const refused = { code: MALFORMED, retry: 'never', status: null };
    for (const run of ['..', '.', '']) await expect(client.showRun({ params: { run } })).rejects.toMatchObject(refused);
    for (const idempotencyKey of ['ü', 'a\n', 'a'.repeat(256)])
      await expect(client.startRun({ body, idempotencyKey })).rejects.toMatchObject(refused);
    const params = { run: 'x' };
    await expect(client.terminateRun({ params, body: { reason: 'r' }, ifMatch: '' })).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });

  it('whose answer is lost is sent again with the same bytes under the same name, and never more than three times', async () => {
    const { client, sent } = meeting(fault('UND_ERR_SOCKET'), page(502), json({ id: 'run_1' }, 201));
    expect(await ends(start(client))).toMatchObject({ status: 201 });
    const sendings = sent.map(({ init }) => [init.body, (init.headers as Record<string, string>)['idempotency-key']]);
    expect(sendings).toEqual([sendings[0], sendings[0], sendings[0]]);
    expect(sendings[0]?.[1]).toMatch(/^[0-9a-f-]{36}$/);
    const lost = meeting(...Array.from({ length: 4 }, () => fault('ECONNRESET')));
    expect(await ends(start(lost.client))).toMatchObject({
      code: ANSWER_LOST,
      retry: 'reconcile',
      idempotencyKey: expect.any(String),
    });
    expect(lost.sent).toHaveLength(3);
  });

  it('that has no name of its own is not sent again when its answer is lost, unless it writes nothing', async () => {
    const { client, sent } = meeting(fault('ECONNRESET'), json({}));
    expect(await ends(publish(client))).toMatchObject({ code: ANSWER_LOST, retry: 'reconcile' });
    expect(sent).toHaveLength(1);
    const dry = meeting(fault('ECONNRESET'), json({}));
    await ends(dry.client.publishWorkflow({ query: { dryRun: 'true' }, body: 'x' }));
    expect(dry.sent).toHaveLength(2);
    const reading = meeting(fault('ECONNRESET'), json({}));
    expect(await ends(read(reading.client))).toMatchObject({ status: 200 });
  });

  it('is sent again where nothing of it was done, whatever it is', async () => {
    const { client, sent } = meeting(fault('ECONNREFUSED'), problem(503, 'PAWL_API_OVERLOADED', 'later'), json({}));
    expect(await ends(publish(client))).toMatchObject({ status: 200 });
    expect(sent).toHaveLength(3);
    const away = meeting(...Array.from({ length: 3 }, () => fault('ECONNREFUSED')));
    expect(await ends(start(away.client))).toMatchObject({ code: NO_SERVER, retry: 'later', status: null });
  });

  it('is not said to be undone when only its last sending was', async () => {
    const { client } = meeting(fault('ECONNRESET'), fault('ECONNREFUSED'), fault('ECONNREFUSED'));
    expect(await ends(start(client))).toMatchObject({ code: ANSWER_LOST, retry: 'reconcile' });
  });

  it('is not sent again after a refusal', async () => {
    const { client, sent } = meeting(problem(409, 'PAWL_EVENT_CONFLICT', 'never'), json({}));
    expect(await ends(start(client))).toMatchObject({
      code: 'PAWL_EVENT_CONFLICT',
      status: 409,
      retry: 'never',
      requestId: 'r-1',
      problem: { code: 'PAWL_EVENT_CONFLICT' },
    });
    expect(sent).toHaveLength(1);
  });

  it('waits as long as the server asks, and tells who asks for too much', async () => {
    const { client, sent } = meeting(problem(503, 'PAWL_STORE_FAILED', 'later', { 'retry-after': '7' }), json({}));
    const call = read(client);
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([await call, sent.length]).toEqual([expect.objectContaining({ status: 200 }), 2]);
    const long = meeting(problem(503, 'PAWL_STORE_FAILED', 'later', { 'retry-after': '60' }));
    expect(await ends(read(long.client))).toMatchObject({ code: 'PAWL_STORE_FAILED', retryAfterMs: 60_000 });
  });

  it('has its time, and that for which it lets the server wait', async () => {
    const { client, sent } = meeting('silence', 'silence', 'silence');
    const call = client.startRun({ query: { wait: '20s' }, body }).catch((error: unknown) => error as ClientError);
    await vi.advanceTimersByTimeAsync(24_999);
    expect(sent).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(await call).toMatchObject({ code: ANSWER_LOST, message: expect.stringContaining('within 25000 ms') });
    expect(sent).toHaveLength(3);
  });

  it('is given up when its caller says so, also between two sendings', async () => {
    const giving = new AbortController();
    const { client, sent } = meeting(fault('ECONNREFUSED'), json({}));
    const call = client.listRuns({ signal: giving.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    giving.abort(new Error('enough'));
    expect([await call, sent.length]).toEqual([new Error('enough'), 1]);
    const silent = meeting('silence');
    const other = new AbortController();
    const waiting = silent.client.listRuns({ signal: other.signal }).catch((error: unknown) => error);
    other.abort();
    expect(await waiting).toMatchObject({ message: 'aborted' });
  });

  it('that a stranger answers says so: nothing was understood, or nobody knows what was done', async () => {
    expect(await ends(start(meeting(page(200)).client))).toMatchObject({ code: NOT_PAWL, status: 200 });
    expect(await ends(read(meeting(page(404)).client))).toMatchObject({ code: NOT_PAWL, retry: 'never' });
    const cut = new Response('{"id":', { status: 201, headers: { 'content-type': 'application/json' } });
    expect(await ends(publish(meeting(cut).client))).toMatchObject({ code: ANSWER_LOST });
    const odd = new Response('{}', { status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(await ends(read(meeting(odd).client))).toMatchObject({ code: NOT_PAWL, status: 400 });
  });

  it('gives codes that docs/reference/errors.md lists, with their advice', () => {
    expect(ERROR_CODES[NO_SERVER].retry).toBe('later');
    expect(ERROR_CODES[ANSWER_LOST].retry).toBe('reconcile');
    expect(ERROR_CODES[NOT_PAWL].retry).toBe('never');
    expect(ERROR_CODES[MALFORMED].retry).toBe('never');
  });
});
