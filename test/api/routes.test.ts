import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPathOf, paramsOf, type Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import { API_RIGHTS, API_ROLES, RIGHTS_OF } from '../../src/model/api-key.ts';
import type { RunId } from '../../src/model/ids.ts';
import { awaitLink } from '../../src/model/link.ts';
import { type ApiHouse, type Asked, newAct, openApiHouse, type Told } from './support/api-house.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse({ links: { url: '', secret: 'linkKey' }, env: { PAWL_SECRET_LINK_KEY: 'a secret' } });
  const made = house.app.engine.links?.address('00000000-0000-7000-8000-000000000000' as RunId, awaitLink('a', []), 0);
  NAMES['token'] = made?.kind === 'address' ? made.token : '';
});
afterAll(() => house.close());

/** What stands in a path; a token is one that was signed here, for a run that is not there. */
const NAMES: Record<string, string> = { version: '1' };
const urlOf = (route: Route): string =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? `no-such-${name}`);

/** A stream that would go on for ever is asked for a run that is not there. */
const calledUrlOf = (route: Route): string => `${urlOf(route)}${route.resumes === true ? '?runs=no-such-run' : ''}`;

/** A call that fits the row: only what it names is not there. */
function fitting({ body, ifMatch, idempotency }: Route): Asked {
  const headers = {
    ...(idempotency === undefined ? {} : newAct()),
    ...(ifMatch === undefined ? {} : { 'if-match': '"1"' }),
    ...(body === undefined
      ? {}
      : { 'content-type': body.kind === 'json' ? 'application/json' : (body.media[0] ?? '') }),
  };
  if (body === undefined) return { headers };
  return { headers, text: body.kind === 'json' ? JSON.stringify(body.example) : body.example };
}

const call = (route: Route, change: Partial<Asked> = {}): Promise<Told> => {
  const asked = fitting(route);
  return house.call(route.method, calledUrlOf(route), {
    ...asked,
    ...change,
    headers: { ...asked.headers, ...change.headers },
  });
};
const codeOf = (told: Told): string => told.json<{ code: string }>().code;

const GUARDED = ROUTES.filter(({ right }) => right !== null);
const rows = (routes: readonly Route[]): readonly (readonly [string, Route])[] =>
  routes.map((route) => [`${route.method} ${route.path}`, route]);

describe('the table of routes', () => {
  it('names each operation, and each method of a path, once', () => {
    const ids = ROUTES.map(({ id }) => id);
    const ways = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect([new Set(ids).size, new Set(ways).size]).toEqual([ROUTES.length, ROUTES.length]);
  });

  it('uses every right, and every example fits its schema', () => {
    expect(new Set(GUARDED.map(({ right }) => right))).toEqual(new Set(API_RIGHTS));
    for (const { id, body } of ROUTES)
      if (body?.kind === 'json') expect(compileSchema(body.schema)(body.example), id).toEqual([]);
  });

  it('S01 answers without a key only what says nothing of what is stored', () => {
    expect(ROUTES.filter(({ right }) => right === null).map(({ path }) => path)).toEqual([
      '/healthz',
      '/readyz',
      '/version',
      '/openapi.json',
      // Its signature is what lets a caller in.
      '/v1/links/{token}',
    ]);
    expect(ROUTES.filter(({ admit }) => admit !== undefined).map(({ path }) => path)).toEqual(['/v1/links/{token}']);
  });

  it('knows its own paths', () => {
    const route = { path: '/v1/runs/{run}/events' };
    expect(paramsOf(route)).toEqual(['run']);
    const given = ['/v1/runs/x/events', '/v1/runs//events', '/v1/runs/x', '/v1/runs/x/event', '/v1/runs/x/events/'];
    expect(given.map((path) => isPathOf(route, path))).toEqual([true, false, false, false, false]);
  });
});

describe.each(rows(GUARDED))('%s', (_, route) => {
  it('S01 S03 is 401 without a key, with a wrong one, and with one in the query', async () => {
    const unknown = `pawl_00000000_${'0'.repeat(70)}`;
    for (const as of [null, 'nonsense', unknown]) expect((await call(route, { as })).status).toBe(401);
    const inQuery = `${urlOf(route)}?key=${house.keyOf('admin')}`;
    const { headers = {}, text } = fitting(route);
    const told = await house.call(route.method, inQuery, {
      as: null,
      headers,
      ...(text === undefined ? {} : { text }),
    });
    expect([told.status, told.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it.each(API_ROLES)('S10 answers a key of the role %s by the rights of that role alone', async (role) => {
    const may = route.right !== null && RIGHTS_OF[role].includes(route.right);
    const { status } = await call(route, { as: role });
    if (may) expect(status).not.toBe(403);
    else expect(status).toBe(403);
    expect(status).not.toBe(401);
  });

  it('is 400 for a parameter that it does not have, and for one that is there twice', async () => {
    const asked = fitting(route);
    for (const search of ['nonsense=1', 'dryRun=true&dryRun=true', '__proto__=1']) {
      const told = await house.call(route.method, `${urlOf(route)}?${search}`, asked);
      expect([told.status, codeOf(told)]).toEqual([400, 'PAWL_API_MALFORMED']);
    }
  });

  it('is 405 for another method, and says which there are', async () => {
    for (const method of ['DELETE', 'PUT', 'PATCH', 'HEAD'].filter((other) => other !== route.method))
      expect(
        (
          await house.server.inject({
            method: method as 'PUT',
            url: urlOf(route),
            headers: { authorization: `Bearer ${house.keyOf('viewer')}` },
          })
        ).statusCode,
      ).toBe(405);
    const told = await house.call('PUT', urlOf(route));
    expect(codeOf(told)).toBe('PAWL_API_METHOD');
    expect(String(told.headers['allow']).split(', ')).toContain(route.method);
  });

  it('S02 is 404 in another spelling', async () => {
    const url = urlOf(route);
    for (const other of [`/${url}`, `${url}/`, url.replace(/[a-z]/, (first) => first.toUpperCase()), `${url};x`])
      expect([other, (await house.call(route.method, other, fitting(route))).status]).toEqual([
        other,
        expect.toBeOneOf([404, 405]),
      ]);
  });
});

describe.each(rows(GUARDED.filter(({ path, resumes }) => path.includes('{') || resumes === true)))('%s', (_, route) => {
  it('is 404 where there is nothing of that name', async () => {
    const told = await call(route);
    expect([told.status, codeOf(told)]).toEqual([
      404,
      expect.stringMatching(/^PAWL_(RUN|VERSION|BATCH|PAUSE)_NOT_FOUND$/),
    ]);
  });
});

describe.each(rows(ROUTES.filter(({ body }) => body !== undefined)))('%s', (_, route) => {
  it('is 413 for a body that is too large, before anything else is looked at', async () => {
    const told = await call(route, { text: 'x'.repeat(1024 * 1024 + 1) });
    expect([told.status, codeOf(told)]).toEqual([413, 'PAWL_API_TOO_LARGE']);
  });

  it('S60 is 415 for a content type that only looks like one that it reads, and for a compressed body', async () => {
    const kinds = [
      '',
      'text/plain',
      ' application/jsonx',
      'application/json\tx',
      'application/json x',
      'Application/Json ;',
      'application/json; charset=utf-16',
      'application/json, text/plain',
      'multipart/form-data; boundary=application/json',
    ];
    for (const kind of kinds)
      expect([kind, (await call(route, { headers: { 'content-type': kind } })).status]).toEqual([kind, 415]);
    const told = await call(route, { headers: { 'content-encoding': 'gzip' } });
    expect([told.status, codeOf(told)]).toEqual([415, 'PAWL_API_MEDIA_TYPE']);
  });
});

describe.each(rows(ROUTES.filter(({ body }) => body?.kind === 'json')))('%s', (_, route) => {
  it('S59b is 400 for a body that is not exactly what the route takes', async () => {
    const example = JSON.stringify(route.body?.example).slice(0, -1);
    // What an event may hold is for its workflow to say.
    const others = ['null', '[]', `${example}, "nonsense": 1}`, `${example}, "__proto__": {}}`];
    const bodies = [
      '',
      '{',
      ...(route.id === 'followLink' ? [] : others),
      `${example}, ${example.slice(1).split(',')[0]}}`,
      `${example}, "n": 9007199254740993}`,
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    ];
    for (const text of bodies) {
      const told = await call(route, { text });
      expect([String(text), told.status, codeOf(told)]).toEqual([String(text), 400, 'PAWL_API_MALFORMED']);
      expect(told.json<{ errors: readonly unknown[] }>().errors.length).toBeGreaterThan(0);
    }
  });
});

describe.each(rows(ROUTES.filter(({ idempotency }) => idempotency === 'required')))('%s', (_, route) => {
  it('is 400 without a name of the act, or with one that is none', async () => {
    for (const key of ['', 'ä', 'a b', 'x'.repeat(256), '"x'])
      expect([key, (await call(route, { headers: { 'idempotency-key': key } })).status]).toEqual([key, 400]);
    const { headers: { 'idempotency-key': _key, ...headers } = {}, text } = fitting(route);
    const told = await house.call(route.method, urlOf(route), { headers, ...(text === undefined ? {} : { text }) });
    expect(told.json<{ errors: readonly { pointer: string }[] }>().errors[0]?.pointer).toBe('/header/idempotency-key');
  });
});

describe.each(rows(ROUTES.filter(({ idempotency }) => idempotency === 'optional')))('%s', (_, route) => {
  it('is 400 with a name of the act that is none, and takes a call without one', async () => {
    for (const key of ['', 'ä', 'a b', 'x'.repeat(256), '"x'])
      expect([key, (await call(route, { headers: { 'idempotency-key': key } })).status]).toEqual([key, 400]);
    const { headers: { 'idempotency-key': _key, ...headers } = {}, text = '' } = fitting(route);
    expect((await house.call(route.method, urlOf(route), { headers, text })).status).toBe(404);
  });
});

describe.each(rows(ROUTES.filter(({ ifMatch }) => ifMatch === 'required')))('%s', (_, route) => {
  it('is 428 without a revision, and 400 with what is none', async () => {
    const { headers: { 'if-match': _tag, ...headers } = {}, text } = fitting(route);
    const told = await house.call(route.method, urlOf(route), { headers, ...(text === undefined ? {} : { text }) });
    expect([told.status, codeOf(told)]).toEqual([428, 'PAWL_API_UNCONDITIONAL']);
    for (const tag of ['*', '7', '"x"', 'W/"7"', '"7", "8"', '"07"'])
      expect([tag, (await call(route, { headers: { 'if-match': tag } })).status]).toEqual([tag, 400]);
  });
});
