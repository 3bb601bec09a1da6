import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkBind, isLoopback, isMeantForLoopback } from '../../src/api/bind.ts';
import { openServer } from '../../src/api/server.ts';
import { readKey, writeKey } from '../../src/model/api-key.ts';
import { StoreError } from '../../src/model/errors.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { ORDER, publishAll, SLEEP, startRun } from './support/workflows.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
  await publishAll(house, [SLEEP, ORDER]);
});
afterAll(() => house.close());

/** Bytes to a socket, and all that comes back. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('every answer', () => {
  it('carries the id of its request: the one that was sent, where that is one', async () => {
    const given = await house.get('/healthz', { headers: { 'x-request-id': 'req-1' } });
    expect(given.headers['x-request-id']).toBe('req-1');
    for (const id of ['a b', 'x'.repeat(65), 'a\tb'])
      expect((await house.get('/healthz', { headers: { 'x-request-id': id } })).headers['x-request-id']).toMatch(
        /^[0-9a-f-]{36}$/,
      );
    const told = await house.get('/v1/nothing', { headers: { 'x-request-id': 'req-2' } });
    expect(told.json()).toMatchObject({
      status: 404,
      code: 'PAWL_API_NO_ROUTE',
      requestId: 'req-2',
      instance: '/v1/nothing',
    });
  });

  it('S50 is kept by nobody, guessed at by nobody, and runs nowhere', async () => {
    const { headers } = await house.get('/v1/workflows');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('S01 is 401 also where there is no such path, so that nobody without a key learns which there are', async () => {
    expect((await house.get('/v1/nothing', { as: null })).status).toBe(401);
    expect((await house.call('DELETE', '/v1/runs', { as: null })).status).toBe(401);
  });

  it('S02 a path that cannot be read, and a name that is too long, are 400', async () => {
    for (const url of ['/v1/runs/%zz', '/v1/runs/%ff', `/v1/runs/${'x'.repeat(5_000)}`])
      expect([url.slice(0, 16), (await house.get(url)).status]).toEqual([url.slice(0, 16), 400]);
  });

  it('a run is found by a key with a slash in it', async () => {
    await startRun(house, 'sleep', 'a/b ü');
    expect((await house.get(`/v1/runs/${encodeURIComponent('a/b ü')}`)).json()).toMatchObject({ key: 'a/b ü' });
  });
});

describe('a fault', () => {
  it('S61 tells no host, statement or stack, and is logged under the id that is told', async () => {
    const memory = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 1, leaseMs: 9_000 });
    let fault: Error | null = null;
    const store: typeof memory = {
      ...memory,
      listVersions: (tenant) => (fault === null ? memory.listVersions(tenant) : Promise.reject(fault)),
      nowMs: () => (fault === null ? memory.nowMs() : Promise.reject(fault)),
    };
    const broken = await openApiHouse({ store });
    for (const [error, status, code] of [
      [new StoreError('PAWL_STORE_UNAVAILABLE', 'db.internal:5432 refused SELECT 1'), 503, 'PAWL_STORE_UNAVAILABLE'],
      [new TypeError('db.internal is not a function'), 500, 'PAWL_INVARIANT'],
    ] as const) {
      fault = error;
      const told = await broken.get('/v1/workflows', { headers: { 'x-request-id': `f-${status}` } });
      expect(told.json()).toMatchObject({ status, code, requestId: `f-${status}`, errors: [], details: {} });
      expect(told.text).not.toMatch(/internal|SELECT|at /);
      expect(told.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
      const line = broken.logged.find(
        ({ event, facts }) => event === 'api.fault' && facts['requestId'] === `f-${status}`,
      );
      expect(line?.facts['message']).toContain('internal');
      expect((await broken.get('/readyz', { as: null })).status).toBe(status);
    }
    fault = null;
    await broken.close();
  });
});

describe('a key', () => {
  it('S05 counts no more from the call on in which it was taken back, or its time was over', async () => {
    const key = await house.key(['viewer'], { principal: 'ana' });
    expect((await house.get('/v1/workflows', { as: key })).status).toBe(200);
    await house.app.engine.store.revokeKey('default', key.slice(5, 13), { by: 'root', reason: 'lost' });
    expect((await house.get('/v1/workflows', { as: key })).status).toBe(401);
  });

  it('S17 of another tenant is no key here', async () => {
    const key = await house.key(['admin']);
    const { store } = house.app.engine;
    const found = await store.findKey(key.slice(5, 13));
    const { createdAtMs: _at, revoked: _revoked, ...rest } = found?.key ?? { createdAtMs: 0, revoked: null };
    const id = '0000beef';
    await store.createKey({ ...(rest as Parameters<typeof store.createKey>[0]), keyId: id, tenant: 'other' });
    const other = writeKey({ keyId: id, secret: readKey(key)?.secret ?? '' });
    expect((await house.get('/v1/workflows', { as: other })).status).toBe(401);
  });
});

describe('binding', () => {
  it('S07 refuses an address that strangers reach while there are no keys', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org', ''])
      expect(() => checkBind(host, 'none'), host).toThrow('without keys');
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1'])
      expect(() => checkBind(host, 'none')).not.toThrow();
    expect(() => checkBind('0.0.0.0', 'keys')).not.toThrow();
    expect([isLoopback('127.0.0.1'), isLoopback('128.0.0.1')]).toEqual([true, false]);
  });

  it('S07 the server itself refuses it, whoever asks it to listen', async () => {
    const server = openServer({ app: house.app, authentication: 'none', release: 'x' });
    await expect(server.listen('0.0.0.0', 0)).rejects.toMatchObject({ code: 'PAWL_CONFIG_INVALID' });
    await server.close(100);
  });

  it('S51 without keys only what was meant for this machine is answered, and everybody is its own user', async () => {
    const open = await openApiHouse({ authentication: 'none' });
    expect((await open.get('/v1/workflows', { as: null, headers: { host: '127.0.0.1:4170' } })).status).toBe(200);
    for (const host of ['evil.example', 'evil.example:4170', '127.0.0.1.evil.example'])
      expect((await open.get('/v1/workflows', { as: null, headers: { host } })).status).toBe(401);
    expect(isMeantForLoopback(undefined)).toBe(false);
    const told = await open.call('POST', '/v1/workflows', {
      as: null,
      text: SLEEP,
      headers: { host: 'localhost', 'content-type': 'application/yaml' },
    });
    expect(told.json()).toMatchObject({ publishedBy: 'local' });
    await open.close();
  });
});

describe('a server on a socket', () => {
  it('S59 S60 tells bytes that are no request so, and knows a path in one spelling alone (S02)', async () => {
    const server = openServer({ app: house.app, authentication: 'keys', release: 'x' });
    const port = Number(new URL(await server.listen('127.0.0.1', 0)).port);
    expect(await exchange(port, 'nonsense\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*PAWL_API_MALFORMED/,
    );
    const large = `GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await exchange(port, large)).toMatch(/^HTTP\/1\.1 400 /);
    const key = `authorization: Bearer ${house.keyOf('admin')}`;
    for (const path of ['/v1/./workflows', '//v1/workflows', '/v1/%2e/workflows', '/v1%2fworkflows'])
      expect(await exchange(port, `GET ${path} HTTP/1.1\r\nhost: x\r\n${key}\r\nconnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 404 /,
      );
    const smuggled =
      'POST /v1/runs HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await exchange(port, smuggled)).toMatch(/^HTTP\/1\.1 400 /);
    await server.close(1_000);
  });

  it('when it is told to stop it ends what only waits, finishes the rest, and takes no more', async () => {
    const server = openServer({ app: house.app, authentication: 'keys', release: 'x' });
    const address = await server.listen('127.0.0.1', 0);
    const headers = { authorization: `Bearer ${house.keyOf('admin')}` };
    // Nobody works here, so the run of this workflow does not rest.
    const id = await startRun(house, 'order', 'stays');
    const looks = vi.spyOn(house.app.engine.store, 'heads');
    const waiting = fetch(`${address}/v1/runs/${id}?wait=60s`, { headers });
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(0);
    looks.mockRestore();
    const beganMs = performance.now();
    const [told] = await Promise.all([waiting, server.close(5_000)]);
    expect([told.status, ((await told.json()) as { status: string }).status]).toEqual([200, 'RUNNING']);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });
});
