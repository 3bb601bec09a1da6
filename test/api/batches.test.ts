import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { batchEventId } from '../../src/model/batch.ts';
import type { Json } from '../../src/model/json.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { LISTEN, publishAll, SLEEP, startRun } from './support/workflows.ts';

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse({ worker: true });
  await publishAll(house, [SLEEP, LISTEN]);
}, 60_000);
afterAll(() => house.close());

interface Batch {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly applied: number;
  readonly refused: number;
  readonly failed: number;
  readonly pending: number;
}
interface Item {
  readonly run: string;
  readonly outcome: string;
  readonly code: string | null;
}

let made = 0;
async function runsOf(workflow: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    made += 1;
    ids.push(await startRun(house, workflow, `${workflow}-${made}`));
  }
  return ids;
}

const order = async (body: Json, asked: Parameters<ApiHouse['post']>[2] = {}): Promise<Batch> => {
  const told = await house.post('/v1/batches', body, asked);
  expect([told.text, told.status]).toEqual([told.text, 202]);
  return told.json<Batch>();
};
const show = async (id: string): Promise<Batch> => (await house.get(`/v1/batches/${id}`)).json<Batch>();
const settled = (id: string): Promise<Batch> =>
  vi.waitFor(
    async () => {
      const batch = await show(id);
      expect(['done', 'stopped']).toContain(batch.state);
      return batch;
    },
    { timeout: 30_000, interval: 20 },
  );
const itemsOf = async (id: string, query = ''): Promise<readonly Item[]> =>
  (await house.get(`/v1/batches/${id}/items?${query}`)).json<{ data: readonly Item[] }>().data;

describe('POST /v1/batches', () => {
  it('P17 does the act once on each run, tells what became of it, and is the same batch when it is sent again', async () => {
    // P17: "Every event from outside is stored in the inbox"; what a batch does has one id there.
    const runs = await runsOf('sleep', 3);
    const [over = ''] = await runsOf('sleep', 1);
    await house.app.terminate(over, { by: 'ops', reason: 'over' });
    const body = { action: 'cancel', runs: [...runs, over, runs[0] ?? ''], reason: 'withdrawn' };
    const headers = { 'idempotency-key': 'batch-once' };
    const batch = await order(body, { headers });
    expect(await settled(batch.id)).toMatchObject({ state: 'done', total: 4, applied: 3, refused: 1, pending: 0 });
    expect((await itemsOf(batch.id)).map(({ outcome, code }) => `${outcome} ${code}`)).toEqual([
      ...Array.from({ length: 3 }, () => expect.stringMatching(/^applied /) as string),
      'refused ended',
    ]);
    const again = await house.post('/v1/batches', body, { headers });
    expect([again.status, again.headers['idempotency-replayed'], again.json<Batch>().id]).toEqual([
      200,
      'true',
      batch.id,
    ]);
    const other = await house.post('/v1/batches', { ...body, reason: 'other' }, { headers });
    expect([other.status, other.json<{ code: string }>().code]).toEqual([409, 'PAWL_BATCH_CONFLICT']);
    for (const run of runs) {
      const { inbox, audit } = await house.app.history(run);
      expect(inbox.filter(({ eventId }) => eventId.startsWith('batch:'))).toHaveLength(1);
      expect(audit.map(({ act, actor, reason }) => [act, actor, reason])).toEqual([['cancel', 'admin', 'withdrawn']]);
    }
    const acts = (await house.get('/v1/audit?act=batch.create')).json<{ data: readonly { target: string }[] }>().data;
    expect(acts.some(({ target }) => batch.id.endsWith(target))).toBe(true);
  }, 60_000);

  it('P17 does not send again what had been delivered before whoever drove it died, and takes its answer', async () => {
    // P17: "Every event from outside is stored in the inbox"; whoever goes on finds it there by its id.
    const [run = ''] = await runsOf('sleep', 1);
    const { runId, part, workflow } = await house.app.find(run);
    const batchId = '00000000-0000-8000-8000-000000000001';
    await house.app.cancel(run, { by: 'admin', reason: 'by the first', eventId: batchEventId(batchId) });
    const set = { params: {}, requestHash: 'h', keyId: null, maxFailures: null, ratePerSecond: null };
    const of = { tenant: 'default', batchId };
    const batch = { ...of, ...set, action: 'cancel', by: 'admin', reason: 'by the second' } as const;
    const { store } = house.app.engine;
    await store.createBatch(batch, [{ runId, part, workflow }]);
    expect(await settled(`bat_${batchId}`)).toMatchObject({ state: 'done', applied: 1, refused: 0 });
    expect((await house.app.history(run)).inbox.filter(({ eventId }) => eventId.startsWith('batch:'))).toHaveLength(1);
    const late = { outcome: 'failed', code: null, message: null } as const;
    expect(await store.settleBatchItem({ ...of, no: 1 }, late, 0)).toBe('done');
    expect(await show(`bat_${batchId}`)).toMatchObject({ applied: 1, failed: 0 });
  }, 60_000);

  it('is looked at first, and is void when other runs fit than were shown', async () => {
    await runsOf('listen', 2);
    const body = { action: 'terminate', filter: { workflow: 'listen', status: ['WAITING'] }, reason: 'closed' };
    const plan = (await house.post('/v1/batches?dryRun=true', body)).json<{
      count: number;
      planHash: string;
      sample: object[];
    }>();
    expect([plan.count, plan.sample.length]).toEqual([2, 2]);
    await runsOf('listen', 1);
    const stale = await house.post('/v1/batches', { ...body, planHash: plan.planHash });
    expect([stale.status, stale.json<{ code: string }>().code]).toEqual([409, 'PAWL_BATCH_CONFLICT']);
    const wrong = await house.post('/v1/batches', { ...body, confirmCount: 2 });
    expect([wrong.status, wrong.json<{ code: string }>().code]).toEqual([422, 'PAWL_BATCH_REFUSED']);
    const batch = await order({ ...body, confirmCount: 3 });
    expect(await settled(batch.id)).toMatchObject({ state: 'done', total: 3, applied: 3 });
  }, 60_000);

  it('names either runs or a filter, and what its act needs', async () => {
    const reason = 'r';
    for (const [status, body] of [
      [400, { action: 'cancel', reason }],
      [400, { action: 'cancel', runs: ['a'], filter: {}, reason }],
      [404, { action: 'cancel', runs: ['nobody'], reason }],
      [422, { action: 'retry', filter: {}, reason }],
      [422, { action: 'cancel', params: { step: 'x' }, filter: {}, reason }],
    ] as const)
      expect([body, (await house.post('/v1/batches', body)).status]).toEqual([body, status]);
  });

  it('S13 refuses the whole batch for one run that is not the caller’s, and finds no others by a filter', async () => {
    // S13: "batch with one foreign item [400/403 for the whole batch, nothing done]".
    const [mine = ''] = await runsOf('sleep', 1);
    const [other = ''] = await runsOf('listen', 1);
    const scopes = [{ right: '*', workflows: 'sleep' }] as const;
    const as = await house.key(['operator'], { principal: 'nora', scopes });
    const before = (await house.get('/v1/batches?limit=200')).json<{ data: readonly Batch[] }>().data.length;
    const body = { action: 'terminate', runs: [mine, other], reason: 'r' };
    expect((await house.post('/v1/batches', body, { as })).status).toBe(404);
    expect((await house.post('/v1/batches', { ...body, runs: [mine] }, { as: 'viewer' })).status).toBe(403);
    expect(
      (await house.post('/v1/batches', { action: 'cancel', filter: {}, reason: 'r' }, { as: 'viewer' })).status,
    ).toBe(403);
    const plan = (
      await house.post('/v1/batches?dryRun=true', { action: 'cancel', filter: { q: other }, reason: 'r' }, { as })
    ).json<{ count: number }>();
    expect(plan.count).toBe(0);
    const now = (await house.get('/v1/batches?limit=200')).json<{ data: readonly Batch[] }>().data.length;
    expect([now, (await house.app.show(mine)).status]).toEqual([before, 'WAITING']);
    expect((await house.get('/v1/batches', { as })).status).toBe(403);
  }, 60_000);

  it('S05 is stopped by a key that was taken back, with the rest of its runs as they were', async () => {
    // S05: a key that was taken back counts no more, also for what it has ordered.
    const runs = await runsOf('sleep', 3);
    const as = await house.key(['operator'], { principal: 'gone' });
    const batch = await order({ action: 'cancel', runs, reason: 'r', ratePerSecond: 1 }, { as });
    const keyId = as.slice('pawl_'.length, 'pawl_'.length + 8);
    await house.app.engine.store.revokeKey('default', keyId, { by: 'root', reason: 'left' });
    const told = await settled(batch.id);
    expect([told.state, told.pending > 0]).toEqual(['stopped', true]);
    const stops = (await house.get('/v1/audit?act=batch.stop')).json<{ data: readonly { reason: string }[] }>().data;
    expect(stops[0]?.reason).toContain('does not give run:cancel');
    expect((await house.app.show(runs[2] ?? '')).status).toBe('WAITING');
  }, 60_000);

  it('stops at its failures, and says so', async () => {
    const runs = await runsOf('sleep', 4);
    for (const run of runs) await house.app.terminate(run, { by: 'ops', reason: 'over' });
    const batch = await order({ action: 'cancel', runs, reason: 'r', maxFailures: 2 });
    expect(await settled(batch.id)).toMatchObject({ state: 'stopped', refused: 2, pending: 2 });
    expect(await itemsOf(batch.id, 'outcome=pending&limit=1')).toHaveLength(1);
  }, 60_000);

  it('is paused and resumed, and 409 where there is nothing to pause', async () => {
    const runs = await runsOf('sleep', 3);
    const { id } = await order({ action: 'cancel', runs, reason: 'r', ratePerSecond: 1 });
    const reason = { reason: 'wait' };
    expect((await house.post(`/v1/batches/${id}/pauses`, reason, { as: 'viewer' })).status).toBe(403);
    expect((await house.post(`/v1/batches/${id}/pauses`, reason)).json<Batch>().state).toBe('paused');
    expect((await house.post(`/v1/batches/${id}/pauses`, reason)).status).toBe(409);
    expect((await house.call('DELETE', `/v1/batches/${id}/pauses/current?reason=enough`, {})).json<Batch>().state).toBe(
      'running',
    );
    const begun = Date.now();
    const { total, applied } = await settled(id);
    expect([total, applied]).toEqual([3, 3]);
    expect(Date.now() - begun).toBeGreaterThan(900);
    expect((await house.get('/v1/batches/bat_nothing')).status).toBe(404);
    const tag = String((await house.get(`/v1/batches/${id}`)).headers['etag']);
    expect((await house.get(`/v1/batches/${id}`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  }, 60_000);
});
