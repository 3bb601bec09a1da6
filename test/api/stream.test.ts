import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKey } from '../../src/model/api-key.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { type Block, StreamReader } from './support/stream-reader.ts';
import { LISTEN, publishAll, SLEEP, startRun } from './support/workflows.ts';

let house: ApiHouse;
let address: string;
beforeAll(async () => {
  // With a worker: an event that finds its run in somebody's hands is decided by whoever holds it.
  house = await openApiHouse({ worker: true });
  await publishAll(house, [SLEEP, LISTEN]);
  address = await house.server.listen('127.0.0.1', 0);
});
afterAll(() => house.close());

interface Told {
  readonly id: string;
  readonly key: string;
  readonly workflow: string;
  readonly status: string;
  readonly revision: number;
}
const toldBy = ({ data }: Block): Told => JSON.parse(data) as Told;

async function open(search = '', { as = house.keyOf('viewer'), after }: { as?: string; after?: string } = {}) {
  const headers = { authorization: `Bearer ${as}`, ...(after === undefined ? {} : { 'last-event-id': after }) };
  const reader = await StreamReader.open(`${address}/v1/stream${search}`, headers);
  if (typeof reader === 'number') throw new Error(`it is answered ${reader}`);
  return reader;
}

/** Reads until each of some runs has been told to have ended. */
async function untilEnded(next: () => Promise<Block>, keys: readonly string[]): Promise<readonly string[]> {
  const open = new Set(keys);
  const told: string[] = [];
  while (open.size > 0) {
    const { data, ...block } = await next();
    told.push(data);
    const { key, status } = toldBy({ data, ...block });
    if (status === 'COMPLETED') open.delete(key);
  }
  return told;
}

/** Starts runs that wait for an event and sends it, all side by side. */
async function writeMany(keys: readonly string[]): Promise<void> {
  const write = async (key: string): Promise<void> => {
    await startRun(house, 'listen', key);
    const { status } = await house.post(`/v1/runs/${key}/events`, { type: 'paid', data: { amount: 1 } });
    expect(status).toBeOneOf([201, 202]);
  };
  await Promise.all(keys.map(write));
}

describe('GET /v1/stream', () => {
  it('cut at every event and resumed while others write, it tells each change once, and none is missing', async () => {
    const keys = Array.from({ length: 6 }, (_, at) => `cut-${at}`);
    const whole = await open();
    const hello = await whole.nextOf('hello');
    const written = writeMany(keys);
    let after = hello?.id ?? '';
    const cutAtEach = async (): Promise<Block> => {
      const reader = await open('', { after });
      const block = await reader.nextOf('run', 'resync');
      reader.cut();
      expect(block?.event).toBe('run');
      after = block?.id ?? '';
      return block as Block;
    };
    const pieces = await untilEnded(cutAtEach, keys);
    const uncut = await untilEnded(async () => (await whole.nextOf('run', 'resync')) as Block, keys);
    whole.cut();
    await written;
    expect(pieces.length).toBeGreaterThanOrEqual(2 * keys.length);
    expect([...pieces].sort()).toEqual([...uncut].sort());
    expect(new Set(pieces).size).toBe(pieces.length);
  }, 60_000);

  it('begins with where it stands and when to come again, and tells what anybody can see of a run', async () => {
    const reader = await open('?workflow=sleep');
    const [retry, hello] = [await reader.next(), await reader.next()];
    expect(retry?.text).toBe('retry: 2000');
    expect([hello?.event, JSON.parse(hello?.data ?? '')]).toEqual(['hello', { position: hello?.id }]);
    await startRun(house, 'listen', 'not-asked-for');
    const id = await startRun(house, 'sleep', 'asked-for');
    const block = await reader.nextOf('run');
    reader.cut();
    expect(JSON.parse(block?.data ?? '')).toEqual({
      id,
      key: 'asked-for',
      workflow: 'sleep',
      version: 1,
      revision: 1,
      status: 'WAITING',
      effects: [],
      at: expect.stringMatching(/Z$/),
    });
  });

  it('tells only the runs that are named; one that is not there is 404, also where it may not be read', async () => {
    await startRun(house, 'listen', 'named');
    await startRun(house, 'listen', 'other');
    const reader = await open('?runs=named');
    await reader.nextOf('hello');
    for (const key of ['other', 'named'])
      await house.post(`/v1/runs/${key}/events`, { type: 'paid', data: { amount: 1 } });
    const block = await reader.nextOf('run');
    reader.cut();
    expect(toldBy(block as Block).key).toBe('named');
    const scoped = await house.key(['viewer'], { scopes: [{ right: '*', workflows: 'sleep' }] });
    for (const [as, runs] of [
      ['viewer', 'nobody'],
      [scoped, 'named'],
    ] as const) {
      const told = await house.get(`/v1/stream?runs=${runs}`, { as });
      expect([told.status, told.json<{ code: string }>().code]).toEqual([404, 'PAWL_RUN_NOT_FOUND']);
    }
  });

  it('S12 tells nothing of workflows that the key may not read', async () => {
    const as = await house.key(['viewer'], { scopes: [{ right: 'run:read', workflows: 'sle*' }] });
    const reader = await open('', { as });
    await reader.nextOf('hello');
    await startRun(house, 'listen', 'hidden');
    await startRun(house, 'sleep', 'shown');
    const block = await reader.nextOf('run');
    reader.cut();
    expect(toldBy(block as Block).key).toBe('shown');
  });

  it('S05 ends when the key is taken back, and tells nothing more', async () => {
    const as = await house.key(['viewer']);
    const reader = await open('', { as });
    await reader.nextOf('hello');
    const { store, tenant } = house.app.engine;
    await store.revokeKey(tenant, readKey(as)?.keyId ?? '', { by: 'ana', reason: 'lost' });
    expect(await reader.nextOf('nothing')).toBeNull();
    expect(await StreamReader.open(`${address}/v1/stream`, { authorization: `Bearer ${as}` })).toBe(401);
    expect(house.logged.filter(({ event }) => event === 'api.fault')).toEqual([]);
  });

  it('says to look anew where nobody knows what was between: kept no more, of another history, or no place at all', async () => {
    const first = await open();
    const old = (await first.nextOf('hello'))?.id ?? '';
    first.cut();
    await startRun(house, 'sleep', 'forgotten');
    const { store } = house.app.engine;
    for (let part = 0; part < store.parts; part += 1) await store.forgetChanges(part, -1_000, 1_000);
    const elsewhere = Buffer.from(old, 'base64url')
      .toString('latin1')
      .replace(/^.{12}/, '0'.repeat(12));
    const ahead = Buffer.from(old, 'base64url').toString('latin1').replaceAll(/\.\d+/g, '.999999');
    const places = [old, ...[elsewhere, ahead, 'x'].map((text) => Buffer.from(text).toString('base64url')), '~~'];
    for (const after of places) {
      const reader = await open('?workflow=sleep', { after });
      const block = await reader.nextOf('resync', 'run');
      expect([after, block?.event]).toEqual([after, 'resync']);
      await startRun(house, 'sleep', `after-${places.indexOf(after)}`);
      expect(toldBy((await reader.nextOf('resync', 'run')) as Block).key).toBe(`after-${places.indexOf(after)}`);
      reader.cut();
    }
  });

  it('ends when the server stops, which does not wait for it', async () => {
    const other = await openApiHouse();
    const at = await other.server.listen('127.0.0.1', 0);
    const reader = await StreamReader.open(`${at}/v1/stream`, { authorization: `Bearer ${other.keyOf('viewer')}` });
    if (typeof reader === 'number') throw new Error('no stream');
    await reader.nextOf('hello');
    const closed = other.close();
    expect(await reader.nextOf('nothing')).toBeNull();
    await closed;
  });
});
