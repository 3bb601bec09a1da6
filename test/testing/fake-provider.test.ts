import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProvider } from '../../src/testing/fake-provider.ts';
import type { Provider } from '../../src/testing/fake-provider.ts';
import type { ProviderOptions } from '../../src/testing/provider/options.ts';

let folder = '';
let bookFile = '';
const running = new Set<Provider>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-provider-'));
  bookFile = join(folder, 'book.jsonl');
});
afterEach(async () => {
  await Promise.all([...running].map((provider) => provider.close()));
  running.clear();
  rmSync(folder, { recursive: true });
});

async function start(options: Partial<ProviderOptions> = {}): Promise<Provider> {
  const provider = await startProvider({ bookFile, ...options });
  running.add(provider);
  return provider;
}

async function stop(provider: Provider): Promise<void> {
  running.delete(provider);
  await provider.close();
}

interface Call {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What came back: a status and a body, or `lost`. */
async function post(url: string, { key, body = { amount: 5 }, headers = {}, signal }: Call = {}): Promise<unknown> {
  const all = { connection: 'close', ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers };
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: all,
      signal: signal ?? null,
    });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED' ? 'refused' : 'lost';
  }
}

async function get(url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.json() };
}

/** Waits until the provider's book or calls say so, turn by turn. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the book', () => {
  it('has what happened, in order, with the facts of the call, and nothing else', async () => {
    const provider = await start({ script: { charge: '503 then ok', ship: 'declined' } });
    const marks = { 'pawl-effect': 'e1', 'pawl-attempt': '2', 'pawl-fence': '9' };
    await post(`${provider.url}/charge`, { key: 'k1' });
    await post(`${provider.url}/charge`, { key: 'k1', headers: marks });
    await post(`${provider.url}/ship`, { key: 'k2' });
    await post(`${provider.url}/void`, { key: 'k3', body: { id: 'charge-1' } });
    expect(provider.effects()).toEqual(['charge', 'void']);
    expect(provider.book()[0]).toEqual({
      no: 1,
      operation: 'charge',
      id: 'charge-1',
      key: 'k1',
      effect: 'e1',
      attempt: 2,
      fence: 9,
      path: '/charge',
      request: { amount: 5 },
    });
    expect(provider.calls().map(({ operation, word, status }) => [operation, word, status])).toEqual([
      ['charge', '503', 503],
      ['charge', 'ok', 201],
      ['ship', 'declined', 402],
      ['void', 'ok', 201],
    ]);
  });

  it('survives: the next provider over the same file goes on, with its keys, ids and scripts', async () => {
    const script = { charge: 'lost-done, 503, ok' };
    const first = await start({ script });
    expect(await post(`${first.url}/charge`, { key: 'k1' })).toBe('lost');
    await stop(first);
    const second = await start({ script });
    expect(await post(`${second.url}/charge`, { key: 'k1' })).toMatchObject({ status: 503 });
    expect(await post(`${second.url}/charge`, { key: 'k1' })).toMatchObject({ status: 201, body: { id: 'charge-1' } });
    expect(await post(`${second.url}/charge`, { key: 'k2' })).toMatchObject({ status: 201, body: { id: 'charge-2' } });
    expect(second.effects()).toEqual(['charge', 'charge']);
    expect(second.book().map(({ no }) => no)).toEqual([1, 2]);
  });

  it('cuts off a last line that was never finished', async () => {
    const first = await start();
    await post(`${first.url}/charge`, { key: 'k1' });
    await stop(first);
    appendFileSync(bookFile, '{"kind":"effect","no":2,"operat');
    const second = await start();
    expect(second.effects()).toEqual(['charge']);
    await post(`${second.url}/ship`, { key: 'k2' });
    await stop(second);
    const third = await start();
    expect(third.effects()).toEqual(['charge', 'ship']);
  });

  it('counts happenings by key', async () => {
    const provider = await start({ keys: 'ignored' });
    for (const key of ['k1', 'k1', 'k2']) await post(`${provider.url}/charge`, { key });
    expect([...provider.happenedByKey()]).toEqual([
      ['k1', 2],
      ['k2', 1],
    ]);
  });
});

describe('keys', () => {
  it('honoured: the first answer again, without acting again', async () => {
    const provider = await start();
    const first = await post(`${provider.url}/charge`, { key: 'k1' });
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toEqual(first);
    expect(provider.effects()).toEqual(['charge']);
  });

  it('honoured: the same key with another body, or for something else, is refused and does nothing', async () => {
    const provider = await start();
    await post(`${provider.url}/charge`, { key: 'k1', body: { amount: 5 } });
    expect(await post(`${provider.url}/charge`, { key: 'k1', body: { amount: 6 } })).toMatchObject({
      status: 422,
      body: { error: 'key-reused' },
    });
    expect(await post(`${provider.url}/void`, { key: 'k1', body: { amount: 5 } })).toMatchObject({ status: 422 });
    expect(provider.effects()).toEqual(['charge']);
  });

  it('honoured: the same body with its fields in another order is the same request', async () => {
    const provider = await start();
    await post(`${provider.url}/charge`, { key: 'k1', body: { a: 1, b: 2 } });
    expect(await post(`${provider.url}/charge`, { key: 'k1', body: { b: 2, a: 1 } })).toMatchObject({ status: 201 });
  });

  it('honoured: a refusal for good is remembered too', async () => {
    const provider = await start({ script: { charge: 'declined, ok' } });
    await post(`${provider.url}/charge`, { key: 'k1' });
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toMatchObject({ status: 402 });
    expect(await post(`${provider.url}/charge`, { key: 'k2' })).toMatchObject({ status: 201 });
  });

  it('honoured: calls without a key act each time', async () => {
    const provider = await start();
    await post(`${provider.url}/charge`);
    await post(`${provider.url}/charge`);
    expect(provider.effects()).toEqual(['charge', 'charge']);
  });

  it('ignored: every accepted call acts, and the book still says with which key', async () => {
    const provider = await start({ keys: 'ignored' });
    await post(`${provider.url}/charge`, { key: 'k1' });
    await post(`${provider.url}/charge`, { key: 'k1', body: { amount: 6 } });
    expect(provider.book().map(({ key, request }) => [key, request])).toEqual([
      ['k1', { amount: 5 }],
      ['k1', { amount: 6 }],
    ]);
  });

  it('forgotten: the next call under the key acts again, also after a restart', async () => {
    const first = await start();
    await post(`${first.url}/charge`, { key: 'k1' });
    first.forgetKeys();
    await stop(first);
    const second = await start();
    await post(`${second.url}/charge`, { key: 'k1' });
    expect(second.effects()).toEqual(['charge', 'charge']);
  });

  it('are read from another header or from a field of the body', async () => {
    const byHeader = await start({ keyHeader: 'X-Request-Id' });
    await post(`${byHeader.url}/charge`, { headers: { 'x-request-id': 'k1' } });
    expect(byHeader.book()[0]?.key).toBe('k1');
    await stop(byHeader);
    const byField = await start({ keyField: 'requestId' });
    await post(`${byField.url}/charge`, { body: { requestId: 'k2' } });
    expect(byField.book()[1]?.key).toBe('k2');
  });
});

describe('the words', () => {
  it('a status is answered and nothing is done', async () => {
    const provider = await start({ script: { charge: '500, 429, 404' }, retryAfterSeconds: 3 });
    const url = `${provider.url}/charge`;
    expect(await post(url, { key: 'k1' })).toMatchObject({ status: 500 });
    const throttled = await fetch(url, { method: 'POST', headers: { connection: 'close' } });
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await post(url, { key: 'k1' })).toMatchObject({ status: 404 });
    expect(provider.effects()).toEqual([]);
  });

  it('lost-done does it once and answers nothing; lost-not-done does nothing and looks the same', async () => {
    const provider = await start({ script: { charge: 'lost-done x2', ship: 'lost-not-done' } });
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toBe('lost');
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toBe('lost');
    expect(await post(`${provider.url}/ship`, { key: 'k2' })).toBe('lost');
    expect(provider.effects()).toEqual(['charge']);
  });

  it('hang, and lost by silence, leave the caller waiting until it gives up', async () => {
    const provider = await start({ script: { charge: 'hang', ship: 'lost-done' }, lost: 'silence' });
    for (const operation of ['charge', 'ship']) {
      const caller = new AbortController();
      const waiting = post(`${provider.url}/${operation}`, { key: operation, signal: caller.signal });
      await until(() => provider.calls().some((call) => call.operation === operation));
      caller.abort();
      expect(await waiting).toBe('lost');
    }
    expect(provider.effects()).toEqual(['ship']);
  });

  it('unreadable-done does it and answers a page', async () => {
    const provider = await start({ script: { charge: 'unreadable-done' } });
    const response = await fetch(`${provider.url}/charge`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k1', connection: 'close' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(provider.effects()).toEqual(['charge']);
  });

  it('unreadable-done under a key that was declined repeats the refusal: a page would say that it was done', async () => {
    const provider = await start({ script: { charge: 'declined, unreadable-done' } });
    for (const _time of [1, 2])
      expect(await post(`${provider.url}/charge`, { key: 'k1' })).toMatchObject({ status: 402 });
    expect(provider.effects()).toEqual([]);
  });

  it('late-done happens after the answer was lost, unless the key was used meanwhile', async () => {
    const provider = await start({ script: { charge: 'late-done', ship: 'late-done, ok' }, lateMs: 30 });
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toBe('lost');
    expect(provider.effects()).toEqual([]);
    expect(await post(`${provider.url}/ship`, { key: 'k2' })).toBe('lost');
    expect(await post(`${provider.url}/ship`, { key: 'k2' })).toMatchObject({ status: 201 });
    await until(() => readFileSync(bookFile, 'utf8').split('"kind":"kept"').length === 3);
    expect([...provider.happenedByKey()].sort()).toEqual([
      ['k1', 1],
      ['k2', 1],
    ]);
  });

  it('pending is accepted with 202, shown as pending, and happens later, also after a restart', async () => {
    const first = await start({ script: { charge: 'pending' }, lateMs: 60_000 });
    expect(await post(`${first.url}/charge`, { key: 'k1' })).toMatchObject({
      status: 202,
      body: { status: 'pending' },
    });
    expect(await get(`${first.url}/charge?key=k1`)).toMatchObject({
      body: { items: [{ id: 'charge-1', status: 'pending' }] },
    });
    expect(first.effects()).toEqual([]);
    await stop(first);
    const second = await start({ lateMs: 1 });
    await until(() => second.effects().length === 1);
    expect(await get(`${second.url}/charge?key=k1`)).toMatchObject({
      body: { items: [{ id: 'charge-1', status: 'done' }] },
    });
  });

  it('refused shuts the door for a while; then the next word counts', async () => {
    const provider = await start({ script: { charge: 'refused then ok' }, refusedMs: 100 });
    expect(await post(`${provider.url}/charge`, { key: 'k1' })).toBe('refused');
    await until(() => provider.calls().length === 1);
    let answer: unknown = 'refused';
    while (answer === 'refused') answer = await post(`${provider.url}/charge`, { key: 'k1' });
    expect(answer).toMatchObject({ status: 201 });
    expect(provider.calls().map(({ word }) => word)).toEqual(['refused', 'ok']);
  });

  it('refused can also be had by hand, on the same port', async () => {
    const provider = await start();
    provider.shut();
    expect(await post(`${provider.url}/charge`)).toBe('refused');
    await provider.open();
    expect(await post(`${provider.url}/charge`)).toMatchObject({ status: 201 });
  });

  it('another script counts from the next call on', async () => {
    const provider = await start({ script: { charge: '503 x9' } });
    await post(`${provider.url}/charge`);
    provider.setScript({ charge: 'ok then declined' });
    expect(await post(`${provider.url}/charge`)).toMatchObject({ status: 201 });
    expect(await post(`${provider.url}/charge`)).toMatchObject({ status: 402 });
  });

  it('of the cases are these, each known, and each does what the table of the cases says', async () => {
    const table: readonly (readonly [word: string, answer: unknown, happens: number])[] = [
      ['ok', { status: 201 }, 1],
      ['503', { status: 503 }, 0],
      ['500', { status: 500 }, 0],
      ['429', { status: 429 }, 0],
      ['declined', { status: 402 }, 0],
      ['refused', 'refused', 0],
      ['lost-done', 'lost', 1],
      ['lost-not-done', 'lost', 0],
    ];
    for (const [word, answer, happens] of table) {
      const provider = await start({ script: { charge: word }, bookFile: join(folder, `${word}.jsonl`) });
      expect([word, await post(`${provider.url}/charge`, { key: 'k1' })]).toMatchObject([word, answer]);
      expect([word, provider.effects().length]).toEqual([word, happens]);
      await stop(provider);
    }
  });

  it('are read and set over HTTP; what cannot be read is told with 400 and changes nothing', async () => {
    const provider = await start({ script: { charge: '503 x2 then ok' } });
    const script = `${provider.url}/_provider/script`;
    const put = async (body: string): Promise<unknown> => {
      const response = await fetch(script, { method: 'PUT', body, headers: { connection: 'close' } });
      return { status: response.status, body: await response.json() };
    };
    const before = { status: 200, body: { charge: ['503', '503', 'ok'] } };
    expect(await get(script)).toEqual(before);
    expect(await put('{"charge":"declined","ship":"maybe"}')).toEqual({
      status: 400,
      body: {
        error: 'PAWL_CONFIG_INVALID',
        message:
          'script of ship: "maybe" is no word of a provider script; its words are ok, declined, refused, lost-done, lost-not-done, hang, late-done, pending, unreadable-done, or a status from 300 to 599',
      },
    });
    for (const [body, words] of [
      ['{"charge":503}', 'script of charge: it is a text or a list of words'],
      ['{"charge":[503]}', 'script of charge: it is a text or a list of words'],
      ['{"charge":[]}', 'script of charge: it needs 1 to 10000 words'],
      ['["ok"]', 'scripts are a JSON object'],
      ['null', 'scripts are a JSON object'],
      ['"ok"', 'scripts are a JSON object'],
    ] as const)
      expect(await put(body)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(words) as string },
      });
    expect(await put('{')).toMatchObject({ status: 400 });
    expect(await get(script)).toEqual(before);
    expect(await put('{"charge":["declined"]}')).toEqual({ status: 200, body: {} });
    expect(await get(script)).toEqual({ status: 200, body: { charge: ['declined'] } });
    expect(await get(`${provider.url}/_provider/nothing`)).toMatchObject({
      status: 404,
      body: { verbs: ['GET book', 'GET script', 'PUT script', 'POST forget-keys'] },
    });
  });

  it('a body beyond 4 MiB, a mark that is no number and a path that is no text are met in words', async () => {
    const provider = await start();
    expect(await post(`${provider.url}/charge`, { body: 'x'.repeat(4_194_305) })).toMatchObject({ status: 400 });
    await post(`${provider.url}/charge`, { headers: { 'pawl-attempt': 'two', 'idempotency-key': '' } });
    expect(provider.book()[0]).toMatchObject({ attempt: null, key: null });
    expect(await get(`${provider.url}/charge/%zz`)).toMatchObject({ status: 404 });
  });

  it('a body that is no JSON takes no word and does nothing', async () => {
    const provider = await start({ script: { charge: '503 then ok' } });
    const response = await fetch(`${provider.url}/charge`, {
      method: 'POST',
      body: '{',
      headers: { connection: 'close' },
    });
    expect(response.status).toBe(400);
    expect(provider.calls()).toEqual([]);
  });

  it('a script that cannot be read stops the start, before anything listens', async () => {
    await expect(startProvider({ bookFile, script: { charge: 'maybe' } })).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
    });
    await expect(startProvider({ bookFile, operations: { charge: 'POST' } })).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
    });
  });
});

describe('questions', () => {
  it('by key, reference, id or field answer a list; by id or key one item', async () => {
    const provider = await start();
    await post(`${provider.url}/psp/charge`, { key: 'k1', body: { case: 'C-1' }, headers: { 'pawl-effect': 'e1' } });
    await post(`${provider.url}/psp/charge`, { key: 'k2', body: { case: 'C-2', reference: 'R-2' } });
    const first = { id: 'psp-charge-1', operation: 'psp/charge', status: 'done', key: 'k1', request: { case: 'C-1' } };
    for (const query of ['key=k1', 'reference=e1', 'id=psp-charge-1', 'case=C-1', 'case=C-1&key=k1']) {
      expect(await get(`${provider.url}/psp/charge?${query}`)).toEqual({ status: 200, body: { items: [first] } });
    }
    expect(await get(`${provider.url}/psp/charge?reference=R-2`)).toMatchObject({
      body: { items: [{ id: 'psp-charge-2' }] },
    });
    expect(await get(`${provider.url}/psp/charge?key=k3`)).toEqual({ status: 200, body: { items: [] } });
    expect(await get(`${provider.url}/psp/charge/k1`)).toEqual({ status: 200, body: first });
    expect(await get(`${provider.url}/psp/charge/psp-charge-2`)).toMatchObject({ status: 200, body: { key: 'k2' } });
    expect(await get(`${provider.url}/psp/charge/k3`)).toMatchObject({ status: 404 });
  });

  it('are asked of a declared operation by its path', async () => {
    const provider = await start({ operations: { refund: 'POST /charges/:id/refunds' } });
    await post(`${provider.url}/charges/ch-1/refunds`, { key: 'k1' });
    expect(provider.effects()).toEqual(['refund']);
    expect(await get(`${provider.url}/charges/ch-1/refunds`)).toMatchObject({ body: { items: [{ id: 'refund-1' }] } });
    expect(await get(`${provider.url}/charges/ch-2/refunds`)).toEqual({ status: 200, body: { items: [] } });
  });

  it('do nothing, and can be scripted', async () => {
    const provider = await start({ script: { 'GET charge': '503, lost-done, ok' } });
    await post(`${provider.url}/charge`, { key: 'k1' });
    expect(await get(`${provider.url}/charge?key=k1`)).toMatchObject({ status: 503 });
    await expect(get(`${provider.url}/charge?key=k1`)).rejects.toThrow('fetch failed');
    expect(await get(`${provider.url}/charge?key=k1`)).toMatchObject({ status: 200 });
    expect(provider.effects()).toEqual(['charge']);
  });

  it('have no answer where there is no lookup', async () => {
    const provider = await start({ lookup: false });
    await post(`${provider.url}/charge`, { key: 'k1' });
    expect(await get(`${provider.url}/charge?key=k1`)).toMatchObject({ status: 404 });
  });

  it('records are documents that a read finds', async () => {
    const provider = await start({
      records: { '/charges/ch-1': { refundable: 900 }, '/charges/*': { refundable: 5 } },
    });
    expect(await get(`${provider.url}/charges/ch-1`)).toEqual({ status: 200, body: { refundable: 900 } });
    expect(await get(`${provider.url}/charges/ch-2`)).toEqual({ status: 200, body: { refundable: 5 } });
  });
});
