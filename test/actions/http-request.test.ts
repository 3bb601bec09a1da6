import { describe, expect, it } from 'vitest';
import { isRefusal, prepareRequest } from '../../src/actions/http-request.ts';
import type { PreparedRequest, RequestRefusal } from '../../src/actions/http-request.ts';
import type { Idempotency } from '../../src/model/definition.ts';
import { requestOf } from './orders.ts';
import type { OrderParts } from './orders.ts';

const URL = 'https://psp.example/v1/charges?x=1';

interface Extra {
  readonly secrets?: Readonly<Record<string, string>>;
  readonly idempotency?: Idempotency;
}

function prepare(parts: OrderParts, { secrets = {}, idempotency }: Extra = {}): PreparedRequest | RequestRefusal {
  const key = idempotency === undefined ? null : { value: 'k1', idempotency };
  return prepareRequest({ request: requestOf({ url: URL, ...parts }), secrets, marks: { 'pawl-effect': 'k1' }, key });
}

function prepared(parts: OrderParts, extra: Extra = {}): PreparedRequest {
  const request = prepare(parts, extra);
  if (isRefusal(request)) throw new Error(request.refusal);
  return request;
}

describe('prepareRequest', () => {
  it('takes the URL apart and sends JSON', () => {
    expect(prepared({ body: { a: 1 } })).toMatchObject({
      origin: 'https://psp.example',
      path: '/v1/charges?x=1',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'pawl-effect': 'k1',
      },
    });
    expect(prepared({ body: { a: 1 } }).body?.toString()).toBe('{"a":1}');
  });

  const refusals: readonly (readonly [string, OrderParts, Extra])[] = [
    ['a line feed in a header', { headers: { 'x-a': 'b\nx-c: d' } }, {}],
    ['a carriage return in a header', { headers: { 'x-a': 'b\rx' } }, {}],
    ['a NUL in a header', { headers: { 'x-a': 'b\0' } }, {}],
    ['a character beyond latin-1 in a header', { headers: { 'x-a': '\u{1F600}' } }, {}],
    ['a line break in a header name', { headers: { 'x-a\r\nx-b': 'c' } }, {}],
    ['a colon in a header name', { headers: { 'x:a': 'c' } }, {}],
    ['a line break in a secret', {}, { secrets: { authorization: 'Bearer a\r\nx: y' } }],
    ['a line break in the URL', { url: 'http://a.example/\r\nx' }, {}],
    ['a tab in the URL', { url: 'http://a.example/\tx' }, {}],
    ['a NUL in the URL', { url: 'http://a.example/\0' }, {}],
    ['a blank in the URL', { url: 'http://a.example/a b' }, {}],
    ['a blank before the URL', { url: ' http://a.example/' }, {}],
    ['a line break in the method', { method: 'GET / HTTP/1.1\r\nx: y' }, {}],
    ['a tunnel', { method: 'CONNECT' }, {}],
    ['a trace', { method: 'TRACE' }, {}],
    ['a file', { url: 'file:///etc/passwd' }, {}],
    ['an ftp URL', { url: 'ftp://a.example/' }, {}],
    ['a data URL', { url: 'data:text/plain,x' }, {}],
    ['a URL without a scheme', { url: '/charges' }, {}],
    ['no URL', { url: '' }, {}],
    ['a password in the URL', { url: 'http://ada:pw@a.example/' }, {}],
    ['a host header', { headers: { Host: 'b.example' } }, {}],
    ['a length of its own', { headers: { 'Content-Length': '1' } }, {}],
    ['a chunked body', { headers: { 'transfer-encoding': 'chunked' } }, {}],
    ['a compressed answer', { headers: { 'accept-encoding': 'gzip' } }, {}],
    ['an Expect header', { headers: { Expect: '100-continue' } }, {}],
    ['a Pawl header', { headers: { 'Pawl-Effect': 'forged' } }, {}],
    [
      'a key field where the body is a list',
      { body: [1] },
      { idempotency: { kind: 'field', name: 'id', remembersMs: 1 } },
    ],
    [
      'a key field where there is no body',
      { body: null },
      { idempotency: { kind: 'field', name: 'id', remembersMs: 1 } },
    ],
  ];
  it.each(refusals)('refuses %s', (_name, parts, extra) => {
    expect(prepare(parts, extra)).toEqual({ refusal: expect.any(String) });
  });

  it('never repeats the value in the reason', () => {
    const request = prepare({ headers: { 'x-a': 's3cr3t\n' } });
    expect(isRefusal(request) && request.refusal).toBe(
      'the header x-a holds a control character or one beyond latin-1',
    );
  });

  it('lets a secret win over a header of the same name, in whatever case', () => {
    const { headers } = prepared({ headers: { Authorization: 'none' } }, { secrets: { authorization: 'Bearer t' } });
    expect(headers['authorization']).toBe('Bearer t');
  });

  it("lets the engine's key win over a header of the workflow", () => {
    const idempotency = { kind: 'header', name: 'Idempotency-Key', remembersMs: 1 } as const;
    expect(prepared({ headers: { 'idempotency-key': 'mine' } }, { idempotency }).headers['idempotency-key']).toBe('k1');
  });

  it('puts a key field named __proto__ into the body as plain data', () => {
    const body = prepared(
      { body: { a: 1 } },
      { idempotency: { kind: 'field', name: '__proto__', remembersMs: 1 } },
    ).body;
    expect(body?.toString()).toBe('{"__proto__":"k1","a":1}');
  });

  it('takes a body with a field named refusal for a body', () => {
    expect(prepared({ body: { refusal: 'x' } }).body?.toString()).toBe('{"refusal":"x"}');
  });

  it('sends no body where it is null', () => {
    const { body, headers } = prepared({ method: 'get', body: null });
    expect(body).toBeNull();
    expect(headers['content-type']).toBeUndefined();
    expect(prepared({ method: 'get', body: { a: 1 } })).toMatchObject({ method: 'GET', body: Buffer.from('{"a":1}') });
  });

  it('sends text as it is under a media type that is not JSON, else as JSON', () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(prepared({ headers: form, body: 'a=1&b=2' }).body?.toString()).toBe('a=1&b=2');
    expect(prepared({ headers: { 'content-type': 'application/vnd.x+json' }, body: 'a' }).body?.toString()).toBe('"a"');
    expect(prepared({ body: 'a' }).body?.toString()).toBe('"a"');
  });
});
