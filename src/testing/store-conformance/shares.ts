import assert from 'node:assert/strict';
import type { EffectKey } from '../../model/ids.ts';
import type { SharedEffect } from '../../model/shared-effect.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { newRunId } from './rows.ts';

function keyOf(digit: string): EffectKey {
  return digit.repeat(64) as EffectKey;
}

function shareOf(change: Partial<SharedEffect> = {}): SharedEffect {
  const owner = newRunId();
  return {
    part: 0,
    tenant: 'default',
    effectKey: keyOf('a'),
    ingredients: {
      kind: 'forward',
      tenant: 'default',
      reach: 'global',
      address: [],
      object: { of: ['ö', 1] },
      intent: 'greeting',
      generation: 0,
    },
    requestHash: 'h',
    state: 'open',
    owner,
    outcome: null,
    users: [{ runId: owner, step: 's', sinceMs: 1, word: 'owner', of: null, undo: null, heard: [1, 0] }],
    version: 1,
    ...change,
  };
}

/** Shared acts: one row each, written over the version before it. */
export function shareConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('E11: a shared act is what was written last, in its part and under its key', async ({ store }) => {
    const first = shareOf();
    assert.equal(await store.sharedEffect(0, first.effectKey), null);
    assert.equal(await store.putSharedEffect(first), true);
    assert.deepEqual(await store.sharedEffect(0, first.effectKey), first);
    assert.equal(await store.sharedEffect(1, first.effectKey), null);
    const outcome = { ok: true, code: null, class: null, message: '', output: { id: 'ü' }, externalId: 'x' };
    const second: SharedEffect = { ...first, state: 'confirmed', owner: null, requestHash: null, outcome, version: 2 };
    assert.equal(await store.putSharedEffect(second), true);
    assert.deepEqual(await store.sharedEffect(0, first.effectKey), second);
  });

  test('E11: of many who change it at once one does, and the others are told to look again', async (opened) => {
    const stores = [opened.store, await opened.again(), await opened.again()];
    for (const version of [1, 2]) {
      const rows = stores.map(() => shareOf({ version }));
      const written = await Promise.all(stores.map((store, at) => store.putSharedEffect(rows[at] as SharedEffect)));
      assert.equal(written.filter(Boolean).length, 1);
      assert.deepEqual(await opened.store.sharedEffect(0, keyOf('a')), rows[written.indexOf(true)]);
    }
    assert.equal(await opened.store.putSharedEffect(shareOf({ version: 4 })), false);
    assert.equal(await opened.store.putSharedEffect(shareOf({ effectKey: keyOf('b'), version: 2 })), false);
  });

  test('E11: the shared acts of a part come page by page, in the order of their keys', async ({ store }) => {
    for (const digit of ['c', 'a', 'b']) await store.putSharedEffect(shareOf({ effectKey: keyOf(digit) }));
    await store.putSharedEffect(shareOf({ part: 1 }));
    const keys = (rows: readonly SharedEffect[]): readonly string[] =>
      rows.map(({ effectKey }) => effectKey.slice(0, 1));
    assert.deepEqual(keys(await store.sharedEffects(0, null, 2)), ['a', 'b']);
    assert.deepEqual(keys(await store.sharedEffects(0, keyOf('b'), 2)), ['c']);
  });
}
