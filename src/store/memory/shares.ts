import type { EffectKey } from '../../model/ids.ts';
import type { SharedEffect } from '../../model/shared-effect.ts';
import { inOrder, rowOf } from './row.ts';
import { keyOf, type Statement } from './tables.ts';

/** An act that runs share. */
export function sharedEffect({ shares }: Statement, part: number, effectKey: EffectKey): SharedEffect | null {
  return shares.get(keyOf(part, effectKey)) ?? null;
}

/** Writes a row over the version before it. @returns false where that is not there. */
export function putSharedEffect({ shares }: Statement, row: SharedEffect): boolean {
  const key = keyOf(row.part, row.effectKey);
  if ((shares.get(key)?.version ?? 0) !== row.version - 1) return false;
  shares.set(key, rowOf(row));
  return true;
}

/** Shared acts of a part, by key. */
export function sharedEffects(
  { shares }: Statement,
  part: number,
  after: EffectKey | null,
  limit: number,
): readonly SharedEffect[] {
  const mine = [...shares.values()].filter((row) => row.part === part && (after === null || row.effectKey > after));
  return inOrder(mine, (row) => [row.effectKey]).slice(0, limit);
}
