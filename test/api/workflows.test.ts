import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiHouse, openApiHouse, type Told } from './support/api-house.ts';
import { SLEEP } from './support/workflows.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
});
afterAll(() => house.close());

const YAML = { 'content-type': 'application/yaml; charset=utf-8' };
const publish = (text: string, url = '/v1/workflows', as = house.keyOf('author')): Promise<Told> =>
  house.call('POST', url, { text, as, headers: YAML });

describe('publishing', () => {
  it('a dry run checks everything and writes nothing', async () => {
    const told = await publish(SLEEP, '/v1/workflows?dryRun=true');
    expect([told.status, told.json()]).toEqual([200, { workflow: 'sleep', version: 1, warnings: [] }]);
    expect((await house.get('/v1/workflows')).json()).toEqual({ data: [] });
  });

  it('S49 a version is there once: the same content again is 200, other content 409', async () => {
    const first = await publish(SLEEP);
    expect([first.status, first.headers['location']]).toEqual([201, '/v1/workflows/sleep/versions/1']);
    expect((await publish(SLEEP)).status).toBe(200);
    const other = await publish(SLEEP.replace('wait: 1h', 'wait: 2h'));
    expect([other.status, other.json<{ code: string }>().code]).toEqual([409, 'PAWL_VERSION_CONFLICT']);
    expect((await publish(SLEEP.replace('version: 1', 'version: 2'))).status).toBe(201);
  });

  it('says of a file with problems what, and where: line, column and the mend', async () => {
    const told = await publish(SLEEP.replace('wait: 1h', 'wait: soon'));
    expect(told.status).toBe(422);
    expect(told.json()).toMatchObject({
      code: 'PAWL_DEFINITION_INVALID',
      errors: [
        {
          pointer: '/steps/0/wait',
          code: expect.stringMatching(/^PAWL-\d{3}$/),
          source: { file: 'workflow.pawl.yaml', line: 8, column: expect.any(Number) },
        },
      ],
    });
  });

  it('S43 hostile files are refused: aliases, anchors of themselves, keys of the prototype, two documents', async () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghij'.split('').map((name, at) => `${name}: &${name} [*${'abcdefghij'[at]}, *${'abcdefghij'[at]}]`),
    ];
    for (const text of [
      bomb.join('\n'),
      'a: &a [*a]',
      '__proto__: { x: 1 }',
      `${SLEEP}---\n${SLEEP}`,
      '',
      '\uFEFF',
      `${'['.repeat(10_000)}`,
    ]) {
      const told = await publish(text);
      expect([text.slice(0, 20), told.status]).toEqual([text.slice(0, 20), 422]);
    }
  });

  it('reaches as far as the key, by the name in the file', async () => {
    const narrow = await house.key(['author'], { scopes: [{ right: 'definition:publish', workflows: 'refund-*' }] });
    expect((await publish(SLEEP, '/v1/workflows', narrow)).status).toBe(403);
    expect(
      (await publish(SLEEP.replace('workflow: sleep', 'workflow: refund-x'), '/v1/workflows', narrow)).status,
    ).toBe(201);
  });
});

describe('workflows and versions', () => {
  it('are listed and shown as far as the key reaches', async () => {
    const lines = (await house.get('/v1/workflows')).json<{ data: readonly object[] }>().data;
    expect(lines).toEqual([
      { workflow: 'refund-x', latest: 1, versions: [1] },
      { workflow: 'sleep', latest: 2, versions: [1, 2] },
    ]);
    const narrow = await house.key(['viewer'], { scopes: [{ right: 'definition:read', workflows: 'refund-*' }] });
    const seen = (await house.get('/v1/workflows', { as: narrow })).json<{ data: readonly object[] }>().data;
    expect(seen).toEqual([{ workflow: 'refund-x', latest: 1, versions: [1] }]);
    for (const path of ['sleep', 'sleep/versions/1', 'sleep/versions/1/source', 'sleep/versions/1/diagram', 'nobody'])
      expect([path, (await house.get(`/v1/workflows/${path}`, { as: narrow })).status]).toEqual([path, 404]);
    const versions = (await house.get('/v1/workflows/sleep')).json<{ data: readonly { version: number }[] }>().data;
    expect(versions.map(({ version }) => version)).toEqual([1, 2]);
    expect((await house.get('/v1/workflows/sleep/versions/2')).json()).toMatchObject({
      version: 2,
      publishedBy: 'author',
    });
    for (const version of ['3', '0', '01', 'latest', '1e3'])
      expect([version, (await house.get(`/v1/workflows/sleep/versions/${version}`)).status]).toEqual([version, 404]);
  });

  it('give their file byte by byte, and a picture that is the same as long as they are', async () => {
    const source = await house.get('/v1/workflows/sleep/versions/1/source');
    expect([source.text, source.headers['content-type']]).toEqual([SLEEP, 'application/yaml; charset=utf-8']);
    const had = { 'if-none-match': String(source.headers['etag']) };
    expect((await house.get('/v1/workflows/sleep/versions/1/source', { headers: had })).status).toBe(304);
    expect((await house.get('/v1/workflows/sleep/versions/2/source', { headers: had })).status).toBe(200);
    const path = '/v1/workflows/sleep/versions/1/diagram';
    const picture = await house.get(`${path}?format=mermaid`);
    expect([picture.status, picture.text]).toEqual([200, expect.stringContaining('pause')]);
    const same = await house.get(`${path}?format=mermaid`, {
      headers: { 'if-none-match': String(picture.headers['etag']) },
    });
    expect(same.status).toBe(304);
    const svg = await house.get(path);
    expect([svg.headers['content-type'], svg.text.slice(0, 4)]).toEqual(['image/svg+xml', '<svg']);
    expect((await house.get(`${path}?format=png`)).status).toBe(400);
  });
});

describe('deprecations', () => {
  it('leave the highest version without one as the latest, and none where each has one', async () => {
    const latest = async (): Promise<unknown> =>
      (await house.get('/v1/workflows'))
        .json<{ data: readonly { workflow: string; latest: unknown }[] }>()
        .data.find(({ workflow }) => workflow === 'sleep')?.latest;
    const path = (version: number): string => `/v1/workflows/sleep/versions/${version}`;
    const shown = await house.get(path(2));
    const headers = { 'if-none-match': String(shown.headers['etag']) };
    expect([await latest(), (await house.get(path(2), { headers })).status]).toEqual([2, 304]);
    await house.post(`${path(2)}/deprecations`, { reason: 'it oversleeps' });
    expect([await latest(), (await house.get(path(2), { headers })).status]).toEqual([1, 200]);
    await house.post(`${path(1)}/deprecations`, { reason: 'it is old' });
    expect(await latest()).toBeNull();
    for (const version of [1, 2]) await house.call('DELETE', `${path(version)}/deprecations/current`);
    expect(await latest()).toBe(2);
  });

  it('are for whoever may publish; they show at once, refuse starts, and are taken back once', async () => {
    const path = '/v1/workflows/sleep/versions/2';
    const order = (method: 'POST' | 'DELETE', as: 'author' | 'viewer'): Promise<Told> =>
      method === 'POST'
        ? house.call('POST', `${path}/deprecations`, { as, body: { reason: 'it oversleeps' } })
        : house.call('DELETE', `${path}/deprecations/current`, { as });
    const shown = async (): Promise<unknown> => {
      const told = await house.get(path);
      expect(told.headers['cache-control']).not.toContain('immutable');
      return told.json<{ deprecated: unknown }>().deprecated;
    };
    expect([(await order('POST', 'viewer')).status, await shown()]).toEqual([403, null]);
    expect((await order('POST', 'author')).status).toBe(201);
    const deprecated = { by: 'author', reason: 'it oversleeps', at: expect.any(String) };
    expect(await shown()).toEqual(deprecated);
    const { data } = (await house.get('/v1/workflows/sleep')).json<{ data: readonly { deprecated: unknown }[] }>();
    expect(data.map((version) => version.deprecated)).toEqual([null, deprecated]);
    const again = await order('POST', 'author');
    expect([again.status, again.json<{ code: string }>().code]).toEqual([409, 'PAWL_VERSION_DEPRECATED']);
    expect((await order('DELETE', 'viewer')).status).toBe(403);
    expect([(await order('DELETE', 'author')).status, await shown()]).toEqual([200, null]);
    const none = await order('DELETE', 'author');
    expect([none.status, none.json<{ code: string }>().code]).toEqual([409, 'PAWL_VERSION_NOT_DEPRECATED']);
  });
});

describe('pauses of a workflow, an action or a host', () => {
  const REASON = { reason: 'the bank is down' };
  const begin = (subject: object, as: 'operator' | 'viewer' | 'author' = 'operator'): Promise<Told> =>
    house.call('POST', '/v1/pauses', { as, body: { ...subject, ...REASON } });
  const codeOf = (told: Told): readonly [number, string] => [told.status, told.json<{ code: string }>().code];

  it('are for whoever may pause, of one thing each, listed while they last, begun and ended once', async () => {
    for (const as of ['viewer', 'author'] as const) expect((await begin({ host: 'a.test' }, as)).status).toBe(403);
    for (const body of [{}, { host: 'a.test', action: 'x' }, { hosts: 'a.test' }])
      expect((await begin(body)).status).toBe(400);
    expect(codeOf(await begin({ workflow: 'no-such' }))).toEqual([404, 'PAWL_VERSION_NOT_FOUND']);
    expect(codeOf(await begin({ host: 'two words' }))).toEqual([422, 'PAWL_INPUT_INVALID']);
    const begun = await begin({ workflow: 'sleep' });
    const pause = begun.json<{ id: string }>();
    expect([begun.status, begun.headers['location']]).toEqual([201, `/v1/pauses/${pause.id}`]);
    expect(pause).toEqual({
      ...{ id: pause.id, kind: 'workflow', name: 'sleep', by: 'operator', ...REASON },
      since: expect.stringMatching(/Z$/),
    });
    expect(codeOf(await begin({ workflow: 'sleep' }))).toEqual([409, 'PAWL_PAUSED_ALREADY']);
    const listed = async (): Promise<unknown> => (await house.get('/v1/pauses')).json<{ data: unknown }>().data;
    expect(await listed()).toEqual([pause]);
    const end = (as: 'operator' | 'viewer'): Promise<Told> => house.call('DELETE', `/v1/pauses/${pause.id}`, { as });
    expect((await end('viewer')).status).toBe(403);
    expect([(await end('operator')).status, await listed()]).toEqual([200, []]);
    expect(codeOf(await end('operator'))).toEqual([404, 'PAWL_PAUSE_NOT_FOUND']);
    const scopes = [{ right: '*', workflows: 'slee*' }] as const;
    const narrow = await house.key(['operator'], { principal: 'nora', scopes });
    for (const body of [{ host: 'a.test' }, { action: 'x' }, { workflow: 's*' }, { workflow: 'listen' }])
      expect((await house.call('POST', '/v1/pauses', { as: narrow, body: { ...body, ...REASON } })).status).toBe(403);
    const other = (await begin({ workflow: 'li*' })).json<{ id: string }>();
    expect((await house.get('/v1/pauses', { as: narrow })).json()).toEqual({ data: [] });
    expect((await house.call('DELETE', `/v1/pauses/${other.id}`, { as: narrow })).status).toBe(404);
    const own = await house.call('POST', '/v1/pauses', { as: narrow, body: { workflow: 'slee*', ...REASON } });
    expect(own.status).toBe(201);
    const { id } = own.json<{ id: string }>();
    expect((await house.call('DELETE', `/v1/pauses/${id}?reason=done`, { as: narrow })).status).toBe(200);
    expect((await house.call('DELETE', `/v1/pauses/${other.id}`, { as: 'operator' })).status).toBe(200);
    const acts = (await house.get('/v1/audit?limit=2')).json<{ data: readonly { act: string; target: string }[] }>();
    expect(acts.data.map(({ act, target }) => [act, target])).toEqual([
      ['pause.end', 'workflow li*'],
      ['pause.end', 'workflow slee*'],
    ]);
  });
});
