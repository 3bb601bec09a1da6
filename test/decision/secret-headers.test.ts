import { describe, expect, it } from 'vitest';
import { renderSecretHeaders, secretNamesOf, secretTemplatesOf } from '../../src/decision/secret-headers.ts';
import type { Auth } from '../../src/model/definition.ts';
import { contract, evaluatorFor, http, RECONCILE, template } from './ledger-fixtures.ts';

const KEYED = [
  ['X-Api-Key', template('key ${ secrets.pspToken }')],
  ['X-Open', template('yes')],
] as const;
const bearer: Auth = { kind: 'bearer', token: template('=secrets.pspToken') };
const basic: Auth = { kind: 'basic', user: template('shop'), password: template('=secrets.pspToken') };
const header: Auth = { kind: 'header', name: 'X-Auth', value: template('=secrets.pspToken') };
const render = (auth: Auth | null, token = 't0k', what: 'send' | 'query' = 'send') => {
  const of = contract({
    auth,
    transport: http({ headers: KEYED }),
    reconcile: { ...RECONCILE, transport: http({ headers: [['X-Query', template('=secrets.pspToken')]] }) },
  });
  return renderSecretHeaders(evaluatorFor(of), of, what, { secrets: { pspToken: token } });
};

describe('headers that carry secrets', () => {
  it('are `auth` and the headers that read secrets, nothing else', () => {
    const of = contract({ auth: bearer, transport: http({ headers: KEYED }) });
    expect(secretTemplatesOf(of, 'send')).toEqual({ auth: bearer, headers: [KEYED[0]] });
    expect(secretTemplatesOf(of, 'query')).toEqual({ auth: bearer, headers: [] });
    const func = contract({ transport: { kind: 'function', name: 'charge@1' } });
    expect(secretTemplatesOf(func, 'send')).toEqual({ auth: null, headers: [] });
  });

  it('name the secrets that a process needs for a sending', () => {
    expect(secretNamesOf(contract({ auth: bearer, transport: http({ headers: KEYED }) }), 'send')).toEqual([
      'pspToken',
    ]);
    expect(secretNamesOf(contract({ auth: basic }), 'send')).toEqual(['pspToken']);
    expect(secretNamesOf(contract({ auth: header }), 'send')).toEqual(['pspToken']);
    expect(secretNamesOf(contract(), 'send')).toEqual([]);
    const nested = http({
      headers: [['X', { kind: 'list', items: [template({ a: '=secrets.pspToken' }), template('x')] }]],
    });
    expect(secretNamesOf(contract({ transport: nested }), 'send')).toEqual(['pspToken']);
  });

  it('are rendered for a sending and for a query', () => {
    expect(render(bearer)).toEqual({ authorization: 'Bearer t0k', 'x-api-key': 'key t0k' });
    expect(render(basic)).toMatchObject({ authorization: `Basic ${Buffer.from('shop:t0k').toString('base64')}` });
    expect(render(header)).toMatchObject({ 'x-auth': 't0k' });
    expect(render(null)).toEqual({ 'x-api-key': 'key t0k' });
    expect(render(bearer, 't0k', 'query')).toEqual({ authorization: 'Bearer t0k', 'x-query': 't0k' });
  });

  it('P12: a secret that is no header text is refused without being shown', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const attempt = () => render(bearer, 'top\nsecret-canary');
    expect(attempt).toThrow('a header is a text on one line');
    expect(attempt).not.toThrow('canary');
  });
});
