import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import { isDone, isOpen } from './effect-lifecycle.ts';
import { Ledger } from './ledger.ts';
import type { UndoOrder } from './undo-order.ts';

/** The next acts of a plan in which several undos may be under way. */
export interface NextAtOnce {
  /** Rows that may be authorized now. */
  readonly authorize: readonly EffectKey[];
  /** Rows that were refused for good: a person retries, marks undone or waives (R16, R17). */
  readonly held: readonly EffectKey[];
  readonly isDone: boolean;
}

/**
 * Walks a plan whose undos need not come one after the other (R07): a row may go once all that must come before it is
 * confirmed, wherever in the plan that stands. Under `hold` a refused row stops all that is not requested yet (R16); under `continue` only what must come
 * after it, and what is left is held at the end (R17).
 * @param keys the plan's keys, the last receipt first.
 */
export function nextAtOnce(
  keys: readonly EffectKey[],
  effects: ReadonlyMap<EffectKey, Effect>,
  rules: { readonly order: UndoOrder; readonly onFailure: (effect: Effect) => 'hold' | 'continue' },
): NextAtOnce {
  const rows = Ledger.of(effects).planned(keys);
  const refused = rows.filter((row) => !isOpen(row.state) && !isDone(row));
  const held = refused.map(({ key }) => key);
  if (refused.some((row) => rules.onFailure(row) === 'hold')) return { authorize: [], held, isDone: false };
  const authorize: EffectKey[] = [];
  const isFree = (row: Effect, place: number): boolean =>
    rows.every((other, at) => {
      if (other === row || isDone(other)) return true;
      const isUnderWay = (isOpen(other.state) && other.state !== 'PROPOSED') || authorize.includes(other.key);
      if (isUnderWay && rules.order.excludes(other.step, row.step)) return false;
      if (at > place) return !rules.order.awaits(row.step, other.step);
      if (!rules.order.precedes(other.step, row.step)) return true;
      // In a reverse order the rest goes on past what was refused, as it does where all is reverse.
      return refused.includes(other) && rules.order.excludes(other.step, row.step);
    });
  for (const [place, row] of rows.entries())
    if (row.state === 'PROPOSED' && isFree(row, place)) authorize.push(row.key);
  const isMoving = authorize.length > 0 || rows.some((row) => isOpen(row.state) && row.state !== 'PROPOSED');
  const proposed = rows.filter((row) => row.state === 'PROPOSED');
  const stuck = isMoving || held.length > 0 ? undefined : firstInCircle(proposed, rules.order);
  if (stuck !== undefined) authorize.push(stuck.key);
  return { authorize, held: isMoving ? [] : held, isDone: rows.every(isDone) };
}

/** Undos that wait for each other begin with what was done last of them; what waits for one of them keeps its place behind it. */
function firstInCircle(rows: readonly Effect[], order: UndoOrder): Effect | undefined {
  const waitedFor = (row: Effect): readonly Effect[] =>
    rows.filter((other, at) =>
      at > rows.indexOf(row) ? order.awaits(row.step, other.step) : order.precedes(other.step, row.step),
    );
  return rows.find((row) => {
    const seen = new Set(waitedFor(row).filter((other) => other !== row));
    // A set that grows while it is walked is walked to its end.
    for (const at of seen) for (const other of waitedFor(at)) if (other !== at) seen.add(other);
    return seen.has(row);
  });
}
