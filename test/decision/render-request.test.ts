import { describe, expect, it } from 'vitest';
import { ExpressionFault } from '../../src/definition/expression/expression-fault.ts';
import { requestHash } from '../../src/decision/effect-key.ts';
import { renderQuery, renderRequest } from '../../src/decision/render-request.ts';
import type { ActionContract, HttpTemplate } from '../../src/model/definition.ts';
import type { EffectRequest } from '../../src/model/effect.ts';
import type { Json } from '../../src/model/json.ts';
import { authorized, contract, evaluatorFor, http, RECONCILE, requested, template } from './ledger-fixtures.ts';

function render(
  patch: Partial<HttpTemplate>,
  withValue: Json = { id: 'ch 1', n: 3 },
  of: Partial<ActionContract> = {},
): EffectRequest {
  const action = contract({ transport: http(patch), ...of });
  const scope = { constants: { base: 'https://psp.example/v2' } };
  return renderRequest(evaluatorFor(action), action, { with: withValue, key: authorized().key, scope });
}
const url = (text: string, withValue?: Json, query: Record<string, Json> = {}): string | null =>
  render(
    { url: template(text), query: Object.entries(query).map(([name, value]) => [name, template(value)]) },
    withValue,
  ).url;

describe('the request of an http action', () => {
  it('has method, url and `with` as the body unless another is said', () => {
    expect(render({ method: 'post' })).toEqual({
      action: 'psp.charge',
      contract: 1,
      method: 'POST',
      url: 'https://psp.example/v1/charges',
      headers: {},
      function: null,
      with: { id: 'ch 1', n: 3 },
      body: { id: 'ch 1', n: 3 },
    });
    expect(render({ body: template({ ref: '=with.id' }) }).body).toEqual({ ref: 'ch 1' });
  });

  it('has no body with GET and HEAD unless one is said', () => {
    expect(render({ method: 'GET' }).body).toBeNull();
    expect(render({ method: 'head' }).body).toBeNull();
    expect(render({ method: 'DELETE' }).body).toEqual({ id: 'ch 1', n: 3 });
    expect(render({ method: 'GET', body: template({ q: 1 }) }).body).toEqual({ q: 1 });
  });

  it("may carry the effect's own key", () => {
    expect(url('https://psp.example/payments/${ effect.key }')).toBe(
      `https://psp.example/payments/${authorized().key}`,
    );
  });

  it('has headers in lower case, numbers and bools as text', () => {
    const headers = [
      ['X-Case', template('=with.id')],
      ['X-Count', template('=with.n')],
      ['X-Live', template(true)],
    ] as const;
    expect(render({ headers }).headers).toEqual({ 'x-case': 'ch 1', 'x-count': '3', 'x-live': 'true' });
  });

  it('refuses a header that would end early or is no text', () => {
    const headers = [['X-Case', template('=with.id')]] as const;
    expect(() => render({ headers }, { id: 'a\r\nAuthorization: x' })).toThrow(ExpressionFault);
    expect(() => render({ headers }, { id: ['a'] })).toThrow('a header is a text on one line');
    expect(() => render({ headers: [['X-Case', template({ a: 1 })]] })).toThrow('a header is a text on one line');
  });

  it('E02: is the same for the same values and leaves secrets out of what is hashed', () => {
    // E02: "Same key + same hash: the recorded outcome."
    const headers = [
      ['X-Api-Key', template('=secrets.pspToken')],
      ['X-Open', template('yes')],
    ] as const;
    const request = render({ headers }, { id: 1 }, { auth: { kind: 'bearer', token: template('=secrets.pspToken') } });
    expect(request.headers).toEqual({ 'x-open': 'yes' });
    expect(requestHash(request)).toBe(requestHash(render({ headers }, { id: 1 })));
  });
});

describe('the url of a request', () => {
  it('encodes what is embedded, so that data adds no segment, parameter or host', () => {
    expect(url('https://psp.example/c/${ with.id }/void')).toBe('https://psp.example/c/ch%201/void');
    expect(url('https://psp.example/c/${ with.id }', { id: '../x?admin=1#f' })).toBe(
      'https://psp.example/c/..%2Fx%3Fadmin%3D1%23f',
    );
    expect(url('https://psp.example/c?ref=${ with.id }', { id: 'a&b=c' })).toBe('https://psp.example/c?ref=a%26b%3Dc');
    expect(url('https://psp.example/c/${ with.n }/${ with.ok }', { n: 3, ok: true })).toBe(
      'https://psp.example/c/3/true',
    );
  });

  it('takes a value at the very beginning as a base address', () => {
    expect(url('${ constants.base }/charges/${ with.id }')).toBe('https://psp.example/v2/charges/ch%201');
    expect(url('=constants.base')).toBe('https://psp.example/v2');
  });

  it('refuses a path part that data leaves empty or made of dots', () => {
    for (const id of ['', '.', '..'])
      expect(() => url('https://psp.example/c/${ with.id }/void', { id })).toThrow(ExpressionFault);
    expect(url('https://psp.example/c?q=${ with.id }', { id: '' })).toBe('https://psp.example/c?q=');
  });

  it('appends the query, lists as repeated names, null left out', () => {
    expect(
      url(
        'https://psp.example/c?a=1',
        { id: 'x y', tags: ['p', 'q&'], none: null, n: 2 },
        {
          id: '=with.id',
          tag: '=with.tags',
          gone: '=with.none',
          'n[]': '=with.n',
        },
      ),
    ).toBe('https://psp.example/c?a=1&id=x%20y&tag=p&tag=q%26&n%5B%5D=2');
  });

  it('has no fragment', () => {
    expect(url('https://psp.example/c#top')).toBe('https://psp.example/c');
  });

  it.each([
    'ftp://psp.example/c',
    'psp.example/c',
    'https://user:pw@psp.example/c',
    'https://user@psp.example/c',
    'javascript:alert(1)',
  ])('refuses %s', (text) => {
    expect(() => url(text)).toThrow('the url is not an http(s) address');
  });

  it('refuses a part that is no text, and never shows the value', () => {
    expect(() => url('https://psp.example/${ with.o }', { o: { secretive: 1 } })).toThrow('a part of a url is a text');
    expect(() => url('https://psp.example/', {}, { q: { secretive: 1 } })).toThrow('a part of a url is a text');
    expect(() => url('https://psp.example/', {}, { q: { secretive: 1 } })).not.toThrow('secretive');
  });
});

describe('the request of a function', () => {
  it('is its name and `with`', () => {
    const action = contract({ transport: { kind: 'function', name: 'charge@2' }, contract: 2 });
    expect(renderRequest(evaluatorFor(action), action, { with: { a: 1 }, key: null, scope: {} })).toEqual({
      action: 'psp.charge',
      contract: 2,
      method: null,
      url: null,
      headers: {},
      function: 'charge@2',
      with: { a: 1 },
      body: { a: 1 },
    });
  });
});

describe('the request of a query', () => {
  it('is rendered from the recorded effect', () => {
    const action = contract({ reconcile: RECONCILE });
    expect(renderQuery(evaluatorFor(action), action, requested(), {})).toMatchObject({
      method: 'GET',
      url: `https://psp.example/v1/charges?reference=${requested().key}`,
      with: { amount: 100 },
      body: null,
    });
  });

  it('by a function holds the `with` of the effect', () => {
    const action = contract({ reconcile: { ...RECONCILE, transport: { kind: 'function', name: 'charge@2' } } });
    expect(renderQuery(evaluatorFor(action), action, requested(), {})).toMatchObject({
      function: 'charge@2',
      with: { amount: 100 },
    });
  });

  it('needs a reconcile', () => {
    expect(() => renderQuery(evaluatorFor(contract()), contract(), requested(), {})).toThrow(
      'only an action with reconcile',
    );
  });
});
