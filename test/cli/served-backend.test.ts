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

/** What a server answers in its place. */
function answering(status: number, body: object): void {
  const headers = { 'content-type': 'application/problem+json' };
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(body), { status, headers })));
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

  it('lists as many runs as were asked for, over the pages of the server, each once', async () => {
    const version = await house.app.version('sleep', 1);
    for (let at = 0; at < 230; at += 1)
      await house.app.start({ workflow: version.workflow, version: 1, input: { id: `p-${at}` }, by });
    const filter = { workflow: 'sleep', statuses: ['WAITING'], needsHuman: false, q: null } as const;
    const lines = async (limit: number): Promise<readonly string[]> =>
      (await backend.list({ ...filter, limit })).map(({ id }) => id);
    const here = (await house.app.list({ ...filter, limit: 1_000 })).map(({ id }) => id);
    expect([await lines(1), await lines(201), await lines(1_000)]).toEqual([
      here.slice(0, 1),
      here.slice(0, 201),
      here,
    ]);
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

  it('tells what only a server of another release can answer', async () => {
    const told = { detail: 'in words', retry: 'never', requestId: 'r', errors: [], details: {} };
    for (const code of ['PAWL_API_NO_ROUTE', 'PAWL_OF_TOMORROW']) {
      answering(404, { ...told, code });
      await expect(backend.show('x')).rejects.toMatchObject({ code: 'PAWL_SERVER_UNREADABLE', httpStatus: 503 });
    }
    const source = { file: 'workflow.pawl.yaml', line: 3, column: 7 };
    const errors = [{ pointer: '/version', message: 'no', code: 'PAWL-999', source }];
    answering(422, { ...told, code: 'PAWL_DEFINITION_INVALID', errors });
    const publishing = backend.publish({ text: SLEEP, file: 'sleep.yaml', by });
    await expect(publishing).rejects.toMatchObject({
      problems: [{ code: 'PAWL-999', file: 'sleep.yaml', range: { line: 3, column: 7 }, severity: 'error' }],
    });
    answering(409, { ...told, code: 'PAWL_EVENT_CONFLICT' });
    const cancelling = backend.cancel('x', { by, reason: 'r' });
    await expect(cancelling).rejects.toMatchObject({ name: 'ConflictError', code: 'PAWL_EVENT_CONFLICT' });
  });
});
