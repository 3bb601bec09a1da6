import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionCall } from '../../src/actions/action-function.ts';
import { Rejected } from '../../src/actions/function-outcomes.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import { parseRunId } from '../../src/model/run-id.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type ApiHouse, newAct, openApiHouse, type Told } from '../api/support/api-house.ts';
import { everyGet } from '../api/support/every-get.ts';
import { atLength } from '../api/support/length.ts';
import { NAMELESS, publishAll, SLEEP, startRun } from '../api/support/workflows.ts';
import { formsOf } from '../support/canary.ts';

const HEAD =
  'key: input.id\ninput: { type: object, required: [id], properties: { id: { type: string }, words: { type: string } } }\n';
const file = (name: string, text: string): string => `pawl: 1\nworkflow: ${name}\nversion: 1\ntimeout: 9d\n${text}`;
const PAY = `actions:
  shop.pay: { function: pay@1, timeout: 1m, settlesWithin: 1s, idempotency: { remembers: 24h }, compensate: none }
`;
const question = (more: string): string =>
  `{ id: decision, approve: 'Pay?', subject: { order: =input.id }, from: ['role:approver'], expires: 1d${more} }`;
/** One answer decides; then it is paid. */
const ASK_ONE = file(
  'ask-one',
  `${HEAD}${PAY}steps:\n  - ${question('')}\n  - { id: pay, call: shop.pay, with: { order: =input.id } }\n`,
);
/** Whoever asks may answer. */
const ASK_ANYBODY = file('ask-anybody', `${HEAD}steps:\n  - ${question(', except: []')}\n`);
/** Ends after a day without a word. */
const REGISTER = file(
  'register',
  `${HEAD}events: { confirmed: {} }\nsteps:\n  - { id: confirm, await: confirmed, timeout: 24h }\n`,
);

/** What was paid, order by order. */
const paid: string[] = [];
const FUNCTIONS = new Map([
  [
    'pay@1',
    {
      send: ({ request }: FunctionCall) => {
        const { order, words } = request as { order: string; words?: string };
        if (words !== undefined) throw new Rejected('sold-out', words);
        paid.push(order);
        return { id: `P-${order}` };
      },
    },
  ],
]);

/** Hours that have gone by for the database. */
let laterMs = 0;
const DAY_MS = 86_400_000;
let house: ApiHouse;
/** A house whose database knows how many hours have gone by. */
async function openHouse(): Promise<ApiHouse> {
  const store = openMemoryStore({ clock: { nowMs: () => Date.now() + laterMs }, parts: 2, leaseMs: 9_000 });
  const opened = await openApiHouse({ store, functions: FUNCTIONS });
  await publishAll(opened, [NAMELESS, ASK_ONE, ASK_ANYBODY, REGISTER]);
  return opened;
}
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const codeOf = (told: Told): string => told.json<{ code: string }>().code;
const countRuns = async (): Promise<number> => (await house.get('/v1/runs/count')).json<{ count: number }>().count;

interface Asked {
  readonly run: string;
  readonly votes: string;
  readonly subjectHash: string;
}
async function ask(workflow: string, id: string, as: string): Promise<Asked> {
  const told = await house.post('/v1/runs', { workflow, input: { id } }, { as });
  const run = told.json<RunView>();
  const [approval] = run.approvals;
  return {
    run: run.id,
    votes: `/v1/runs/${run.id}/approvals/decision/votes`,
    subjectHash: approval?.subjectHash ?? '',
  };
}
const approvalsOf = async (run: string): Promise<RunView['approvals']> =>
  (await house.get(`/v1/runs/${run}`)).json<RunView>().approvals;

describe('bug 48 who asked also approves', () => {
  it('is refused under each of their keys, and nobody says in a body or a header who they are', async () => {
    const [one, two] = [
      await house.key(['operator', 'approver'], { principal: 'ursula' }),
      await house.key(['admin', 'approver'], { principal: 'ursula' }),
    ];
    const { run, votes, subjectHash } = await ask('ask-one', 'self', one);
    const vote = { decision: 'approve', subjectHash } as const;
    for (const as of [one, two])
      expect((await house.post(votes, vote, { as })).json()).toMatchObject({
        status: 403,
        details: { detail: { rule: 'A03', principal: 'ursula' } },
      });
    for (const claim of ['decided_by', 'by', 'principal', 'actor'])
      expect([claim, (await house.post(votes, { ...vote, [claim]: 'zoe' }, { as: one })).status]).toEqual([claim, 400]);
    const claims = { 'x-user': 'zoe', 'x-forwarded-user': 'zoe', from: 'zoe' };
    expect((await house.post(votes, vote, { as: one, headers: claims })).status).toBe(403);
    expect(await approvalsOf(run)).toMatchObject([{ state: 'open', votes: [] }]);
  });

  it('is taken where the workflow lets them, and is written down as their own', async () => {
    const as = await house.key(['operator', 'approver'], { principal: 'ursula' });
    const { run, votes, subjectHash } = await ask('ask-anybody', 'allowed', as);
    expect((await house.post(votes, { decision: 'approve', subjectHash }, { as })).status).toBe(201);
    const told = (await house.get(`/v1/runs/${run}`)).json<RunView>();
    expect([told.startedBy, told.approvals[0]?.votes[0]?.principal]).toEqual(['ursula', 'ursula']);
  });
});

const ANSWERS = atLength(1_000, 25);
describe('bug 49 yes and no at once', () => {
  it(`are one answer, the other is a conflict that shows it, and what follows happens once or never: ${ANSWERS} times`, async () => {
    const people = ['ana', 'zoe'] as const;
    const keys = await Promise.all(people.map((principal) => house.key(['approver'], { principal })));
    const approved: string[] = [];
    for (let round = 0; round < ANSWERS; round += 1) {
      const { run, votes, subjectHash } = await ask('ask-one', `both-${round}`, 'operator');
      const decisions = round % 2 === 0 ? (['approve', 'deny'] as const) : (['deny', 'approve'] as const);
      const told = await Promise.all(
        decisions.map((decision, at) => house.post(votes, { decision, subjectHash }, { as: keys[at] ?? null })),
      );
      expect(told.map(({ status }) => status).sort(), `round ${round}`).toEqual([201, 409]);
      const winner = told.findIndex(({ status }) => status === 201);
      const decision = decisions[winner] === 'approve' ? 'approved' : 'denied';
      expect(told[1 - winner]?.json()).toMatchObject({ details: { answer: 'decided', detail: { decision } } });
      expect(await approvalsOf(run)).toMatchObject([{ state: decision, votes: [{ principal: people[winner] }] }]);
      if (decision === 'approved') approved.push(`both-${round}`);
    }
    const worker = await house.app.runWorker();
    for (const id of approved) await house.get(`/v1/runs/${id}?wait=20s`);
    await worker.stop(1_000);
    expect([...paid].sort()).toEqual([...approved].sort());
  }, 600_000);
});

describe('bug 74 runs of one instant', () => {
  const nowMs = Date.now();
  const PAGE = 10;
  it('are listed each once, in both filters of time and while others of that instant are started', async () => {
    const still = await openApiHouse({
      store: openMemoryStore({ clock: { nowMs: () => nowMs }, parts: 2, leaseMs: 9_000 }),
    });
    await publishAll(still, [SLEEP]);
    const ids = Array.from({ length: 25 }, (_, at) => `same-${at}`);
    await Promise.all(ids.map((id) => startRun(still, 'sleep', id)));
    const instant = new Date(nowMs).toISOString();
    for (const query of ['workflow=sleep', `startedAfter=${instant}`]) {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const told: Told = await still.get(
          `/v1/runs?${query}&limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        const page = told.json<{ data: readonly RunView[]; nextCursor: string | null }>();
        expect(page.data.every(({ startedAt }) => startedAt === instant)).toBe(true);
        seen.push(...page.data.map(({ key }) => key));
        cursor = page.nextCursor;
        await startRun(still, 'sleep', `later-${query.length}-${seen.length}`);
      }
      expect([...seen.filter((key) => key.startsWith('same-'))].sort()).toEqual([...ids].sort());
      expect(new Set(seen).size).toBe(seen.length);
    }
    await still.close();
  });
});

describe('bug 76 a key that is used again with another amount', () => {
  const start = (text: string, headers: Readonly<Record<string, string>>): Promise<Told> =>
    house.call('POST', '/v1/runs', { text, headers: { ...headers, 'content-type': 'application/json' } });
  const ten = '{"workflow":"nameless","input":{"amount":"10.00","to":"ana"}}';
  const other = ten.replace('10.00', '10.01');
  const spaced = ' {"input" : { "to":"ana",\n"amount":"10.00"} , "workflow":"nameless"}';

  it('is a conflict that names the first, afterwards and while the first is under way, and no second run', async () => {
    const headers = newAct();
    const before = await countRuns();
    const first = (await start(ten, headers)).json<RunView>();
    const conflict = (run: RunView | undefined): object => ({
      status: 409,
      code: 'PAWL_RUN_KEY_CONFLICT',
      details: { runId: parseRunId(run?.id ?? '') },
    });
    expect((await start(other, headers)).json()).toMatchObject(conflict(first));
    const meanwhile = newAct();
    const told = await Promise.all([ten, other, ten, other].map((text) => start(text, meanwhile)));
    const taken = told.find(({ status }) => status === 201)?.json<RunView>();
    const statuses = told.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([200, 201, 409, 409]);
    expect(statuses[0] === 409).toBe(statuses[2] === 409);
    for (const one of told.filter(({ status }) => status === 409)) expect(one.json()).toMatchObject(conflict(taken));
    expect(await countRuns()).toBe(before + 2);
  });

  it('in another order, with other white space, is the first answer; on another path it is another act', async () => {
    const headers = newAct();
    const first = await start(ten, headers);
    const again = await start(spaced, headers);
    expect([again.status, again.json<RunView>().id]).toEqual([200, first.json<RunView>().id]);
    const id = await startRun(house, 'register', 'other-path');
    const event = await house.post(`/v1/runs/${id}/events`, { type: 'confirmed', data: {} }, { headers });
    expect([event.status, event.json<{ outcome: string }>().outcome]).toEqual([201, 'applied']);
  });
});

describe('bug 83 one delivery of a webhook, brought again', () => {
  it('twice at once, spaced otherwise and a week later is one run; with another body it is a conflict', async () => {
    const headers = { ...newAct(), 'content-type': 'application/json' };
    const bring = (text: string): Promise<Told> => house.call('POST', '/v1/runs', { text, headers });
    const body = '{"workflow":"nameless","input":{"paid":true}}';
    const spaced = '{ "workflow": "nameless",\n  "input": { "paid": true } }\n';
    const before = await countRuns();
    const twice = await Promise.all([bring(body), bring(spaced)]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 201]);
    laterMs += 7 * DAY_MS;
    const late = await bring(body);
    expect(new Set([...twice, late].map((told) => told.json<RunView>().id)).size).toBe(1);
    expect([late.status, late.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect((await bring(body.replace('true', 'false'))).status).toBe(409);
    expect(await countRuns()).toBe(before + 1);
  });
});

describe('bug 103 a word that comes after the end, before the start, or for nobody', () => {
  it('is told which of them it is; it is kept with the run that has ended, and none starts or wakes one', async () => {
    // A server decides under a name with a seat of some seconds: three days later the one that it has is over.
    const usual = house;
    house = await openHouse();
    const confirm = (run: string, headers = newAct()): Promise<Told> =>
      house.post(`/v1/runs/${run}/events`, { type: 'confirmed', data: { link: 1 } }, { headers });
    const id = await startRun(house, 'register', 'R-1');
    const startedAtMs = Date.parse((await house.get(`/v1/runs/${id}`)).json<RunView>().startedAt);
    const before = await countRuns();
    laterMs += 3 * DAY_MS;
    const late = await confirm('R-1');
    expect([late.status, late.json()]).toEqual([
      201,
      expect.objectContaining({
        outcome: 'ended',
        detail: { status: 'FAILED', code: 'timeout', endedAtMs: expect.any(Number) },
      }),
    ]);
    const { endedAtMs } = late.json<{ detail: { endedAtMs: number } }>().detail;
    expect(endedAtMs - startedAtMs).toBeGreaterThanOrEqual(DAY_MS);
    const early = newAct();
    for (const [key, headers] of [
      ['R-never', newAct()],
      ['R-2', early],
    ] as const) {
      const told = await confirm(key, headers);
      expect([told.status, codeOf(told)]).toEqual([404, 'PAWL_RUN_NOT_FOUND']);
    }
    expect(await countRuns()).toBe(before);
    expect((await house.get(`/v1/runs/${id}`)).json<RunView>().status).toBe('FAILED');
    const { inbox } = await house.app.history(id);
    expect(inbox.filter(({ payload }) => payload?.type === 'signal')).toMatchObject([{ outcome: 'ended' }]);
    // Sent again after the start, under the same name of the act, it counts.
    await startRun(house, 'register', 'R-2');
    expect((await confirm('R-2', early)).json()).toMatchObject({ outcome: 'applied' });
    await house.close();
    house = usual;
  });
});

/** Answers by telling back everything that it was sent. */
async function echoing(): Promise<{ readonly server: Server; readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    request.resume().on('end', () => {
      response.writeHead(request.url === '/declined' ? 402 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'E-1', error: `denied: ${heard.at(-1)}`, headers: request.headers }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('bug 96 a secret that a provider tells back', () => {
  const SECRET = 's3cr3t-42/&=';
  const secretive = (name: string, url: string): string =>
    file(
      name,
      `secrets: [shopToken]
actions:
  shop.act:
    http: { method: POST, url: '${url}', headers: { X-Key: =secrets.shopToken } }
    auth: { bearer: =secrets.shopToken }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    timeout: 1s
    settlesWithin: 1s
    retry: { attempts: 2, delay: 10ms }
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: none
steps:
  - { id: act, call: shop.act, onUnknown: review }
output: { all: =steps.act.output }
`,
    );

  it('is in no answer of any route, in no log line and in no metric, whatever became of the call', async () => {
    const echo = await echoing();
    const working = await openApiHouse({ worker: true, env: { PAWL_SECRET_SHOP_TOKEN: SECRET } });
    const ways = { confirmed: `${echo.url}/ok`, declined: `${echo.url}/declined`, closed: 'http://127.0.0.1:9/x' };
    await publishAll(
      working,
      Object.entries(ways).map(([name, url]) => secretive(name, url)),
    );
    const texts: string[] = [];
    for (const workflow of Object.keys(ways)) {
      const told = await working.post('/v1/runs?wait=20s', { workflow, input: {} });
      texts.push(told.text);
      const run = told.json<RunView>().id;
      const asText = { showDiagram: '?format=mermaid', showRunDiagram: '?format=mermaid' };
      const read = await everyGet(working, { workflow, version: '1', run, effect: 'act' }, asText);
      texts.push(...[...read.values()].map(({ text }) => text));
    }
    expect(echo.heard.filter((text) => text.includes(SECRET)).length).toBeGreaterThanOrEqual(2);
    const all = `${texts.join('\n')}\n${JSON.stringify(working.logged)}`;
    expect(all).toContain('shopToken');
    expect(formsOf(SECRET).filter((form) => all.includes(form))).toEqual([]);
    await working.close();
    echo.server.close();
    echo.server.closeAllConnections();
  }, 60_000);

  it('is refused when the file is published, where it would be stored: in an address, in a body, in an output', async () => {
    const text = secretive('leaking', 'http://127.0.0.1:9/x');
    for (const [from, to] of [
      ['/x', '/x?token=${ secrets.shopToken }'],
      ['call: shop.act,', 'call: shop.act, with: { token: =secrets.shopToken },'],
      ['=steps.act.output', '=secrets.shopToken'],
    ] as const) {
      const told = await house.call('POST', '/v1/workflows?dryRun=true', {
        text: text.replace(from, to),
        headers: { 'content-type': 'application/yaml' },
      });
      expect([to, told.status]).toEqual([to, 422]);
      expect(told.text).toContain('secret');
    }
  });
});

describe('bug 97 markup in names and words', () => {
  const HOSTILE = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '${7*7}',
    '\u202Egpj.exe',
    '\u001B[2J',
  ];
  const words = HOSTILE.join(' ');
  const text = file(
    'hostile',
    `${HEAD}${PAY}steps:
  - { id: decision, approve: 'Pay <img src=x onerror=alert(1)> \${ input.words }?', subject: { words: =input.words }, from: ['role:approver'], expires: 1d }
  - { id: pay, call: shop.pay, with: { order: =input.id, words: =input.words } }
`,
  );
  const MEDIA = /^(application\/json|application\/yaml|image\/svg\+xml|text\/plain)(; .*)?$/;

  it('is told as the text that it is by every route: nothing of it is a page, and no picture holds an element of it', async () => {
    const working = await openApiHouse({ worker: true, functions: FUNCTIONS });
    await publishAll(working, [text]);
    const started = await working.post('/v1/runs?wait=20s', { workflow: 'hostile', input: { id: words, words } });
    expect(started.status).toBe(201);
    const { id: run, approvals } = started.json<RunView>();
    const vote = { decision: 'approve', subjectHash: approvals[0]?.subjectHash ?? '', comment: words } as const;
    const votes = `/v1/runs/${run}/approvals/decision/votes`;
    expect([201, 202]).toContain((await working.post(votes, vote, { as: 'approver' })).status);
    const ended = (await working.get(`/v1/runs/${run}?wait=20s`)).json<RunView>();
    expect([ended.key, ended.approvals[0]?.votes[0]?.comment]).toEqual([words, words]);
    const order = { action: 'cancel', runs: [run], reason: words };
    const { id: batch } = (await working.post('/v1/batches', order)).json<{ id: string }>();
    const params = { workflow: 'hostile', version: '1', run, effect: 'pay', approval: approvals[0]?.id ?? '', batch };
    const told = await everyGet(working, params);
    const refused = await working.get(`/v1/runs/${encodeURIComponent(HOSTILE[0] ?? '')}`);
    for (const [id, { status, headers }] of told) {
      expect([id, status]).toEqual([id, 200]);
      expect(headers['content-type'], id).toMatch(MEDIA);
      expect([id, headers['x-content-type-options']]).toEqual([id, 'nosniff']);
      expect(headers['content-security-policy'], id).toContain("default-src 'none'");
    }
    expect([refused.status, refused.headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    const drawn = ['showDiagram', 'showRunDiagram'].map((id) => told.get(id)?.text ?? '');
    for (const svg of drawn) {
      expect(svg).toMatch(/^<svg /);
      const tags = svg.match(/<[^>]*>/g) ?? [];
      expect(tags.filter((tag) => /^<(img|script|a)\b|\s(on\w+|href)=/i.test(tag))).toEqual([]);
      expect(svg).toContain('Pay &lt;img src=x onerror=alert(1)&gt;');
    }
    await working.close();
  }, 60_000);

  it('a name of 10,000 characters is refused with its place', async () => {
    const told = await house.post('/v1/runs', { workflow: 'register', input: { id: 'x'.repeat(10_000) } });
    expect([told.status, codeOf(told)]).toEqual([422, expect.any(String)]);
    const named = await house.get(`/v1/runs?q=${'x'.repeat(10_000)}`);
    expect(named.status).toBe(400);
  });
});
