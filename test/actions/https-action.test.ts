import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { Server, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActionAdapter } from '../../src/actions/create-action-adapter.ts';
import { createSystemClock } from '../../src/app/system-clock.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { selfSigned } from './certificate.ts';
import { keepingLogger, sendOrder } from './orders.ts';
import { answer } from './raw-server.ts';

const certificate = selfSigned();
const received: string[] = [];
let act: (socket: TLSSocket) => void = () => undefined;
let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer({ cert: certificate.cert, key: certificate.key }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      received.push(chunk.toString('utf8'));
      act(socket);
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

function send(host: string, ca: readonly string[], gate: () => boolean = () => true): Promise<AttemptReport> {
  const adapter = createActionAdapter({
    functions: new Map(),
    clock: createSystemClock(),
    logger: keepingLogger(),
    ca,
  });
  return adapter.send(sendOrder({ url: `https://${host}:${port}/charge` }), {}, gate, new AbortController().signal);
}

describe('https', () => {
  it.each(['localhost', '127.0.0.1'])('sends to %s whose certificate is known', async (host) => {
    act = (socket) => socket.end(answer('201 Created', '{"id":"ch-1"}'));
    expect(await send(host, [certificate.cert])).toMatchObject({ kind: 'answered', status: 201, body: { id: 'ch-1' } });
  });

  it('a certificate that nobody vouches for: no byte of the request was written', async () => {
    const before = received.length;
    const report = await send('localhost', [selfSigned().cert]);
    expect(report).toMatchObject({
      kind: 'broken',
      byteWritten: false,
      reason: expect.stringMatching(/^not-connected: [A-Z_]+$/),
    });
    expect(received).toHaveLength(before);
  });

  it('the handshake is not the request: a closed gate after it means that no byte was written', async () => {
    const before = received.length;
    expect(await send('localhost', [certificate.cert], () => false)).toMatchObject({ kind: 'unsent' });
    expect(received).toHaveLength(before);
  });

  it('a connection that is lost behind the handshake and the request: bytes may have arrived', async () => {
    act = (socket) => socket.destroy();
    expect(await send('localhost', [certificate.cert])).toMatchObject({ kind: 'broken', byteWritten: true });
  });
});
