import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { DOUBT, ORDER, publishAll, startRun } from './support/workflows.ts';

/** Whether somebody has changed what a receipt says. */
let isForged = false;
const memory = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 2, leaseMs: 9_000 });
let house: ApiHouse;
beforeAll(async () => {
  const store: typeof memory = {
    ...memory,
    receipts: async (...ask) =>
      (await memory.receipts(...ask)).map((receipt) => (isForged ? { ...receipt, externalId: 'R-9' } : receipt)),
  };
  house = await openApiHouse({ store, worker: true });
  await publishAll(house, [ORDER, DOUBT]);
  for (const id of ['one', 'two', 'three']) await startRun(house, 'order', id);
  await startRun(house, 'doubt', 'lost');
  for (const id of ['one', 'two', 'three', 'lost']) await house.get(`/v1/runs/${id}?wait=20s`);
}, 60_000);
afterAll(() => house.close());

interface Line {
  readonly run: string;
  readonly runKey: string;
  readonly step: string;
  readonly state: string;
  readonly key: string;
}
interface Page {
  readonly data: readonly Line[];
  readonly nextCursor: string | null;
}

const linesOf = async (query: string, as = 'viewer'): Promise<readonly string[]> =>
  (await house.get(`/v1/effects?${query}`, { as })).json<Page>().data.map(({ runKey, step }) => `${runKey} ${step}`);

describe('GET /v1/effects', () => {
  it('lists effects of all runs by state, action, run, workflow and age', async () => {
    expect(await linesOf('state=UNKNOWN')).toEqual(['lost wire']);
    expect([...(await linesOf('state=CONFIRMED,FAILED&run=one'))].sort()).toEqual(['one reserve', 'one ship']);
    expect([...(await linesOf('action=shop.ship'))].sort()).toEqual(['one ship', 'three ship', 'two ship']);
    expect(await linesOf('workflow=doubt')).toEqual(['lost wire']);
    expect(await linesOf('olderThan=1h')).toEqual([]);
    expect((await linesOf('olderThan=0s')).length).toBe(7);
    for (const query of ['state=LOST', 'olderThan=soon', 'cursor=nonsense', 'q=x'])
      expect([query, (await house.get(`/v1/effects?${query}`)).status]).toEqual([query, 400]);
    expect((await house.get('/v1/effects?run=nobody')).status).toBe(404);
  });

  it('S15 is walked page by page without skip or repeat, while others are started', async () => {
    const all = await linesOf('action=shop.reserve&limit=200');
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data, nextCursor } = (await house.get(`/v1/effects?action=shop.reserve&limit=1${more}`)).json<Page>();
      walked.push(...data.map(({ runKey, step }) => `${runKey} ${step}`));
      cursor = nextCursor;
      await startRun(house, 'order', `late-${walked.length}`);
    }
    expect(walked).toEqual(all);
    const { nextCursor } = (await house.get('/v1/effects?limit=1')).json<Page>();
    expect((await house.get(`/v1/effects?limit=1&state=UNKNOWN&cursor=${nextCursor}`)).status).toBe(400);
  });

  it('S12 shows a key whose scopes name some workflows what its runs have done, and nothing else', async () => {
    const narrow = await house.key(['viewer'], { principal: 'nora', scopes: [{ right: '*', workflows: 'dou*' }] });
    expect(await linesOf('limit=200', narrow)).toEqual(['lost wire']);
    expect((await house.get('/v1/effects?run=one', { as: narrow })).status).toBe(404);
  });
});

describe('GET /v1/runs/{run}/effects/{effect}', () => {
  interface Detail {
    readonly effect: Readonly<Record<string, unknown>>;
    readonly receipts: readonly { readonly verified: boolean; readonly outcome: string }[];
    readonly faults: readonly string[];
    readonly observations: readonly unknown[];
  }

  it('E10 tells an effect by its step or key with its receipts, each recomputed', async () => {
    // E10: "one flipped byte is found".
    const told = (await house.get('/v1/runs/one/effects/reserve', { as: 'viewer' })).json<Detail>();
    expect(told.effect).toMatchObject({
      step: 'reserve',
      state: 'CONFIRMED',
      attempt: 1,
      sent: 1,
      output: { id: 'R-1' },
    });
    expect([told.receipts.map(({ outcome, verified }) => [outcome, verified]), told.faults]).toEqual([
      [['confirmed', true]],
      [],
    ]);
    const byKey = await house.get(`/v1/runs/one/effects/${String(told.effect['key'])}`);
    const headers = { 'if-none-match': String(byKey.headers['etag']) };
    expect((await house.get('/v1/runs/one/effects/reserve', { headers })).status).toBe(304);
    expect((await house.get('/v1/runs/lost/effects/wire', { headers })).status).toBe(200);
    expect(byKey.json<Detail>()).toEqual(told);
    isForged = true;
    const forged = (await house.get('/v1/runs/one/effects/reserve')).json<Detail>();
    isForged = false;
    expect(forged.receipts.map(({ verified }) => verified)).toEqual([false]);
    expect(forged.faults).toContain('its content does not match its integrity');
  });

  it('of one in doubt says so, and has no receipt', async () => {
    const told = (await house.get('/v1/runs/lost/effects/wire')).json<Detail>();
    expect([told.effect['state'], told.receipts, told.observations]).toEqual(['UNKNOWN', [], []]);
  });

  it('is 404 for an effect that the run does not have', async () => {
    const told = await house.get('/v1/runs/one/effects/nothing');
    expect([told.status, told.json<{ code: string }>().code]).toEqual([404, 'PAWL_EFFECT_NOT_FOUND']);
  });
});
