import { isShared } from '../decision/share-effect.ts';
import type { Effect } from '../model/effect.ts';
import type { EffectKey, RunId } from '../model/ids.ts';
import { sharePart } from '../model/shared-effect.ts';
import type { RunStatus } from '../model/statuses.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Store } from '../ports/store.ts';

/** Who carries out, or undoes, an act that a run shares, and how many runs wait for it. */
export interface ShareStanding {
  readonly owner: RunId | null;
  /** null = the owner is gone, or there is none. */
  readonly status: RunStatus | null;
  readonly isUndone: boolean;
  readonly waiting: number;
}

/** Where shared acts stand, by key. */
export type ShareStandings = ReadonlyMap<EffectKey, ShareStanding>;

/** Where the acts stand that a ledger shares with other runs. Transaction: none, a read or two each. */
export async function shareStandings(store: Store, effects: readonly Effect[]): Promise<ShareStandings> {
  const found = await Promise.all(effects.filter(isShared).map(({ key }) => standingOf(store, key)));
  return new Map(found.flat());
}

async function standingOf(store: Store, key: EffectKey): Promise<readonly (readonly [EffectKey, ShareStanding])[]> {
  const row = await store.sharedEffect(sharePart(key, store.parts), key);
  if (row === null) return [];
  const { owner, state, users } = row;
  const [head] = owner === null ? [] : await store.heads(partOf(owner, store.parts), [owner]);
  const waiting = users.filter(({ word }) => word === null).length;
  return [[key, { owner, status: head?.status ?? null, isUndone: state === 'undoing', waiting }]];
}
