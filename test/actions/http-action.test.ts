import { afterEach, describe, expect, it, vi } from 'vitest';
import { createActionAdapter } from '../../src/actions/create-action-adapter.ts';
import { createSystemClock } from '../../src/app/system-clock.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import type { SendGate } from '../../src/ports/action-adapter.ts';
import { createManualClock } from './manual-clock.ts';
import { keepingLogger, KEY, queryOrder, readOrder, sendOrder } from './orders.ts';
import type { OrderParts } from './orders.ts';
import { answer, closedPort, startRawServer } from './raw-server.ts';
import type { OnConnection, OnRequest, RawServer } from './raw-server.ts';

const OPEN: SendGate = () => true;
// A call that does not end is the fault that is looked for: it shall not cost the suite's whole patience.
vi.setConfig({ testTimeout: 8_000 });

const NEVER = new AbortController().signal;
const servers: RawServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(onRequest: OnRequest, onConnection?: OnConnection): Promise<RawServer> {
  const server = await startRawServer(onRequest, onConnection);
  servers.push(server);
  return server;
}

function adapterWith(clock = createSystemClock()) {
  return createActionAdapter({ functions: new Map(), clock, logger: keepingLogger() });
}

function send(parts: OrderParts, gate: SendGate = OPEN): Promise<AttemptReport> {
  return adapterWith().send(sendOrder(parts), {}, gate, NEVER);
}

/** Sends under a clock that stands still; `advance` lets time pass. */
function sendSlowly(parts: OrderParts) {
  const clock = createManualClock();
  const state = { isOver: false };
  const report = adapterWith(clock).send(sendOrder(parts), {}, OPEN, NEVER);
  void report.then(() => {
    state.isOver = true;
  });
  return { clock, report, state };
}

/** A promise and what fulfils it. */
function signalled(): { readonly promise: Promise<void>; readonly fire: () => void } {
  let fire = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}

describe('what goes out', () => {
  it('E04: the key goes out in the named header, with effect, attempt and fence beside it', async () => {
    // E04: "The key goes out in the provider's idempotency header or field; `Pawl-Effect`, `Pawl-Attempt`, `Pawl-Fence` beside it."
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    const parts = { url: `${server.url}/charges?x=1`, attempt: 3, fence: 12 };
    await send({ ...parts, idempotency: { kind: 'header', name: 'Idempotency-Key', remembersMs: 1 } });
    const [request = ''] = server.requests;
    expect(request.split('\r\n')[0]).toBe('POST /charges?x=1 HTTP/1.1');
    const lines = [`idempotency-key: ${KEY}`, `pawl-effect: ${KEY}`, 'pawl-attempt: 3', 'pawl-fence: 12'];
    for (const line of lines) expect(request).toContain(`\r\n${line}\r\n`);
  });

  it('E04: the key goes out in the named field of the body, and in no header', async () => {
    // E04: "The key goes out in the provider's idempotency header or field; `Pawl-Effect`, `Pawl-Attempt`, `Pawl-Fence` beside it."
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    await send({
      url: server.url,
      body: { amount: 5 },
      idempotency: { kind: 'field', name: 'requestId', remembersMs: 1 },
    });
    const [request = ''] = server.requests;
    expect(JSON.parse(request.split('\r\n\r\n')[1] ?? '')).toEqual({ amount: 5, requestId: KEY });
    expect(request).not.toMatch(/idempotency-key/i);
  });

  it('sends the same bytes for the same request, whatever the order of its fields', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    await send({ url: server.url, body: { b: 1, a: [2, { d: 3, c: 4 }] } });
    await send({ url: server.url, body: { a: [2, { c: 4, d: 3 }], b: 1 } });
    expect(server.requests[0]).toBe(server.requests[1]);
    expect(server.requests[0]).toContain('{"a":[2,{"c":4,"d":3}],"b":1}');
  });

  it('a query says which effect it asks about and carries no idempotency key', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', '{"items":[]}')));
    const report = await adapterWith().query(queryOrder({ url: `${server.url}/charges?reference=${KEY}` }), {}, NEVER);
    expect(report).toMatchObject({ kind: 'answered', status: 200, body: { items: [] } });
    expect(server.requests[0]).toContain(`pawl-effect: ${KEY}`);
    expect(server.requests[0]).not.toMatch(/idempotency-key|pawl-attempt/i);
  });

  it('a read carries no key at all', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', '7')));
    const report = await adapterWith().read(readOrder({ url: server.url }), { authorization: 'Bearer t' }, NEVER);
    expect(report).toMatchObject({ kind: 'answered', body: 7 });
    expect(server.requests[0]).toContain('authorization: Bearer t');
    expect(server.requests[0]).not.toMatch(/idempotency-key|pawl-/i);
  });

  it('one attempt is one connection: a second attempt never takes up an old one', async () => {
    const server = await serve((socket) => socket.write(answer('200 OK', '{}', { connection: 'keep-alive' })));
    await send({ url: server.url });
    await send({ url: server.url, attempt: 2 });
    expect(server.connections()).toBe(2);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]).toContain('\r\nconnection: close\r\n');
  });

  it('nothing retries below us: a GET whose connection is closed without an answer is on the wire once (case 77)', async () => {
    const server = await serve((socket) => socket.end());
    const report = await adapterWith().read(readOrder({ url: server.url }), {}, NEVER);
    expect(report).toMatchObject({ kind: 'broken', byteWritten: true });
    expect(server.requests).toHaveLength(1);
    expect(server.connections()).toBe(1);
  });

  it('a redirect is an answer and is not followed', async () => {
    const other = await serve((socket) => socket.end(answer('200 OK', '{}')));
    const server = await serve((socket) => socket.end(answer('307 Temporary Redirect', '', { location: other.url })));
    const report = await adapterWith().read(readOrder({ url: server.url }), { authorization: 'Bearer t' }, NEVER);
    expect(report).toMatchObject({ kind: 'answered', status: 307, headers: { location: other.url } });
    expect(other.connections()).toBe(0);
    const moved = await serve((socket, request) =>
      socket.end(
        request.startsWith('GET /moved') ? answer('200 OK', '{}') : answer('303 See Other', '', { location: '/moved' }),
      ),
    );
    expect(await adapterWith().read(readOrder({ url: moved.url }), {}, NEVER)).toMatchObject({ status: 303 });
    expect(moved.requests).toHaveLength(1);
  });

  it('a host by its IPv6 address is found', async () => {
    const report = await send({ url: 'http://[::1]:1/' });
    expect(report).toMatchObject({
      kind: 'broken',
      byteWritten: false,
      reason: expect.stringMatching(/^not-connected: E(CONNREFUSED|ADDRNOTAVAIL|AFNOSUPPORT)$/),
    });
  });
});

describe('the gate', () => {
  it('E05: is asked once, when the connection stands and before the first byte', async () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    const seen: number[] = [];
    await send({ url: server.url }, () => {
      seen.push(server.requests.length);
      return true;
    });
    expect(seen).toEqual([0]);
  });

  it('E05: when it is closed no byte leaves and the attempt is unsent', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const gone = signalled();
    const received: number[] = [];
    const server = await serve(
      () => undefined,
      (socket) => {
        socket.on('data', (chunk: Buffer) => received.push(chunk.length)).once('close', gone.fire);
      },
    );
    const report = await send({ url: server.url }, () => false);
    await gone.promise;
    expect(report).toEqual({ kind: 'unsent', reason: expect.stringContaining('gate-closed') });
    expect(received).toEqual([]);
  });

  it('is not asked when there is no connection', async () => {
    let asked = 0;
    const report = await send({ url: `http://127.0.0.1:${await closedPort()}` }, () => {
      asked += 1;
      return true;
    });
    expect(report).toMatchObject({ kind: 'broken', byteWritten: false });
    expect(asked).toBe(0);
  });
});

describe('connections that break', () => {
  it('refused: no byte was written', async () => {
    const report = await send({ url: `http://127.0.0.1:${await closedPort()}` });
    expect(report).toEqual({ kind: 'broken', byteWritten: false, reason: 'not-connected: ECONNREFUSED' });
  });

  it('an unknown host: no byte was written', async () => {
    const report = await send({ url: 'http://no-such-host.invalid/' });
    expect(report).toMatchObject({
      kind: 'broken',
      byteWritten: false,
      reason: expect.stringMatching(/^not-connected: E/),
    });
  });

  it('TLS that fails: no byte of the request was written', async () => {
    const server = await serve(
      () => undefined,
      (socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const report = await send({ url: `https://127.0.0.1:${server.port}/` });
    expect(report).toMatchObject({
      kind: 'broken',
      byteWritten: false,
      reason: expect.stringMatching(/^not-connected: /),
    });
  });

  it('TLS that never comes to an end: the time-out finds that no byte was written', async () => {
    const began = signalled();
    const server = await serve(
      () => undefined,
      (socket) => socket.on('data', began.fire),
    );
    const { clock, report } = sendSlowly({ url: `https://127.0.0.1:${server.port}/`, timeoutMs: 100 });
    await began.promise;
    clock.advance(100);
    expect(await report).toMatchObject({
      kind: 'broken',
      byteWritten: false,
      reason: expect.stringMatching(/^timeout: /),
    });
  });

  it('reset after the accept, before anything is read: bytes may have arrived', async () => {
    const accepted: { socket: { resetAndDestroy(): void } | null } = { socket: null };
    const connected = signalled();
    const server = await serve(
      () => undefined,
      (socket) => {
        accepted.socket = socket.pause();
        connected.fire();
      },
    );
    const report = send({ url: server.url }, () => {
      // The gate is asked right before the write: the reset comes one turn after it.
      void connected.promise.then(() => setImmediate(() => accepted.socket?.resetAndDestroy()));
      return true;
    });
    expect(await report).toEqual({ kind: 'broken', byteWritten: true, reason: 'connection-lost: ECONNRESET' });
  });

  it('reset when the request has been read', async () => {
    const server = await serve((socket) => socket.resetAndDestroy());
    expect(await send({ url: server.url })).toEqual({
      kind: 'broken',
      byteWritten: true,
      reason: 'connection-lost: ECONNRESET',
    });
  });

  it('closed without an answer', async () => {
    const server = await serve((socket) => socket.end());
    expect(await send({ url: server.url })).toMatchObject({ kind: 'broken', byteWritten: true });
  });

  it('reset in the middle of the headers', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.resetAndDestroy()),
    );
    expect(await send({ url: server.url })).toMatchObject({ kind: 'broken', byteWritten: true });
  });

  it('reset after the headers: the status is known, the body is cut off', async () => {
    const gone = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n';
    const server = await serve((socket) => socket.write(gone, () => socket.end()));
    expect(await send({ url: server.url })).toMatchObject({
      kind: 'answered',
      status: 200,
      body: undefined,
      unreadable: expect.stringMatching(/^cut-off: /),
    });
  });

  it('ended in the middle of the body: what came is kept', async () => {
    const part = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"id":"ch';
    const server = await serve((socket) => socket.end(part));
    const report = await send({ url: server.url });
    expect(report).toMatchObject({
      kind: 'answered',
      status: 201,
      body: undefined,
      unreadable: expect.stringMatching(/^cut-off/),
    });
    expect(Buffer.from(report.kind === 'answered' ? report.bodyBytes : []).toString()).toBe('{"id":"ch');
  });

  it('a chunked body that ends before its last chunk is cut off', async () => {
    const part = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n';
    const server = await serve((socket) => socket.end(part));
    expect(await send({ url: server.url })).toMatchObject({
      kind: 'answered',
      unreadable: expect.stringMatching(/^cut-off/),
    });
  });

  it('something that is no HTTP', async () => {
    const server = await serve((socket) => socket.end('220 mail.example ESMTP ready\r\n'));
    expect(await send({ url: server.url })).toMatchObject({
      kind: 'broken',
      byteWritten: true,
      reason: expect.stringMatching(/^connection-lost: /),
    });
  });

  it('a protocol switch that nobody asked for is no answer', async () => {
    const server = await serve((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    expect(await send({ url: server.url })).toMatchObject({ kind: 'broken', byteWritten: true });
  });

  it('headers without end are bounded', async () => {
    const server = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`));
    expect(await send({ url: server.url })).toMatchObject({ kind: 'broken', byteWritten: true });
  });
});

describe('time', () => {
  /** Writes piece by piece, one per turn, and says when so many are out; ends with the connection. */
  function drip(socket: Parameters<OnRequest>[0], pieces: () => string, after: number, fire: () => void): void {
    let sent = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(pieces());
      sent += 1;
      if (sent === after) fire();
      setImmediate(next);
    };
    socket.setNoDelay(true);
    next();
  }

  it('no answer at all: ends when the time is over and not before', async () => {
    const came = signalled();
    const server = await serve(() => came.fire());
    const { clock, report, state } = sendSlowly({ url: server.url, timeoutMs: 2_000 });
    await came.promise;
    clock.advance(1_999);
    await Promise.resolve();
    expect(state.isOver).toBe(false);
    clock.advance(1);
    expect(await report).toEqual({
      kind: 'broken',
      byteWritten: true,
      reason: 'timeout: no complete answer within 2000 ms',
    });
  });

  it('case 82: headers that drip byte by byte do not keep the call alive past its limit', async () => {
    const dripping = signalled();
    const closed = signalled();
    const text = `HTTP/1.1 200 OK\r\nx-drip: ${'z'.repeat(5_000)}`;
    let at = 0;
    const server = await serve((socket) => {
      socket.once('close', closed.fire);
      drip(socket, () => text.charAt(at++) || 'z', 200, dripping.fire);
    });
    const { clock, report, state } = sendSlowly({ url: server.url, timeoutMs: 5_000 });
    await dripping.promise;
    expect(state.isOver).toBe(false);
    clock.advance(5_000);
    expect(await report).toMatchObject({
      kind: 'broken',
      byteWritten: true,
      reason: expect.stringMatching(/^timeout/),
    });
    await closed.promise;
  });

  it('case 82: interim answers for ever do not reset the limit and are not taken as the answer', async () => {
    const dripping = signalled();
    const interim = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'];
    let turn = 0;
    const server = await serve((socket) => drip(socket, () => interim[turn++ % 2] ?? '', 100, dripping.fire));
    const { clock, report, state } = sendSlowly({ url: server.url, timeoutMs: 5_000 });
    await dripping.promise;
    clock.advance(4_999);
    await Promise.resolve();
    expect(state.isOver).toBe(false);
    clock.advance(1);
    expect(await report).toMatchObject({
      kind: 'broken',
      byteWritten: true,
      reason: expect.stringMatching(/^timeout/),
    });
  });

  it('the answer behind interim answers is the answer', async () => {
    const interim =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const server = await serve((socket) => socket.end(interim + answer('201 Created', '{"id":"ch-1"}')));
    expect(await send({ url: server.url })).toMatchObject({
      kind: 'answered',
      status: 201,
      body: { id: 'ch-1' },
      unreadable: null,
    });
  });

  it('a body that drips for ever is cut off at the limit, its status kept', async () => {
    const dripping = signalled();
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const server = await serve((socket) => {
      socket.write(head);
      drip(socket, () => '1\r\n \r\n', 50, dripping.fire);
    });
    const { clock, report } = sendSlowly({ url: server.url, timeoutMs: 300 });
    await dripping.promise;
    clock.advance(300);
    expect(await report).toMatchObject({
      kind: 'answered',
      status: 200,
      unreadable: expect.stringMatching(/^cut-off: timeout/),
    });
  });

  it('with the real clock: a server that drips for ever is left after the time-out', async () => {
    const server = await serve((socket) =>
      drip(
        socket,
        () => 'HTTP/1.1 100 Continue\r\n\r\n',
        1,
        () => undefined,
      ),
    );
    expect(await send({ url: server.url, timeoutMs: 150 })).toMatchObject({ kind: 'broken', byteWritten: true });
  });

  it('a timer never outlives its call', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    const { clock, report } = sendSlowly({ url: server.url });
    await report;
    expect(clock.sleepers()).toBe(0);
  });
});

describe('the self-fence', () => {
  it('ends a call in flight: bytes may have arrived, the socket is gone', async () => {
    const came = signalled();
    const closed = signalled();
    const fence = new AbortController();
    const server = await serve((socket) => {
      socket.once('close', closed.fire);
      came.fire();
    });
    const report = adapterWith().send(sendOrder({ url: server.url }), {}, OPEN, fence.signal);
    await came.promise;
    fence.abort();
    expect(await report).toMatchObject({
      kind: 'broken',
      byteWritten: true,
      reason: expect.stringMatching(/^aborted/),
    });
    await closed.promise;
  });

  it('before the first byte: unsent, and nothing reaches the server', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', '{}')));
    const fence = new AbortController();
    const report = adapterWith().send(sendOrder({ url: server.url }), {}, OPEN, fence.signal);
    fence.abort();
    expect(await report).toMatchObject({ kind: 'unsent' });
    expect(await adapterWith().send(sendOrder({ url: server.url }), {}, OPEN, fence.signal)).toMatchObject({
      kind: 'unsent',
    });
    expect(server.requests).toEqual([]);
  });
});

describe('answers', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'JSON',
      answer('200 OK', '{"id":"ch-1","n":1.5}'),
      { status: 200, body: { id: 'ch-1', n: 1.5 }, unreadable: null },
    ],
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: null, unreadable: null }],
    ['an empty body', answer('200 OK', ''), { status: 200, body: null, unreadable: null }],
    [
      'a body until the end of the connection',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"a":1}',
      { body: { a: 1 } },
    ],
    [
      'HTML',
      answer('200 OK', '<h1>hi</h1>', { 'content-type': 'text/html; charset=utf-8' }),
      { body: '<h1>hi</h1>', unreadable: null },
    ],
    [
      'HTML that says it is JSON',
      answer('200 OK', '<h1>hi</h1>'),
      { body: undefined, unreadable: expect.stringMatching(/^not-json/) },
    ],
    [
      'broken JSON',
      answer('502 Bad Gateway', '{"a":'),
      { status: 502, body: undefined, unreadable: expect.stringMatching(/^not-json/) },
    ],
    [
      'a length that is too short',
      answer('200 OK', '{"a":12}', { 'content-length': '5' }),
      { body: undefined, unreadable: expect.stringMatching(/^not-json/) },
    ],
    [
      'a length that is too long',
      answer('200 OK', '{"a":12}', { 'content-length': '500' }),
      { body: undefined, unreadable: expect.stringMatching(/^cut-off/) },
    ],
    [
      'compressed bytes',
      answer('200 OK', 'xx', { 'content-encoding': 'gzip' }),
      { body: undefined, unreadable: expect.stringMatching(/^encoded/) },
    ],
    [
      'what the store cannot hold (P11)',
      answer('200 OK', '{"name":"a\\u0000b"}'),
      { body: undefined, unreadable: expect.stringMatching(/^not-storable: \/name /) },
    ],
    [
      'a header twice',
      answer('200 OK', '{}', { 'x-a': '1\r\nx-a: 2' }),
      { headers: expect.objectContaining({ 'x-a': '1, 2' }) },
    ],
  ];
  it.each(cases)('E12: reports %s as it came', async (_name, text, expected) => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const server = await serve((socket) => socket.end(text));
    expect(await send({ url: server.url })).toMatchObject({ kind: 'answered', ...expected });
  });

  it('E12: an answer that is too large is kept up to the bound and the connection is left', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const closed = signalled();
    const server = await serve((socket) => {
      socket.once('close', closed.fire);
      socket.write(answer('200 OK', 'x'.repeat(3_000), { 'content-length': '1000000000' }));
    });
    const report = await send({ url: server.url, maxResponseBytes: 1_000 });
    expect(report).toMatchObject({
      kind: 'answered',
      status: 200,
      body: undefined,
      unreadable: 'too-large: more than 1000 bytes',
    });
    expect(report.kind === 'answered' ? report.bodyBytes.length : 0).toBe(1_000);
    await closed.promise;
  });

  it('an answer of exactly the bound is whole', async () => {
    const server = await serve((socket) => socket.end(answer('200 OK', `"${'x'.repeat(98)}"`)));
    expect(await send({ url: server.url, maxResponseBytes: 100 })).toMatchObject({
      kind: 'answered',
      unreadable: null,
    });
  });

  it('chunks for ever end at the bound', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = (): void => {
        if (!socket.destroyed) socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`, () => setImmediate(more));
      };
      more();
    });
    expect(await send({ url: server.url, maxResponseBytes: 10_000 })).toMatchObject({
      unreadable: 'too-large: more than 10000 bytes',
    });
  });

  it('P12: no reason repeats what was sent', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const url = `http://127.0.0.1:${await closedPort()}/s3cr3t-42?token=s3cr3t-42`;
    const secrets = { authorization: 'Bearer s3cr3t-42', 'x-bad': 's3cr3t-42\n' };
    const refused = await adapterWith().send(sendOrder({ url }), secrets, OPEN, NEVER);
    const broken = await adapterWith().send(sendOrder({ url }), { authorization: 'Bearer s3cr3t-42' }, OPEN, NEVER);
    expect(refused.kind).toBe('unsent');
    expect(broken.kind).toBe('broken');
    expect(JSON.stringify([refused, broken])).not.toContain('s3cr3t-42');
  });
});
