import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../src/cli/backend.ts';
import { openServed } from '../../src/cli/served-backend.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { ASK, LISTEN, publishAll, SLEEP } from '../api/support/workflows.ts';
import { injectFetch } from '../client/support/inject-fetch.ts';

let house: ApiHouse;
let backend: Backend;
beforeAll(async () => {
  house = await openApiHouse();
  await publishAll(house, [SLEEP, LISTEN, ASK]);
});
afterAll(() => house.close());
beforeEach(() => {
  vi.stubGlobal('fetch', injectFetch(house.server));
  backend = served('admin');
});
afterEach(() => vi.unstubAllGlobals());

function served(role: 'admin' | 'approver'): Backend {
  return openServed({ url: 'http://pawl.example', key: house.keyOf(role), by: undefined });
}

/** A backend whose server answers this, call by call, whatever it is asked; and the addresses that it was asked at. */
function answered(...answers: readonly Response[]): { readonly backend: Backend; readonly urls: string[] } {
  const urls: string[] = [];
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answers[urls.push(url) - 1]));
  return { backend: served('admin'), urls };
}

function json(status: number, body: object): Response {
  const media = status < 400 ? 'application/json' : 'application/problem+json';
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': media } });
}

const by = 'nobody';
const start = async (workflow: string, id: string): Promise<string> => {
  const { run, created } = await backend.start({ workflow, version: null, input: { id }, by });
  expect([run.key, run.workflow, run.version, created]).toEqual([id, workflow, 1, true]);
  return id;
};

describe('a served backend', () => {
  it('terminates what was shown, and nothing that has moved since', async () => {
    const run = await start('listen', 'shown');
    await backend.show(run);
    await house.app.signal(run, { name: 'paid', data: { amount: 1 }, source: 's', eventId: 'e', by, waitMs: 0 });
    const other = await start('listen', 'moved');
    await backend.show(other);
    await house.app.cancel(other, { by, reason: 'first' });
    const told = await Promise.all([run, other].map((name) => backend.terminate(name, { by, reason: 'late' })));
    expect(told.map(({ outcome }) => outcome)).not.toContain('applied');
    const still = await start('sleep', 'still');
    expect(await backend.terminate(still, { by, reason: 'now' })).toMatchObject({ outcome: 'applied' });
  });

  it('lists as many runs as were asked for, over the pages of the server', async () => {
    const page = (count: number, nextCursor: string | null): Response =>
      json(200, { data: Array.from({ length: count }, () => ({})), nextCursor });
    const filter = { workflow: 'sleep', statuses: ['WAITING', 'HELD'], needsHuman: false, q: null } as const;
    const { backend: paged, urls } = answered(page(200, 'c1'), page(200, 'c2'), page(30, 'c3'));
    expect(await paged.list({ ...filter, limit: 430 })).toHaveLength(430);
    const asked = urls.map((url) => new URL(url).searchParams.toString());
    const same = 'workflow=sleep&status=WAITING%2CHELD';
    expect(asked).toEqual([`${same}&limit=200`, `${same}&cursor=c1&limit=200`, `${same}&cursor=c2&limit=30`]);
    const short = answered(page(7, null));
    expect(await short.backend.list({ ...filter, limit: 430 })).toHaveLength(7);
    const run = await start('sleep', 'listed');
    const here = await house.app.list({ ...filter, q: run, limit: 5 });
    expect(await backend.list({ ...filter, q: run, limit: 5 })).toEqual(here);
    expect(here).toHaveLength(1);
  });

  it('tells needs, approvals and reasons as the embedded one does', async () => {
    for (const id of ['n1', 'n2']) await start('ask', id);
    const filter = { workflow: 'ask', statuses: null, q: null };
    expect(await backend.needs({ ...filter, limit: 1 })).toEqual(await house.app.needs({ ...filter, limit: 1 }));
    const needs = await backend.needs({ ...filter, limit: 50 });
    expect([needs, needs.length]).toEqual([await house.app.needs({ ...filter, limit: 50 }), 2]);
    expect(await backend.why('n1')).toEqual(await house.app.why('n1'));
    const asked = { states: ['open'], workflow: 'ask', dueBeforeMs: Date.now() + 86_400_000, limit: 9 } as const;
    expect(await backend.approvals(asked)).toEqual(await house.app.approvals(asked));
    const voter = { principal: 'x', entries: [] };
    expect(await served('approver').approvals({ voter, limit: 9 })).toHaveLength(2);
  });

  it('plans, orders, shows and pauses a batch, as the embedded one does', async () => {
    for (const id of ['b1', 'b2']) await start('sleep', id);
    const filter = { workflow: 'sleep', statuses: ['WAITING'], needsHuman: false, q: null } as const;
    const ask = { action: 'cancel', params: {}, runs: null, filter } as const;
    const plan = await backend.planBatch(ask);
    expect(plan).toEqual(await house.app.planBatch(ask));
    const named = { ...ask, runs: ['b1', 'b2'], filter: null };
    const rest = { by, keyId: null, reason: 'r', maxFailures: 9, ratePerSecond: 5, confirmCount: 2, planHash: null };
    const { batch, created } = await backend.startBatch({ ...named, ...rest, name: 'batch-1' });
    expect([created, batch.total, batch]).toEqual([true, 2, await house.app.batch(batch.id)]);
    expect((await backend.startBatch({ ...named, ...rest, name: 'batch-1' })).created).toBe(false);
    expect(await backend.batches({ limit: 5 })).toEqual(await house.app.batches({ limit: 5 }));
    const items = { outcome: 'pending', afterNo: 0, limit: 5 } as const;
    expect(await backend.batchItems(batch.id, items)).toEqual(await house.app.batchItems(batch.id, items));
    expect((await backend.orderBatch(batch.id, { act: 'pause', by, reason: 'r' })).state).toBe('paused');
    expect((await backend.orderBatch(batch.id, { act: 'resume', by, reason: 'r' })).state).toBe('running');
    await expect(backend.batch('bat_none')).rejects.toMatchObject({ code: 'PAWL_BATCH_NOT_FOUND' });
  });

  it('begins, lists and ends a pause, as the embedded one does', async () => {
    const begun = await backend.beginPause({ kind: 'host', name: 'Bank.test', by, reason: 'r' });
    expect(begun).toMatchObject({ kind: 'host', name: 'bank.test', by: 'admin', reason: 'r' });
    expect([await backend.pauses(), await house.app.pauses()]).toEqual([[begun], [begun]]);
    await expect(backend.beginPause({ kind: 'host', name: 'bank.test', by, reason: 'r' })).rejects.toMatchObject({
      code: 'PAWL_PAUSED_ALREADY',
    });
    expect(await backend.endPause(begun.id, { by, reason: 'over' })).toEqual(begun);
    await expect(backend.endPause(begun.id, { by, reason: null })).rejects.toMatchObject({
      code: 'PAWL_PAUSE_NOT_FOUND',
    });
  });

  it('finds the approval that is meant, as the embedded one does', async () => {
    const run = await start('ask', 'one');
    const person = { principal: by, roles: [], comment: null, decision: 'approve' } as const;
    const vote = (approval: string | null): Promise<unknown> =>
      served('approver').vote(run, { ...person, approval, subjectHash: null });
    expect(await vote(null)).toMatchObject({ outcome: 'applied', again: false });
    expect(await vote('decision')).toMatchObject({ outcome: 'applied', again: true });
    const nowhere = { code: 'PAWL_APPROVAL_NOT_FOUND' };
    await expect(vote('nothing')).rejects.toMatchObject(nowhere);
    const asleep = await start('sleep', 'asleep');
    const ask = { ...person, approval: null, subjectHash: null };
    await expect(backend.vote(asleep, ask)).rejects.toMatchObject(nowhere);
  });

  it('gives the highest version of a workflow where none was named', async () => {
    await publishAll(house, [SLEEP.replace('version: 1', 'version: 2')]);
    const { version, source, publishedBy } = await backend.version('sleep', null);
    expect([version, source, publishedBy]).toEqual([2, SLEEP.replace('version: 1', 'version: 2'), 'admin']);
    expect(await backend.draw('sleep', null, 'mermaid')).toContain('pause');
    await expect(backend.version('nothing', null)).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_FOUND' });
  });

  it('has nothing new start on a version, and takes that back, as whose key it is', async () => {
    const order = (act: 'deprecate' | 'restore', reason: string | null): Promise<void> =>
      backend.orderVersion('ask', 1, { act, by, reason } as Parameters<Backend['orderVersion']>[2]);
    await order('deprecate', 'it asks twice');
    expect(await house.app.deprecations('ask')).toMatchObject([{ version: 1, by: 'admin', reason: 'it asks twice' }]);
    await expect(start('ask', 'late')).rejects.toMatchObject({ code: 'PAWL_VERSION_DEPRECATED' });
    await expect(order('deprecate', 'again')).rejects.toMatchObject({ code: 'PAWL_VERSION_DEPRECATED' });
    await order('restore', null);
    expect(await house.app.deprecations('ask')).toEqual([]);
    await expect(order('restore', null)).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_DEPRECATED' });
  });

  it('tells what only a server of another release can answer', async () => {
    const told = { detail: 'in words', retry: 'never', requestId: 'r', errors: [], details: {} };
    for (const code of ['PAWL_API_NO_ROUTE', 'PAWL_OF_TOMORROW'])
      await expect(answered(json(404, { ...told, code })).backend.show('x')).rejects.toMatchObject({
        code: 'PAWL_SERVER_UNREADABLE',
        httpStatus: 503,
      });
    const source = { file: 'workflow.pawl.yaml', line: 3, column: 7 };
    const errors = [{ pointer: '/version', message: 'no', code: 'PAWL-999', source }];
    const invalid = answered(json(422, { ...told, code: 'PAWL_DEFINITION_INVALID', errors })).backend;
    await expect(invalid.publish({ text: SLEEP, file: 'sleep.yaml', by })).rejects.toMatchObject({
      problems: [{ code: 'PAWL-999', file: 'sleep.yaml', range: { line: 3, column: 7 }, severity: 'error' }],
    });
    const other = answered(json(409, { ...told, code: 'PAWL_EVENT_CONFLICT' })).backend;
    await expect(other.cancel('x', { by, reason: 'r' })).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'PAWL_EVENT_CONFLICT',
    });
  });
});
