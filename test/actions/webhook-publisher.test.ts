import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookPublisher, signatureHeaders } from '../../src/actions/webhook-publisher.ts';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { createSecrets } from '../../src/app/secrets.ts';

const MESSAGE = { id: 'msg_1', body: '{"id":"msg_1","note":"grün"}', atMs: 1_893_456_000_789 };
const never = new AbortController().signal;

let server: Server;
let status = 200;
let heard: { headers: IncomingMessage['headers']; method: string | undefined; body: string }[] = [];
beforeEach(async () => {
  heard = [];
  status = 200;
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      heard.push({ headers: request.headers, method: request.method, body });
      response.writeHead(status, { location: '/else' });
      response.end('told');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function publisher(
  env: Readonly<Record<string, string>> = { PAWL_SECRET_SIGNING_KEY: 'open sesame' },
  path = '/hook?a=1',
) {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${path}`;
  return createWebhookPublisher({ url, secret: 'signingKey', secrets: createSecrets(env), clock: createSystemClock() });
}

describe('what is published by webhook', () => {
  it('V09 is sent once as it is, signed over id, time and body', async () => {
    // V09: "signed"
    expect(await publisher().send(MESSAGE, never)).toBeNull();
    expect(heard).toHaveLength(1);
    const [{ headers, method, body }] = heard as [(typeof heard)[number]];
    expect([method, body]).toEqual(['POST', MESSAGE.body]);
    const signed = `msg_1.1893456000.${MESSAGE.body}`;
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1893456000',
      'webhook-signature': `v1,${createHmac('sha256', 'open sesame').update(signed).digest('base64')}`,
    });
  });

  it('A secret that begins with whsec_ is base64', () => {
    const key = Buffer.from([0, 1, 2, 255]);
    const { 'webhook-signature': signature } = signatureHeaders(`whsec_${key.toString('base64')}`, MESSAGE);
    expect(signature).toBe(
      `v1,${createHmac('sha256', key).update(`msg_1.1893456000.${MESSAGE.body}`).digest('base64')}`,
    );
  });

  it.each([
    [204, null],
    [302, 'the receiver answered 302'],
    [410, 'the receiver answered 410'],
    [503, 'the receiver answered 503'],
  ])('An answer of %i means %s; nothing is followed or sent again', async (answered, fault) => {
    status = answered;
    expect(await publisher().send(MESSAGE, never)).toBe(fault);
    expect(heard).toHaveLength(1);
  });

  it('Without its secret nothing is sent, and its place is named; nor where nobody listens', async () => {
    expect(await publisher({}).send(MESSAGE, never)).toBe(
      'not sent: the secret signingKey is missing (PAWL_SECRET_SIGNING_KEY)',
    );
    expect(await publisher(undefined, '/a b').send(MESSAGE, never)).toContain('not sent: the URL');
    expect(heard).toEqual([]);
    const closed = publisher();
    await new Promise((resolve) => server.close(resolve));
    expect(await closed.send(MESSAGE, never)).toContain('not-connected');
  });
});
