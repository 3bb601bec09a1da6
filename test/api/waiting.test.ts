import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { ASK, publishAll, SLEEP, startRun } from './support/workflows.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
  await publishAll(house, [ASK, SLEEP]);
  for (const id of ['one', 'two', 'three']) await startRun(house, 'ask', id);
  await startRun(house, 'sleep', 'quiet');
  const { subjectHash } = (await house.app.show('one')).approvals[0] ?? { subjectHash: '' };
  await house.post('/v1/runs/one/approvals/decision/votes', { decision: 'deny', subjectHash }, { as: 'approver' });
});
afterAll(() => house.close());

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}
interface Asked {
  readonly runKey: string;
  readonly state: string;
  readonly subjectHash: string;
}

const keysOf = async (query: string, as = 'viewer'): Promise<readonly string[]> =>
  (await house.get(`/v1/approvals?${query}`, { as }))
    .json<Page<Asked>>()
    .data.map(({ runKey, state }) => `${runKey} ${state}`);

describe('GET /v1/approvals', () => {
  it('lists approvals of all runs by state, workflow and expiry', async () => {
    expect(await keysOf('')).toEqual(['three open', 'two open', 'one denied']);
    expect(await keysOf('status=denied,expired')).toEqual(['one denied']);
    expect(await keysOf('workflow=sleep')).toEqual([]);
    expect(await keysOf('dueBefore=2000-01-01T00:00:00Z')).toEqual([]);
    expect(await keysOf('dueBefore=2999-01-01T00:00:00Z&status=open')).toEqual(['three open', 'two open']);
    for (const query of ['status=lost', 'mine=me', 'cursor=nonsense'])
      expect([query, (await house.get(`/v1/approvals?${query}`)).status]).toEqual([query, 400]);
  });

  it('A03 tells whose vote is awaited: not of who started the run, has voted, or has none of the roles', async () => {
    // A03: "Whoever is in `except` (default: who started the run) cannot vote".
    expect(await keysOf('mine=true', 'approver')).toEqual(['three open', 'two open']);
    expect(await keysOf('mine=true', 'viewer')).toEqual([]);
    const starter = await house.key(['approver'], { principal: 'admin' });
    expect(await keysOf('mine=true', starter)).toEqual([]);
    const { subjectHash } = (await house.app.show('two')).approvals[0] ?? { subjectHash: '' };
    const body = { decision: 'approve', subjectHash };
    await house.post('/v1/runs/two/approvals/decision/votes', body, { as: 'approver' });
    expect(await keysOf('mine=true', 'approver')).toEqual(['three open']);
  });

  it('S15 is walked page by page, by whoever began, under the same filter', async () => {
    const first = (await house.get('/v1/approvals?limit=1')).json<Page<Asked>>();
    const second = (await house.get(`/v1/approvals?limit=2&cursor=${first.nextCursor}`)).json<Page<Asked>>();
    expect([...first.data, ...second.data].map(({ runKey }) => runKey)).toEqual(['three', 'two', 'one']);
    expect(second.nextCursor).toBeNull();
    expect((await house.get(`/v1/approvals?status=open&cursor=${first.nextCursor}`)).status).toBe(400);
  });

  it('S12 shows a key whose scopes name some workflows nothing of the others', async () => {
    const narrow = await house.key(['viewer'], { principal: 'nora', scopes: [{ right: '*', workflows: 'sl*' }] });
    expect(await keysOf('', narrow)).toEqual([]);
    expect((await house.get('/v1/runs/three/approvals/decision', { as: narrow })).status).toBe(404);
  });
});

describe('GET /v1/runs/{run}/approvals/{approval}', () => {
  it('A04 tells what is decided and the hash to vote with, and nothing again to whoever has it', async () => {
    // A04: "A vote carries the hash it saw".
    const told = await house.get('/v1/runs/three/approvals/decision', { as: 'viewer' });
    const { approval } = told.json<{ approval: Asked & { subject: unknown; from: unknown } }>();
    expect(approval).toMatchObject({
      state: 'open',
      subject: { subject: { order: 'three' }, effects: [] },
      from: ['role:finance', 'role:approver'],
      subjectHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const headers = { 'if-none-match': String(told.headers['etag']) };
    expect((await house.get('/v1/runs/three/approvals/decision', { headers })).status).toBe(304);
    const missing = await house.get('/v1/runs/three/approvals/nothing');
    expect([missing.status, missing.json<{ code: string }>().code]).toEqual([404, 'PAWL_APPROVAL_NOT_FOUND']);
  });
});

describe('GET /v1/timers', () => {
  it('lists what falls due, the first one first, with its run and step', async () => {
    const { data } = (await house.get('/v1/timers')).json<Page<Readonly<Record<string, string | null>>>>();
    const dues = data.map(({ dueAt }) => dueAt);
    expect(dues).toEqual([...dues].sort());
    expect(data.map(({ runKey, kind, step }) => `${runKey} ${kind} ${step}`).sort()).toEqual(
      [
        'quiet deadline null',
        'quiet wait pause',
        'three deadline null',
        'three expires decision',
        'two deadline null',
        'two expires decision',
      ].sort(),
    );
    const half = (await house.get('/v1/timers?limit=3')).json<Page<{ name: string }>>();
    const rest = (await house.get(`/v1/timers?cursor=${half.nextCursor}`)).json<Page<{ name: string }>>();
    expect([...half.data, ...rest.data]).toEqual(data);
    expect((await house.get('/v1/timers?workflow=sleep')).json<Page<unknown>>().data).toHaveLength(2);
    expect((await house.get('/v1/timers?dueBefore=2000-01-01T00:00:00Z')).json<Page<unknown>>().data).toEqual([]);
  });
});

describe('GET /v1/needs and GET /v1/runs/{run}/why', () => {
  it('tells what people are needed for, run by run, and why a run waits, in the words of the command line', async () => {
    const first = (await house.get('/v1/needs?limit=1', { as: 'viewer' })).json<Page<{ key: string; kind: string }>>();
    expect(first.data).toMatchObject([{ key: 'three', kind: 'approval' }]);
    const second = (await house.get(`/v1/needs?cursor=${first.nextCursor}`)).json<Page<{ key: string }>>();
    expect([second.data.map(({ key }) => key), second.nextCursor].flat()).toEqual(['two', null]);
    const why = (await house.get('/v1/runs/three/why', { as: 'viewer' })).json<object>();
    expect(why).toEqual(await house.app.why('three'));
    const none = (await house.get('/v1/needs?status=COMPLETED&workflow=ask&q=three')).json<Page<unknown>>();
    expect(none.data).toEqual([]);
  });
});
