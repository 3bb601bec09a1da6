import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { DOUBT, ORDER, publishAll, SLEEP, startRun } from './support/workflows.ts';

const GATED = SLEEP.replace('workflow: sleep', 'workflow: gated').replace('timeout: 2h', 'timeout: 2h\nlock: gate');
const TELLING = SLEEP.replace('workflow: sleep', 'workflow: telling').replace(
  '- { id: pause, wait: 1h }',
  '- { id: tell, publish: asleep, data: { id: =input.id } }',
);
const NIGHTLY = [
  'pawl: 1',
  'workflow: nightly',
  'version: 1',
  'timeout: 2h',
  "schedule: { cron: '0 3 * * *', timezone: Europe/Berlin }",
  'steps: [{ id: pause, wait: 1h }]',
  '',
].join('\n');

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse({ worker: true });
  await publishAll(house, [SLEEP, GATED, TELLING, NIGHTLY, ORDER, DOUBT]);
  await startRun(house, 'gated', 'first');
  await house.get('/v1/runs/first?wait=20s');
  await startRun(house, 'gated', 'second');
  await startRun(house, 'telling', 'told');
  await startRun(house, 'order', 'bought');
  await startRun(house, 'doubt', 'lost');
  for (const id of ['told', 'bought', 'lost']) await house.get(`/v1/runs/${id}?wait=20s`);
}, 60_000);
afterAll(() => house.close());

type Rows = readonly Readonly<Record<string, unknown>>[];
const rowsOf = async (path: string, as = 'viewer'): Promise<Rows> =>
  (await house.get(`/v1/${path}`, { as })).json<{ data: Rows }>().data;

describe('what the house holds beside its runs', () => {
  it('schedules with what comes next', async () => {
    expect(await rowsOf('schedules')).toMatchObject([
      { workflow: 'nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin', paused: false },
    ]);
  });

  it('locks with who holds them and who waits, all or one', async () => {
    expect(await rowsOf('locks')).toMatchObject([{ name: 'gate', held: 1, waiting: 1, setLimit: null }]);
    expect((await rowsOf('locks?name=gate')).length).toBe(1);
    expect(await rowsOf('locks?name=other')).toEqual([]);
  });

  it('messages that have not arrived, queues, and processes that work', async () => {
    expect(await rowsOf('outbox')).toMatchObject([{ event: 'asleep', state: 'waiting', step: 'tell' }]);
    expect(await rowsOf('outbox?state=dead')).toEqual([]);
    expect(await rowsOf('queues')).toEqual([]);
    const workers = await rowsOf('workers');
    expect(new Set(workers.map(({ part }) => part))).toEqual(new Set([0, 1]));
    expect(workers.some(({ alive }) => alive === true)).toBe(true);
  });

  it('S12 a key whose scopes name some workflows is told its schedules alone, and nothing that is of all of them', async () => {
    const key = (workflows: string): Promise<string> =>
      house.key(['viewer'], { principal: 'nora', scopes: [{ right: '*', workflows }] });
    const [near, far] = [await key('night*'), await key('sleep')];
    expect((await rowsOf('schedules', near)).map(({ workflow }) => workflow)).toEqual(['nightly']);
    expect(await rowsOf('schedules', far)).toEqual([]);
    for (const path of ['locks', 'outbox', 'queues', 'workers'])
      expect([path, (await house.get(`/v1/${path}`, { as: near })).status]).toEqual([path, 403]);
  });
});

describe('runs, counted and drawn', () => {
  const countOf = async (query: string, as = 'viewer'): Promise<number> =>
    (await house.get(`/v1/runs/count?${query}`, { as })).json<{ count: number }>().count;

  it('are counted by the words of their list', async () => {
    expect(await countOf('')).toBe(5);
    expect(await countOf('workflow=gated')).toBe(2);
    expect(await countOf('workflow=gated&status=QUEUED')).toBe(1);
    expect(await countOf('effect=UNKNOWN')).toBe(1);
    expect(await countOf('effect=UNKNOWN,CONFIRMED')).toBe(2);
    expect(await countOf('startedAfter=2000-01-01T00:00:00Z')).toBe(5);
    expect(await countOf('startedBefore=2000-01-01T00:00:00Z')).toBe(0);
    expect(await countOf('startedAfter=2999-01-01T00:00:00Z')).toBe(0);
    const keys = (await rowsOf('runs?effect=UNKNOWN&startedBefore=2999-01-01T00:00:00Z')).map((run) => run['key']);
    expect(keys).toEqual(['lost']);
    const narrow = await house.key(['viewer'], { principal: 'nora', scopes: [{ right: '*', workflows: 'dou*' }] });
    expect(await countOf('', narrow)).toBe(1);
    for (const query of ['effect=LOST', 'limit=1', 'startedAfter=2026-19-39T00:00:00Z'])
      expect([query, (await house.get(`/v1/runs/count?${query}`)).status]).toEqual([query, 400]);
  });

  it('are drawn with the way that they have gone', async () => {
    const text = await house.get('/v1/runs/bought/diagram?format=mermaid', { as: 'viewer' });
    expect([text.status, text.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.text).toContain('reserve');
    const svg = await house.get('/v1/runs/bought/diagram');
    expect([svg.status, svg.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(svg.text).toMatch(/^<svg /);
  });
});
