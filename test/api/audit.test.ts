import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { ASK, publishAll, SLEEP, startRun } from './support/workflows.ts';

/** What somebody who can write the database has changed. */
let changed = '';
const memory = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 2, leaseMs: 9_000 });
let house: ApiHouse;
beforeAll(async () => {
  const store: typeof memory = {
    ...memory,
    chains: async (...ask) =>
      (await memory.chains(...ask)).map(({ runId, record }) =>
        record.reason === changed ? { runId, record: { ...record, actor: 'mallory' } } : { runId, record },
      ),
  };
  house = await openApiHouse({ store });
  await publishAll(house, [SLEEP, ASK]);
  const etag = (await house.get(`/v1/runs/${await startRun(house, 'sleep', 'one')}`)).headers['etag'];
  const headers = { 'if-match': String(etag) };
  const told = await house.post('/v1/runs/one/terminations', { reason: 'wrong amount' }, { as: 'operator', headers });
  expect(told.status).toBe(201);
});
afterAll(() => house.close());

interface Act {
  readonly actor: string;
  readonly act: string;
  readonly run: string | null;
  readonly workflow: string | null;
  readonly reason: string | null;
}
interface Page {
  readonly data: readonly Act[];
  readonly nextCursor: string | null;
}

const actsOf = async (query: string, as = 'admin'): Promise<readonly Act[]> =>
  (await house.get(`/v1/audit?${query}`, { as })).json<Page>().data;

describe('GET /v1/audit', () => {
  it('A05: tells who has done what and why, on runs and about none, the newest first', async () => {
    // A05: "Everything is audited": who, what, why, before and after.
    const acts = await actsOf('limit=200');
    expect(acts[0]).toMatchObject({ actor: 'operator', act: 'terminate', workflow: 'sleep', reason: 'wrong amount' });
    expect(acts.slice(1, 3).map(({ actor, act, workflow, run }) => [actor, act, workflow, run])).toEqual(
      expect.arrayContaining([
        ['admin', 'publish', 'ask', null],
        ['admin', 'publish', 'sleep', null],
      ]),
    );
    expect(acts.filter(({ act }) => act === 'key.create').map(({ actor }) => actor)).toEqual(Array(5).fill('root'));
    expect(JSON.stringify(acts)).not.toContain('pawl_');
  });

  it('is asked by person, act, run, workflow and time, and walked page by page', async () => {
    const words = async (query: string): Promise<readonly string[]> => (await actsOf(query)).map(({ act }) => act);
    expect(await words('actor=operator')).toEqual(['terminate']);
    expect(await words('run=one')).toEqual(['terminate']);
    expect(await words('act=publish&workflow=sleep')).toEqual(['publish']);
    expect(await words('workflow=sleep')).toEqual(['terminate', 'publish']);
    expect(await words('since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await words('until=2000-01-01T00:00:00.5Z')).toEqual([]);
    const all = await words('limit=200');
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const told = await house.get(`/v1/audit?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const { data, nextCursor } = told.json<Page>();
      walked.push(...data.map(({ act }) => act));
      cursor = nextCursor;
    }
    expect(walked).toEqual(all);
    for (const query of ['cursor=nonsense', 'since=yesterday', 'since=2026-19-39T00:00:00Z', 'act='])
      expect([query, (await house.get(`/v1/audit?${query}`)).status]).toEqual([query, 400]);
    expect((await house.get('/v1/audit?run=nobody')).status).toBe(404);
  });

  it('S12 S15 shows a key whose scopes name some workflows what is about these alone, and is bound to that', async () => {
    const scopes = [{ right: '*', workflows: 'slee*' }] as const;
    const narrow = await house.key(['admin'], { principal: 'nora', scopes });
    expect((await actsOf('limit=200', narrow)).map(({ act, workflow }) => [act, workflow])).toEqual([
      ['terminate', 'sleep'],
      ['publish', 'sleep'],
    ]);
    expect(await actsOf('workflow=ask', narrow)).toEqual([]);
    const { nextCursor } = (await house.get('/v1/audit?limit=1')).json<Page>();
    expect((await house.get(`/v1/audit?limit=1&cursor=${nextCursor}`, { as: narrow })).status).toBe(400);
  });
});

describe('GET /v1/runs/{run}/audit', () => {
  it('S56 recomputes the chain of the run, and names the act that was changed', async () => {
    const told = await house.get('/v1/runs/one/audit', { as: 'viewer' });
    expect(told.json()).toMatchObject({ verified: true, faults: [], data: [{ no: 1, act: 'terminate' }] });
    changed = 'wrong amount';
    const { verified, faults } = (await house.get('/v1/runs/one/audit')).json<{ verified: boolean; faults: unknown }>();
    changed = '';
    expect([verified, faults]).toEqual([false, [{ no: 1, what: 'its content does not match its integrity' }]]);
  });
});
