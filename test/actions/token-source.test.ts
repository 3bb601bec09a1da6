import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTokenSource } from '../../src/actions/token-source.ts';
import type { TokenGrant } from '../../src/model/token-grant.ts';
import { createManualClock } from './manual-clock.ts';

const never = new AbortController().signal;
const IN_TIME_MS = 30_000;

/** What the token endpoint says; null = nothing. */
type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
} | null;

let server: Server;
let answer: (no: number) => Answer;
let heard: { headers: IncomingMessage['headers']; body: string }[];
beforeEach(async () => {
  heard = [];
  answer = (no) => ({ status: 200, body: { access_token: `t${no}`, token_type: 'Bearer', expires_in: 100 } });
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const said = answer(heard.push({ headers: request.headers, body }));
      if (said === null) return;
      response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function grant(more: Partial<TokenGrant> = {}): TokenGrant {
  const { port } = server.address() as AddressInfo;
  const tokenUrl = `http://127.0.0.1:${port}/token`;
  return { tokenUrl, clientId: 'pawl', clientSecret: 'open sesame', scope: null, ...more };
}

function source() {
  const clock = createManualClock();
  const { token, forget } = createTokenSource({ clock });
  const ask = (more: Partial<TokenGrant> = {}) => token(grant(more), IN_TIME_MS, never);
  return { clock, token, forget, ask };
}

describe('tokens for client credentials', () => {
  it('are asked for as RFC 6749 says: the client by Basic, the grant type and the scope in the form', async () => {
    expect(await source().ask({ scope: 'pay read' })).toEqual({ kind: 'token', token: 't1', isRemembered: false });
    const [{ headers, body }] = heard as [(typeof heard)[number]];
    expect(headers['authorization']).toBe(`Basic ${Buffer.from('pawl:open+sesame').toString('base64')}`);
    expect(headers['content-type']).toContain('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'pay read',
    });
    expect(body).not.toContain('sesame');
  });

  it('are remembered for nine tenths of their time, each for its own credentials', async () => {
    const { ask, clock } = source();
    await ask();
    clock.advance(29_999);
    expect(await ask()).toEqual({ kind: 'token', token: 't1', isRemembered: false });
    clock.advance(60_000);
    expect(await ask()).toEqual({ kind: 'token', token: 't1', isRemembered: true });
    expect(await ask({ clientSecret: 'another word' })).toMatchObject({ token: 't2' });
    expect(await ask({ scope: 'pay' })).toMatchObject({ token: 't3' });
    clock.advance(1);
    expect(await ask()).toEqual({ kind: 'token', token: 't4', isRemembered: false });
    expect(Object.fromEntries(new URLSearchParams(heard[0]?.body))).toEqual({ grant_type: 'client_credentials' });
  });

  it('are asked for once by all that need one at the same time, and anew once forgotten', async () => {
    const { ask, forget } = source();
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map((one) => one.kind === 'token' && one.token)).toEqual(['t1', 't1', 't1']);
    forget(grant(), 't0');
    expect(await ask()).toMatchObject({ token: 't1' });
    forget(grant(), 't1');
    expect(await ask()).toEqual({ kind: 'token', token: 't2', isRemembered: false });
  });

  it('are used for a minute where nobody says how long', async () => {
    answer = (no) => ({ status: 200, body: { access_token: `t${no}`, token_type: 'bearer' } });
    const { ask, clock } = source();
    await ask();
    clock.advance(53_999);
    expect(await ask()).toMatchObject({ isRemembered: true });
    clock.advance(1);
    expect(await ask()).toMatchObject({ token: 't2', isRemembered: false });
  });

  it('that were asked for longest ago are forgotten when there are too many', async () => {
    const { ask } = source();
    for (let no = 0; no <= 100; no += 1) await ask({ clientId: `c${no}` });
    expect(await ask({ clientId: 'c1' })).toMatchObject({ token: 't2' });
    expect(await ask({ clientId: 'c0' })).toMatchObject({ token: 't102' });
  });

  it.each<[string, Answer, string]>([
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_scope', error_description: 'open sesame' } },
      'it answered 400 invalid_scope',
    ],
    [
      'credentials that are not taken',
      { status: 401, body: { error: 'invalid_client' } },
      'it answered 401 invalid_client',
    ],
    ['a fault of the server', { status: 503, body: 'open sesame' }, 'its answer is no token answer (RFC 6749, 5.1)'],
    [
      'another page',
      { status: 200, body: '<html>open sesame</html>' },
      'its answer is no token answer (RFC 6749, 5.1)',
    ],
    [
      'a token of an unknown kind',
      { status: 200, body: { access_token: 'x', token_type: 'mac' } },
      'it gives no bearer token',
    ],
    [
      'a challenge',
      { status: 401, body: {}, headers: { 'www-authenticate': 'Basic realm="open sesame"' } },
      'it answered 401',
    ],
    ['an answer without end', { status: 200, body: 'x'.repeat(2_000_000) }, 'it cannot be reached'],
    [
      'a token that is bound to a proof',
      { status: 200, body: { access_token: 'x', token_type: 'DPoP' } },
      'it gives no bearer token',
    ],
    ['a redirect', { status: 302, body: '' }, 'its answer is no token answer (RFC 6749, 5.1)'],
  ])('%s is no token, and the reason repeats nothing that was sent', async (_, said, reason) => {
    answer = () => said;
    expect(await source().ask()).toEqual({ kind: 'none', reason: `no token from ${grant().tokenUrl}: ${reason}` });
  });

  it('that do not come are told: in time, and from where nobody answers', async () => {
    answer = () => null;
    const { token } = source();
    expect(await token(grant(), 50, never)).toMatchObject({
      reason: expect.stringContaining('it did not answer in time'),
    });
    const nobody = grant({ tokenUrl: 'http://127.0.0.1:1/token' });
    expect(await token(nobody, IN_TIME_MS, never)).toMatchObject({
      reason: expect.stringContaining('it cannot be reached'),
    });
  });

  it('a failure is not remembered', async () => {
    const { ask } = source();
    answer = () => ({ status: 503, body: {} });
    expect(await ask()).toMatchObject({ kind: 'none' });
    answer = () => ({ status: 200, body: { access_token: 'now', token_type: 'bearer', expires_in: 10 } });
    expect(await ask()).toMatchObject({ token: 'now' });
  });
});
