import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionCall } from '../../src/actions/action-function.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type ApiHouse, newAct, openApiHouse, type Told } from './support/api-house.ts';
import { publishAll, startRun } from './support/workflows.ts';

const URL_OF_HOUSE = 'https://pawl.example';
const SECRET = 'a-secret-of-the-deployment';
const LINKS = { url: URL_OF_HOUSE, secret: 'linkKey' };
const ENV = { PAWL_SECRET_LINK_KEY: SECRET };

/** What the provider was sent, by the order; it tells everything back. */
const heard = new Map<string, JsonObject>();
const FUNCTIONS = new Map([
  [
    'ask@1',
    {
      send: ({ request, logger }: FunctionCall): Json => {
        const { order } = request as { order: string };
        heard.set(order, request as JsonObject);
        logger.warn({ about: request, text: JSON.stringify(request) }, 'was asked');
        return { id: 'A-1', echo: request };
      },
    },
  ],
]);

const HEAD = `timeout: 2h
key: input.id
input: { type: object, required: [id], properties: { id: { type: string } } }
actions:
  shop.ask: { function: ask@1, timeout: 1m, settlesWithin: 1s, idempotency: { remembers: 24h }, compensate: none }
`;
const PAID = `pawl: 1
workflow: paid
version: 1
events:
  paid: { source: link, schema: { type: object, required: [amount], properties: { amount: { type: integer } } } }
  over: {}
${HEAD}steps:
  - { id: ask, call: shop.ask, with: { order: =input.id, callback: =links.payment, text: 'answer to \${ links.payment }?x=1' } }
  - { id: payment, await: paid }
  - { id: rest, await: over }
`;
const AGREED = `pawl: 1
workflow: agreed
version: 1
${HEAD}steps:
  - { id: ask, call: shop.ask, with: { order: =input.id, callback: =links.yes } }
  - { id: yes, approve: Sure, from: ['role:approver', 'role:operator'], expires: 1h, form: { type: object, properties: { note: { type: string } } } }
`;

let house: ApiHouse;
const store = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 2, leaseMs: 9_000 });
const told: Told[] = [];
beforeAll(async () => {
  house = await openApiHouse({ worker: true, links: LINKS, env: ENV, functions: FUNCTIONS, store });
  await publishAll(house, [PAID, AGREED]);
});
afterAll(() => house.close());

/** A run that has told the provider where to answer, and waits. @returns its id and the path of the address. */
async function asked(workflow: string, order: string): Promise<{ readonly id: string; readonly path: string }> {
  const id = await startRun(house, workflow, order);
  await expect.poll(() => waits(id), { timeout: 20_000 }).toContain(workflow === 'paid' ? 'payment' : 'yes');
  const callback = String(heard.get(order)?.['callback']);
  expect(callback.startsWith(`${URL_OF_HOUSE}/v1/links/`)).toBe(true);
  return { id, path: callback.slice(URL_OF_HOUSE.length) };
}

async function show(id: string): Promise<RunView> {
  const answer = await house.get(`/v1/runs/${id}`);
  told.push(answer);
  return answer.json<RunView>();
}

/** The steps in which a run waits. */
const waits = async (id: string): Promise<readonly unknown[]> => (await show(id)).waitingFor.map(({ step }) => step);

/** Calls an address as its holder does: with nothing else. */
const post = (path: string, body: Json, headers: Readonly<Record<string, string>> = {}, as: string | null = null) =>
  house.call('POST', path, { as, body, headers });

/** A token that is not quite the one that was signed. */
function changed(path: string, at: number): string {
  const index = at < 0 ? path.length + at : at;
  const other = path.charAt(index) === '0' ? '1' : '0';
  return path.slice(0, index) + other + path.slice(index + 1);
}

describe('POST /v1/links/{token}', () => {
  it('S01 the address of an await lets in whoever holds it, without a key, once', async () => {
    const { id, path } = await asked('paid', 'once');
    expect(heard.get('once')?.['text']).toBe(`answer to ${URL_OF_HOUSE}${path}?x=1`);
    const first = await post(path, { amount: 7 });
    expect([first.status, first.json()]).toEqual([
      201,
      expect.objectContaining({ outcome: 'applied', again: false, detail: { step: 'payment' } }),
    ]);
    const again = await post(path, { amount: 7 });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    const { steps } = (await show(id)) as unknown as { steps: readonly JsonObject[] };
    expect(steps.find(({ id: step }) => step === 'payment')).toMatchObject({ output: { amount: 7 } });
  });

  it('V02 the same name of an act with other data is 409, and data that do not fit are 422 with their place', async () => {
    // V02: "same id, other payload: conflict, recorded."
    const { path } = await asked('paid', 'conflict');
    const misfit = await post(path, { amount: 'x' });
    expect(misfit.json()).toMatchObject({ status: 422, errors: [{ pointer: '/amount' }] });
    const headers = newAct();
    expect((await post(path, { amount: 1 }, headers)).status).toBe(201);
    const other = await post(path, { amount: 2 }, headers);
    expect([other.status, other.json<{ code: string }>().code]).toEqual([409, 'PAWL_EVENT_CONFLICT']);
  });

  it('V11 after the wait it moves nothing and says so, and after the run too', async () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    const { id, path } = await asked('paid', 'late');
    await post(path, { amount: 1 });
    const late = await post(path, { amount: 2 });
    expect([late.status, late.json()]).toEqual([
      201,
      expect.objectContaining({ outcome: 'unmatched', code: 'wait-over' }),
    ]);
    await house.post(`/v1/runs/${id}/events`, { type: 'over', data: {} });
    const ended = await post(path, { amount: 3 });
    expect([ended.status, ended.json()]).toEqual([201, expect.objectContaining({ outcome: 'ended' })]);
  });

  it('S30 whatever is not signed for this wait of this run is 401 in the same bytes, and nothing is stored', async () => {
    const one = await asked('paid', 'signed-1');
    const two = await asked('paid', 'signed-2');
    const yes = await asked('agreed', 'signed-3');
    const signature = one.path.slice(-43);
    const wrong = [
      one.path.slice(0, -1),
      `${one.path}A`,
      one.path.slice(0, -44),
      changed(one.path, -1),
      changed(one.path, -20),
      changed(one.path, '/v1/links/'.length),
      `${two.path.slice(0, -43)}${signature}`,
      `${yes.path.slice(0, -43)}${signature}`,
      one.path.replace('.payment.', '.ask.'),
      one.path.toUpperCase().replace('/V1/LINKS/', '/v1/links/'),
      '/v1/links/x',
      '/v1/links/%00',
    ];
    const answers = await Promise.all(wrong.map((path) => post(path, { amount: 1 }, { 'x-request-id': 'the-same' })));
    expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.json()).toMatchObject({ instance: '/v1/links/{token}', code: 'PAWL_API_UNAUTHENTICATED' });
    for (const { id } of [one, two]) expect(await waits(id)).toContain('payment');
  });

  it('S30 the signature is looked at before the body', async () => {
    const { path } = await asked('paid', 'body');
    const broken = { as: null, text: '{', headers: { 'content-type': 'application/json' } };
    expect((await house.call('POST', changed(path, -1), broken)).status).toBe(401);
    expect((await house.call('POST', path, broken)).status).toBe(400);
    const form = { as: null, text: 'amount=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await house.call('POST', path, form)).status).toBe(415);
  });

  it('S27 a GET changes nothing, of an await and of an approval', async () => {
    for (const workflow of ['paid', 'agreed']) {
      const { id, path } = await asked(workflow, `get-${workflow}`);
      const before = await show(id);
      expect((await house.call('GET', path, { as: null })).status).toBe(401);
      const seen = await house.get(path);
      expect([seen.status, seen.headers['allow']]).toEqual([405, 'POST']);
      expect(seen.text).not.toContain(path);
      expect((await show(id)).revision).toBe(before.revision);
    }
  });

  it('S27 the address of an approval is nobody: who votes shows a key, and is asked all that is asked elsewhere', async () => {
    const { id, path } = await asked('agreed', 'vote');
    const { approvals } = await show(id);
    const vote = { decision: 'approve', subjectHash: approvals[0]?.subjectHash ?? '', comment: 'seen' };
    expect((await post(path, vote)).status).toBe(401);
    expect((await post(path, vote, {}, 'viewer')).status).toBe(403);
    const stranger = await house.key(['approver'], {
      principal: 'kim',
      scopes: [{ right: 'approval:decide', workflows: 'other' }],
    });
    expect((await post(path, vote, {}, stranger)).status).toBe(404);
    expect((await post(path, { decision: 'approve' }, {}, 'approver')).status).toBe(400);
    expect((await post(path, { ...vote, subjectHash: 'a'.repeat(64) }, {}, 'approver')).status).toBe(409);
    const done = await post(path, { ...vote, form: { note: 'fine' } }, {}, 'approver');
    expect([done.status, done.json()]).toEqual([201, expect.objectContaining({ outcome: 'applied' })]);
    const after = await show(id);
    expect(after.approvals[0]).toMatchObject({
      state: 'approved',
      votes: [{ principal: 'approver', comment: 'seen' }],
    });
    const again = await post(path, { ...vote, form: { note: 'fine' } }, {}, 'approver');
    expect(again.status).toBe(200);
  });

  it('S19 whoever started the run does not approve it by its address', async () => {
    // A03: "Whoever is in `except` (default: who started the run) cannot vote: 403 naming the rule."
    const starter = await house.key(['approver', 'operator'], { principal: 'sam' });
    const begun = await house.post('/v1/runs', { workflow: 'agreed', input: { id: 'own' } }, { as: starter });
    const { id } = begun.json<{ id: string }>();
    await expect.poll(() => waits(id), { timeout: 20_000 }).toContain('yes');
    const path = String(heard.get('own')?.['callback']).slice(URL_OF_HOUSE.length);
    const { approvals } = await show(id);
    const vote = { decision: 'approve', subjectHash: approvals[0]?.subjectHash ?? '' };
    const refused = await post(path, vote, {}, starter);
    expect(refused.json()).toMatchObject({ status: 403, details: { answer: 'except' } });
  });

  it('S52 an address stands in no row, journal, answer or log line, also where the provider tells it back', async () => {
    const { id, path } = await asked('paid', 'canary');
    const token = path.slice('/v1/links/'.length);
    const signature = token.slice(-43);
    await post(path, { amount: 9 });
    const journal = await house.get(`/v1/runs/${id}/journal`);
    const rows = await house.app.verifyStore();
    expect(rows).toMatchObject({ faults: [] });
    const run = await house.app.find(id);
    const { runs } = await store.load(run.part, [run.runId]);
    const receipts = await store.receipts(run.part, run.runId);
    expect(JSON.stringify(runs)).toContain('links.pawl.invalid');
    expect(JSON.stringify(await show(id))).toContain('[secret]');
    const results = receipts.map(({ resultBase64 }) => Buffer.from(resultBase64, 'base64').toString('utf8'));
    expect(results.join()).toContain('[secret]');
    const all = [journal.text, JSON.stringify(runs), ...results, ...told.map(({ text }) => text)].join('\n');
    for (const canary of [token, signature, SECRET]) expect(all.includes(canary), canary).toBe(false);
  });
});
