import { beforeEach, describe, expect, it } from 'vitest';
import { createKey, listKeys, revokeKey } from '../../src/app/api-keys.ts';
import { authenticate } from '../../src/app/caller.ts';
import type { App } from '../../src/app/create-app.ts';
import { readKey, writeKey } from '../../src/model/api-key.ts';
import { type MemoryStore, openMemoryStore } from '../../src/store/memory/memory-store.ts';

const ASK = { principal: 'ana', roles: ['operator'], scopes: [], forMs: null, by: 'root' } as const;
const config = { principals: { ana: ['finance', 'operator'] } };

let nowMs = 0;
let store: MemoryStore;
let app: Pick<App, 'engine'>;
beforeEach(() => {
  nowMs = Date.UTC(2030, 0, 1);
  store = openMemoryStore({ clock: { nowMs: () => nowMs }, parts: 1, leaseMs: 1_000 });
  app = { engine: { store, tenant: 'default' } as unknown as App['engine'] };
});

const who = (key: string, tenant = 'default'): ReturnType<typeof authenticate> =>
  authenticate({ store, config, tenant }, key);

describe('API keys', () => {
  it('S04 of a secret there is only the hash, in every row and in every view', async () => {
    const { key, view } = await createKey(app, ASK);
    const { secret } = readKey(key) ?? { secret: '' };
    expect(secret).toHaveLength(64);
    expect(JSON.stringify([store.dump(), view, await listKeys(app)])).not.toContain(secret);
    expect(view).toEqual({
      id: key.slice(5, 13),
      principal: 'ana',
      roles: ['operator'],
      scopes: [],
      createdBy: 'root',
      createdAt: '2030-01-01T00:00:00.000Z',
      expiresAt: null,
      revoked: null,
    });
  });

  it('are all different, and each is known with the roles of its own and of its principal', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => createKey(app, ASK)));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(20);
    expect(await who(keys[0]?.key ?? '')).toEqual({
      name: 'ana',
      keyId: keys[0]?.view.id,
      roles: ['operator'],
      scopes: [],
      held: ['finance', 'operator'],
    });
  });

  it('S05 count until they are over, by the database’s clock, or are taken back', async () => {
    const { key } = await createKey(app, { ...ASK, forMs: 1_000 });
    nowMs += 999;
    expect(await who(key)).not.toBeNull();
    nowMs += 1;
    expect(await who(key)).toBeNull();
    const lasting = await createKey(app, ASK);
    await revokeKey(app, lasting.view.id, { by: 'root', reason: 'lost' });
    expect(await who(lasting.key)).toBeNull();
    const [newest] = await listKeys(app);
    expect(newest?.revoked).toEqual({ by: 'root', at: '2030-01-01T00:00:01.000Z', reason: 'lost' });
    await expect(revokeKey(app, '00000000', { by: 'root', reason: 'x' })).rejects.toMatchObject({
      code: 'PAWL_KEY_NOT_FOUND',
    });
  });

  it('S04 S17 another secret under a known id is no key, and neither is one of another tenant', async () => {
    const { key, view } = await createKey(app, ASK);
    expect(await who(writeKey({ keyId: view.id, secret: '0'.repeat(64) }))).toBeNull();
    expect(await who(key, 'other')).toBeNull();
    expect(await who('nonsense')).toBeNull();
    expect(await who(writeKey({ keyId: '00000000', secret: '0'.repeat(64) }))).toBeNull();
  });

  it('belong to somebody with a name', async () => {
    await expect(createKey(app, { ...ASK, principal: 'a b' })).rejects.toMatchObject({ code: 'PAWL_CONFIG_INVALID' });
  });

  it('take another id where one is taken, and give up where all are', async () => {
    const make = store.createKey;
    let asked = 0;
    const full: MemoryStore = { ...store, createKey: async (key) => (asked++ === 0 ? false : make(key)) };
    expect((await createKey({ engine: { ...app.engine, store: full } }, ASK)).view.principal).toBe('ana');
    const never: MemoryStore = { ...store, createKey: async () => false };
    await expect(createKey({ engine: { ...app.engine, store: never } }, ASK)).rejects.toMatchObject({
      code: 'PAWL_INVARIANT',
    });
  });
});
