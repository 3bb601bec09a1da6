import assert from 'node:assert/strict';
import { sha256 } from '../../model/hash.ts';
import type { NewApiKey } from '../../ports/key-store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';

function keyOf(keyId: string, change: Partial<NewApiKey> = {}): NewApiKey {
  return {
    keyId,
    tenant: 'default',
    principal: 'ana',
    roles: ['operator', 'viewer'],
    scopes: [{ right: 'run:start', workflows: 'refund-*' }],
    secretHash: sha256(keyId),
    createdBy: 'root',
    expiresAtMs: null,
    ...change,
  };
}

/** API keys: made once, read with the database's time, taken back for ever. */
export function keyConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('S04: a key is what was written, with when, and its id is nobody else’s', async ({ store }) => {
    const beforeMs = await store.nowMs();
    const key = keyOf('0000000a', { expiresAtMs: beforeMs + 5_000 });
    assert.equal(await store.findKey(key.keyId), null);
    assert.equal(await store.createKey(key), true);
    assert.equal(await store.createKey(keyOf('0000000a', { tenant: 'other', principal: 'eve' })), false);
    const found = await store.findKey(key.keyId);
    assert.ok(found !== null && found.key.createdAtMs >= beforeMs && found.nowMs >= found.key.createdAtMs);
    assert.deepEqual(found.key, { ...key, createdAtMs: found.key.createdAtMs, revoked: null });
  });

  test('S05: a key that was taken back stays so, with who was first; another tenant has no such key', async (opened) => {
    const { store, advance } = opened;
    await store.createKey(keyOf('0000000b'));
    assert.equal(await store.revokeKey('other', '0000000b', { by: 'eve', reason: 'mine' }), false);
    assert.equal(await store.revokeKey('default', '0000000c', { by: 'ana', reason: 'lost' }), false);
    assert.equal((await store.findKey('0000000b'))?.key.revoked, null);
    assert.equal(await store.revokeKey('default', '0000000b', { by: 'ana', reason: 'lost' }), true);
    const first = (await store.findKey('0000000b'))?.key.revoked;
    assert.ok(first !== null && first !== undefined);
    await advance(1_000);
    assert.equal(await store.revokeKey('default', '0000000b', { by: 'kai', reason: 'again' }), true);
    assert.deepEqual((await (await opened.again()).findKey('0000000b'))?.key.revoked, first);
    assert.deepEqual({ by: first.by, reason: first.reason }, { by: 'ana', reason: 'lost' });
  });

  test('keys of a tenant are listed, the newest first', async ({ store, advance }) => {
    for (const keyId of ['0000000d', '0000000e']) {
      await store.createKey(keyOf(keyId));
      await advance(1_000);
    }
    await store.createKey(keyOf('0000000f', { tenant: 'other' }));
    const ids = async (limit: number): Promise<readonly string[]> =>
      (await store.listKeys('default', limit)).map(({ keyId }) => keyId);
    assert.deepEqual(await ids(10), ['0000000e', '0000000d']);
    assert.deepEqual(await ids(1), ['0000000e']);
  });
}
