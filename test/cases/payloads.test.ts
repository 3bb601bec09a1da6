import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { begin, type House, openHouse, untilRun, untilStatus } from '../engine/support/house.ts';
import { type Answering, startAnswering } from './support/answering.ts';

const HEAD = 'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\n';
const SMILE = '\ud83d\ude00';
const HALVES = [
  ['a NUL', 'a\0b'],
  ['the first half of an emoji', 'ok \ud83d'],
  ['the second half of an emoji', '\ude00'],
] as const;
/** Too random to be compressed into an index. */
const LONG_ID = Array.from({ length: 600 }, (_, n) => ((n * 2_654_435_761) % 4_294_967_296).toString(36)).join('');

let house: House;
let provider: Answering;
let body: Buffer = Buffer.from('{}');
beforeAll(async () => {
  house = await openHouse();
  provider = await startAnswering((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
});
afterEach(() => house.rest());
afterAll(async () => {
  await house.close();
  await provider.close();
});

const charge = (path: string, more = ''): string =>
  `${HEAD}actions:\n  charge: { http: { method: POST, url: '${provider.url}/${path}' }, idempotency: { header: Idempotency-Key, remembers: 24h }, settlesWithin: 1s, compensate: none${more} }\nsteps:\n  - { id: charge, call: charge, with: {} }\noutput: { id: =steps.charge.output.id }\n`;

async function worker() {
  const process = await house.process();
  await process.app.runWorker();
  return process;
}

describe('what a provider answers after it has acted', () => {
  it.each([
    ['bug 68 with a NUL', Buffer.from('{"id":"a\\u0000b"}'), 'NUL'],
    ['bug 69 with half an emoji', Buffer.from('{"id":"\\ud83d"}'), 'surrogate'],
    ['bug 69 with half an emoji in a name', Buffer.from('{"id":1,"\\ude00":2}'), 'surrogate'],
    ['bug 68 with bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'charset'],
    ['bug 71 of 1 MB', Buffer.from(JSON.stringify({ id: 'x'.repeat(1_000_000) })), 'larger than'],
    ['bug 71 of 10 MB', Buffer.from(JSON.stringify({ id: 'x'.repeat(10_000_000) })), 'large'],
  ])(
    '%s is a doubt with a name and its bytes, asked for once more under one key, then a person',
    async (name, bytes, why) => {
      body = bytes;
      const path = name.replaceAll(' ', '-');
      const process = await worker();
      const run = await begin(process, charge(path));
      const view = await untilStatus(process, run, 'HELD');
      expect(view.effects).toMatchObject([{ state: 'UNKNOWN', code: 'unreadable', doubt: 'review' }]);
      expect(view.effects[0]?.lastError).toContain(why);
      expect(view.incidents).toMatchObject([{ kind: 'unknown', step: 'charge' }]);
      const keys = provider.posts.get(`/${path}`) ?? [];
      expect(keys.length).toBe(2);
      expect(new Set(keys).size).toBe(1);
      const { observations } = await process.app.history(run);
      expect(observations.filter(({ source }) => source === 'unreadable').length).toBe(1);
    },
    30_000,
  );

  it('bug 71 just below the bound is kept whole, and the run is shown and listed', async () => {
    body = Buffer.from(JSON.stringify({ id: 'x'.repeat(261_000) }));
    const process = await worker();
    const run = await begin(process, charge('below'));
    const view = await untilStatus(process, run, 'COMPLETED');
    expect(view.output).toEqual({ id: 'x'.repeat(261_000) });
  }, 30_000);

  it('bug 71 with a name that no index can hold is done, without that name', async () => {
    body = Buffer.from(JSON.stringify({ id: LONG_ID }));
    const process = await worker();
    const run = await begin(process, charge('long-name'));
    const view = await untilRun(process, run, ({ status }) => status === 'COMPLETED' || status === 'HELD');
    expect(view).toMatchObject({ status: 'COMPLETED', output: { id: LONG_ID }, incidents: [] });
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', sent: 1, externalId: null }]);
  }, 30_000);

  it('bug 69 whole characters come back as they went', async () => {
    body = Buffer.from(JSON.stringify({ id: SMILE.repeat(140) }));
    const process = await worker();
    const run = await begin(process, charge('whole'));
    expect((await untilStatus(process, run, 'COMPLETED')).output).toEqual({ id: SMILE.repeat(140) });
  }, 30_000);
});

describe('what people and senders say', () => {
  const text = `${HEAD}input: { type: object }\nevents: { go: { schema: { type: object } } }\nsteps:\n  - { id: rest, await: go }\n  - { id: ask, approve: 'Well?', subject: {}, from: ['role:approver'], expires: 30m }\n`;

  it.each(HALVES)(
    'bugs 68 and 69 %s is refused before anything is stored, wherever it stands',
    async (_name, bad) => {
      const { app, ...process } = await worker();
      const run = await begin({ app, ...process }, text);
      const refused = { code: 'PAWL_VALUE_NOT_STORABLE' };
      const signal = { name: 'go', data: {}, source: 'shop', eventId: 'e-1', by: 'shop', waitMs: 2_000 };
      const vote = { approval: 'ask', decision: 'approve', subjectHash: null, roles: ['approver'] } as const;
      await expect(app.signal(run, { ...signal, data: { text: bad } })).rejects.toMatchObject(refused);
      await expect(app.signal(run, { ...signal, data: { [bad]: 1 } })).rejects.toMatchObject(refused);
      await expect(app.signal(run, { ...signal, source: bad })).rejects.toMatchObject(refused);
      await expect(app.signal(run, { ...signal, eventId: bad })).rejects.toMatchObject(refused);
      await expect(app.signal(run, { ...signal, by: bad })).rejects.toMatchObject(refused);
      await expect(app.cancel(run, { by: 'ana', reason: bad })).rejects.toMatchObject(refused);
      await expect(app.terminate(run, { by: 'ana', reason: 'enough', eventId: bad })).rejects.toMatchObject(refused);
      await expect(begin({ app, ...process }, text, { text: bad })).rejects.toMatchObject(refused);
      const { workflow } = await app.show(run);
      await expect(app.start({ workflow, version: 1, input: {}, by: bad })).rejects.toMatchObject(refused);
      expect(await app.signal(run, signal)).toMatchObject({ outcome: 'applied' });
      await expect(app.vote(run, { ...vote, principal: 'kai', comment: bad })).rejects.toMatchObject(refused);
      await expect(app.vote(run, { ...vote, principal: bad, comment: null })).rejects.toMatchObject(refused);
      expect(await app.vote(run, { ...vote, principal: 'kai', comment: SMILE })).toMatchObject({ outcome: 'applied' });
      const view = await untilStatus({ app, ...process }, run, 'COMPLETED');
      expect(view.approvals[0]?.votes).toMatchObject([{ principal: 'kai', comment: SMILE }]);
    },
    30_000,
  );

  it('bug 71 an event whose id no index can hold is refused in words, and an input of 5 MB too', async () => {
    const { app, ...process } = await worker();
    const run = await begin({ app, ...process }, text);
    const signal = { name: 'go', data: {}, source: 'shop', eventId: LONG_ID, by: 'shop', waitMs: 0 };
    const refused = { code: 'PAWL_VALUE_NOT_STORABLE' };
    await expect(app.signal(run, signal)).rejects.toMatchObject(refused);
    await expect(app.signal(run, { ...signal, source: LONG_ID, eventId: 'e' })).rejects.toMatchObject(refused);
    await expect(begin({ app, ...process }, text, { blob: 'x'.repeat(5_000_000) })).rejects.toMatchObject(refused);
    expect((await app.history(run)).inbox).toEqual([]);
  }, 30_000);

  it('bug 71 the longest id that is taken, in letters of three bytes, is kept, and its time to be kept ends', async () => {
    const process = await worker();
    const run = await begin(
      process,
      `${HEAD}events: { go: { schema: { type: object }, keep: 1s }, end: { schema: { type: object } } }\nsteps:\n  - { id: rest, await: end }\n`,
    );
    const letters = (units: number): string =>
      Array.from({ length: units }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000))).join('');
    const long = { name: 'go', data: {}, source: letters(249), eventId: letters(512), by: 'shop', waitMs: 2_000 };
    expect(await process.app.signal(run, long)).toMatchObject({ outcome: 'kept' });
    const wasKept = async (): Promise<string | null | undefined> => {
      const { inbox } = await process.app.history(run);
      return inbox.find(({ eventId }) => eventId === long.eventId)?.outcome;
    };
    await vi.waitFor(async () => expect(await wasKept()).toBe('unmatched'), { timeout: 15_000, interval: 100 });
    expect(process.logger.lines.filter(({ event }) => event === 'loop.fault')).toEqual([]);
  }, 30_000);

  it.each([36, 37, 38, 39, 40])(
    'bug 69 a message that is cut in an emoji after %i letters is cut between characters',
    async (letters) => {
      const process = await worker();
      const said = `${'x'.repeat(letters)}${SMILE}tail`;
      for (const wait of ['wait: =input.t', 'wait: { until: =input.t }']) {
        const run = await begin(
          process,
          `${HEAD}input: { type: object, properties: { t: { type: string } } }\nsteps:\n  - { id: rest, ${wait} }\n`,
          { t: said },
        );
        const { failure } = await untilStatus(process, run, 'FAILED');
        expect(failure).toMatchObject({ code: 'expression' });
        expect(JSON.stringify(failure)).not.toContain('\\ud83d');
      }
    },
    30_000,
  );
});
