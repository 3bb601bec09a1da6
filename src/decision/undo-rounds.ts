import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import { nextAtOnce } from './next-at-once.ts';
import type { UndoOrder } from './undo-order.ts';

/** Rounds of longer plans are not told: each is found by a walk over what is left. */
const ROUNDED_MAX = 1_000;

/**
 * In which round each undo of a plan is requested, from 1: those of one round go side by side, once those of the rounds before are
 * confirmed (R01, R07). What was refused has none, nor what must come after it; empty where a plan that is not in reverse order is
 * longer than 1,000 undos.
 * @param rows the plan's rows, in its order.
 */
export function undoRounds(rows: readonly Effect[], order: UndoOrder): ReadonlyMap<EffectKey, number> {
  if (order.isReverse) return new Map(rows.map(({ key }, index) => [key, index + 1]));
  const rounds = new Map<EffectKey, number>();
  if (rows.length > ROUNDED_MAX) return rounds;
  const keys = rows.map(({ key }) => key);
  const ledger = new Map(rows.map((row) => [row.key, row]));
  for (let round = 1; ; round += 1) {
    const { authorize } = nextAtOnce(keys, ledger, { order, onFailure: () => 'continue' });
    for (const key of authorize) rounds.set(key, round);
    for (const row of rows) if (rounds.get(row.key) === round) ledger.set(row.key, { ...row, state: 'CONFIRMED' });
    if (authorize.length === 0) return rounds;
  }
}
