import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlace, writePlace } from '../../src/api/cursor.ts';
import { type ApiHouse, newAct, openApiHouse } from './support/api-house.ts';
import { atLength } from './support/length.ts';
import { ASK, LISTEN, NAMELESS, publishAll, SLEEP, startRun } from './support/workflows.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
  await publishAll(house, [SLEEP, NAMELESS, ASK, LISTEN]);
});
afterAll(() => house.close());

const PAGED = atLength(10_000, 300);

interface Page {
  readonly data: readonly { readonly id: string; readonly key: string }[];
  readonly nextCursor: string | null;
}

describe('starting a run', () => {
  it('V02 the same start again is 200 with the run that is there; another one under its key is 409', async () => {
    // V02: "A request's Idempotency-Key is its inbox id."
    const body = { workflow: 'sleep', input: { id: 'twice' } };
    const first = await house.post('/v1/runs', body);
    const { id } = first.json<{ id: string }>();
    expect([first.status, first.headers['location']]).toEqual([201, `/v1/runs/${id}`]);
    const again = await house.post('/v1/runs', body);
    expect([again.status, again.json<{ id: string }>().id]).toEqual([200, id]);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    const other = await house.post('/v1/runs', { ...body, input: { id: 'twice', more: 1 } });
    expect([other.status, other.json<{ code: string }>().code]).toEqual([409, 'PAWL_RUN_KEY_CONFLICT']);
  });

  it('of a workflow without a key: the name of the act, with whose it is, makes the same start one run', async () => {
    const body = { workflow: 'nameless', input: { amount: 1 } };
    const headers = { 'idempotency-key': '"a-1"' };
    const ana = await house.key(['operator'], { principal: 'ana' });
    const first = await house.post('/v1/runs', body, { as: ana, headers });
    const again = await house.post('/v1/runs', body, { as: ana, headers: { 'idempotency-key': 'a-1' } });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json<{ id: string }>().id).toBe(first.json<{ id: string }>().id);
    expect(first.json<{ key: string }>().key).toBe('ana:a-1');
    const changed = await house.post('/v1/runs', { ...body, input: { amount: 2 } }, { as: ana, headers });
    expect(changed.status).toBe(409);
    expect((await house.post('/v1/runs', body, { headers })).status).toBe(201);
  });

  it('50 copies of one start at once are one run', async () => {
    const headers = newAct();
    const told = await Promise.all(
      Array.from({ length: 50 }, () => house.post('/v1/runs', { workflow: 'nameless', input: {} }, { headers })),
    );
    expect(new Set(told.map((one) => one.json<{ id: string }>().id)).size).toBe(1);
    expect(told.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('says of an input that does not fit where in the body that is', async () => {
    const told = await house.post('/v1/runs', { workflow: 'sleep', input: { id: 7 } });
    expect(told.json()).toMatchObject({
      status: 422,
      code: 'PAWL_INPUT_INVALID',
      errors: [{ pointer: '/input/id', message: expect.any(String) }],
    });
    expect((await house.post('/v1/runs', { workflow: 'nobody' })).json()).toMatchObject({
      status: 404,
      code: 'PAWL_VERSION_NOT_FOUND',
    });
  });

  it('S48 nobody sets versions, limits, roles or times by it', async () => {
    for (const more of [{ tenant: 'other' }, { by: 'eve' }, { roles: ['admin'] }, { timeout: '9d' }, { key: 'x' }])
      expect((await house.post('/v1/runs', { workflow: 'sleep', input: { id: 's48' }, ...more })).status).toBe(400);
  });
});

describe('a run', () => {
  it('is shown by either form of its id, and by its key; unchanged, it is 304', async () => {
    const id = await startRun(house, 'sleep', 'shown');
    const told = await house.get(`/v1/runs/${id}`);
    const etag = String(told.headers['etag']);
    expect(etag).toMatch(/^"\d+-[0-9a-f]{16}"$/);
    expect((await house.get('/v1/runs/shown')).text).toBe(told.text);
    const same = await house.get('/v1/runs/shown', { headers: { 'if-none-match': etag } });
    expect([same.status, same.text]).toEqual([304, '']);
    const other = await house.get('/v1/runs/shown', { headers: { 'if-none-match': '"1-0000000000000000"' } });
    expect(other.status).toBe(200);
  });

  it('has another tag after a vote that moves no revision', async () => {
    const id = await startRun(house, 'ask', 'tagged');
    const before = await house.get(`/v1/runs/${id}`);
    const { approvals } = before.json<{ approvals: readonly { id: string; subjectHash: string }[] }>();
    const [approval] = approvals;
    const vote = { decision: 'approve', subjectHash: approval?.subjectHash ?? '' };
    const voted = await house.post(`/v1/runs/${id}/approvals/${approval?.id}/votes`, vote, { as: 'approver' });
    expect(voted.status).toBe(201);
    expect((await house.get(`/v1/runs/${id}`)).headers['etag']).not.toBe(before.headers['etag']);
  });

  it('has a journal', async () => {
    const id = await startRun(house, 'sleep', 'journal');
    const { data } = (await house.get(`/v1/runs/${id}/journal`)).json<{ data: readonly { revision: number }[] }>();
    expect(data.map(({ revision }) => revision)).toEqual(data.map((_, at) => at + 1));
    expect(data.length).toBeGreaterThan(0);
  });

  it('is waited for until it rests, and no longer than was said', async () => {
    expect((await house.post('/v1/runs?wait=60s', { workflow: 'sleep', input: { id: 'rests' } })).json()).toMatchObject(
      {
        status: 'WAITING',
      },
    );
    for (const wait of ['0s', '61s', '5', '5m', '-1s'])
      expect([wait, (await house.get(`/v1/runs/rests?wait=${wait}`)).status]).toEqual([wait, 400]);
  });
});

describe('the list of runs', () => {
  const walk = async (query: string, between: (page: number) => Promise<unknown>): Promise<readonly string[]> => {
    const keys: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const told = await house.get(`/v1/runs?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const { data, nextCursor } = told.json<Page>();
      keys.push(...data.map(({ key }) => key));
      cursor = nextCursor;
      await between(page);
    }
    return keys;
  };

  it(`S15 is walked page by page without skip or repeat, ${PAGED} that wait, while others are started, decided and ended`, async () => {
    const ids = Array.from({ length: PAGED }, (_, at) => `page-${at}`);
    const others = Array.from({ length: PAGED / 5 }, (_, at) => `other-${at}`);
    // Every sixth of them will not wait any more once the walk has gone on by a page.
    const all = ids.flatMap((id, at) => (at % 5 === 0 ? [id, others[at / 5] ?? ''] : [id]));
    // As many at once as a server takes beside others.
    while (all.length > 0) await Promise.all(all.splice(0, 100).map((id) => startRun(house, 'listen', id)));
    const going = [...others];
    const disturb = async (page: number): Promise<void> => {
      await startRun(house, 'listen', `late-${page}`);
      const [decided, ended] = [going.shift(), going.pop()];
      if (decided === undefined || ended === undefined) return;
      const event = await house.post(`/v1/runs/${decided}/events`, { type: 'paid', data: { amount: 1 } });
      const cancel = await house.post(`/v1/runs/${ended}/cancellations`, { reason: 'while it is listed' });
      expect([event.status, cancel.status]).toEqual([201, 201]);
    };
    const keys = await walk(`workflow=listen&status=WAITING&limit=${atLength(200, 10)}`, disturb);
    const mine = keys.filter((key) => key.startsWith('page-'));
    expect([...mine].sort()).toEqual([...ids].sort());
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.startsWith('late-'))).toEqual([]);
    // Of those that have left the list meanwhile some were told, and some had gone before their page.
    const told = keys.length - mine.length;
    expect([told > 0, told < others.length]).toEqual([true, true]);
  }, 600_000);

  it('is filtered by workflow, version, status, need and name', async () => {
    const id = await startRun(house, 'ask', 'filtered');
    const idsOf = async (query: string): Promise<readonly string[]> =>
      (await house.get(`/v1/runs?${query}`)).json<Page>().data.map((run) => run.id);
    expect(await idsOf(`q=${id}`)).toEqual([id]);
    expect(await idsOf('q=filtered&status=WAITING,HELD&version=1&workflow=ask')).toEqual([id]);
    expect(await idsOf('q=filtered&needs=human')).toEqual([id]);
    expect(await idsOf('q=filtered&step=decision&label=team:payments,tier:1')).toEqual([id]);
    for (const query of ['version=2', 'workflow=sleep', 'status=FAILED', 'step=nowhere', 'label=team:post'])
      expect([query, await idsOf(`q=filtered&${query}`)]).toEqual([query, []]);
  });

  it('S53 is 400 for a filter that is none', async () => {
    for (const query of [
      'status=NONE',
      "status=RUNNING'--",
      'limit=0',
      'limit=201',
      'version=x',
      'needs=me',
      'q=',
      'step=',
      'label=team',
      'label=team:a,',
      'sort=1',
    ])
      expect([query, (await house.get(`/v1/runs?${query}`)).status]).toEqual([query, 400]);
  });

  it('S15 goes on only with a cursor of its own, for the same filter', async () => {
    const { nextCursor } = (await house.get('/v1/runs?workflow=sleep&limit=1')).json<Page>();
    expect((await house.get(`/v1/runs?workflow=sleep&limit=2&cursor=${nextCursor}`)).status).toBe(200);
    for (const query of [
      `cursor=${nextCursor}`,
      `workflow=ask&cursor=${nextCursor}`,
      'workflow=sleep&cursor=nonsense',
    ]) {
      const told = await house.get(`/v1/runs?${query}`);
      expect([told.status, told.json<{ errors: readonly { pointer: string }[] }>().errors[0]?.pointer]).toEqual([
        400,
        '/query/cursor',
      ]);
    }
  });

  it('a cursor says behind which line it goes on', () => {
    const form = /^(\d+)\.(\w+)$/;
    expect(readPlace({ a: 1 }, writePlace({ a: 1 }, '17.x'), form)).toEqual(['17', 'x']);
    expect(() => readPlace({ a: 2 }, writePlace({ a: 1 }, '17.x'), form)).toThrow('another filter');
    expect(() => readPlace({ a: 1 }, writePlace({ a: 1 }, '17'), form)).toThrow('none of this server');
  });
});

describe('a key whose scopes name some workflows', () => {
  it('S12 does not learn of the runs of others: they are told as such that are not there, byte by byte', async () => {
    const id = await startRun(house, 'sleep', 'foreign');
    const narrow = await house.key(['operator'], { scopes: [{ right: '*', workflows: 'ask' }] });
    const headers = { 'x-request-id': 'one' };
    const foreign = await house.get(`/v1/runs/${id}`, { as: narrow, headers });
    const unknownId = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const unknown = await house.get(`/v1/runs/${unknownId}`, { as: narrow, headers });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, 'ID')).toBe(unknown.text.replaceAll(unknownId, 'ID'));
    const event = { type: 'paid', data: {} };
    expect((await house.post(`/v1/runs/${id}/events`, event, { as: narrow })).status).toBe(404);
    const { data } = (await house.get('/v1/runs', { as: narrow })).json<{ data: readonly { workflow: string }[] }>();
    expect(new Set(data.map(({ workflow }) => workflow))).toEqual(new Set(['ask']));
  });

  it('S10 may do there what it names, and is 403 for the rest', async () => {
    const id = await startRun(house, 'sleep', 'narrow');
    const reads = [
      { right: 'run:read', workflows: '*' },
      { right: 'run:cancel', workflows: 'as*' },
      { right: 'run:start', workflows: 'as*' },
    ] as const;
    const narrow = await house.key(['operator'], { scopes: reads });
    expect((await house.get(`/v1/runs/${id}`, { as: narrow })).status).toBe(200);
    const told = await house.post(`/v1/runs/${id}/cancellations`, { reason: 'no' }, { as: narrow });
    expect([told.status, told.json<{ detail: string }>().detail]).toEqual([403, expect.stringContaining('run:cancel')]);
    const start = (workflow: string): Promise<{ status: number }> =>
      house.post('/v1/runs', { workflow, input: { id: 'narrow-2' } }, { as: narrow });
    expect([(await start('sleep')).status, (await start('ask')).status]).toEqual([403, 201]);
    expect((await house.get('/v1/workflows', { as: narrow })).status).toBe(403);
  });

  it('is not told which workflows share a key', async () => {
    await startRun(house, 'sleep', 'shared');
    await startRun(house, 'ask', 'shared');
    const told = await house.get('/v1/runs/shared');
    expect([told.status, told.text]).toEqual([409, expect.not.stringContaining('sleep')]);
  });
});
