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

/** What of one step is left to undo in a plan: an order knows rows by their steps alone, so that a map of thousands is a few of these. */
interface StepLeft {
  readonly step: Effect['step'];
  /** Places of the first and the last row that is not done. */
  readonly first: number;
  last: number;
  /** The same of rows that are not refused for good. */
  firstSound: number;
  isUnderWay: boolean;
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
  const refused = rows.filter(isRefused);
  const held = refused.map(({ key }) => key);
  if (refused.some((row) => rules.onFailure(row) === 'hold')) return { authorize: [], held, isDone: false };
  const left = leftOf(rows);
  const authorize: EffectKey[] = [];
  for (const [place, row] of rows.entries()) {
    if (row.state !== 'PROPOSED' || isBlocked(left, { step: row.step, place }, rules.order)) continue;
    authorize.push(row.key);
    for (const one of left) if (one.step === row.step) one.isUnderWay = true;
  }
  const isMoving = left.some(({ isUnderWay }) => isUnderWay);
  const proposed = rows.filter((row) => row.state === 'PROPOSED');
  const stuck = isMoving || held.length > 0 ? undefined : firstInCircle(proposed, rules.order);
  if (stuck !== undefined) authorize.push(stuck.key);
  return { authorize, held: isMoving ? [] : held, isDone: rows.every(isDone) };
}

function isRefused(row: Effect): boolean {
  return !isOpen(row.state) && !isDone(row);
}

function leftOf(rows: readonly Effect[]): readonly StepLeft[] {
  const left = new Map<string, StepLeft>();
  for (const [place, row] of rows.entries()) {
    if (isDone(row)) continue;
    const known = left.get(row.step);
    const one = known ?? { step: row.step, first: place, last: place, firstSound: Infinity, isUnderWay: false };
    left.set(row.step, one);
    one.last = place;
    if (!isRefused(row)) one.firstSound = Math.min(one.firstSound, place);
    if (isOpen(row.state) && row.state !== 'PROPOSED') one.isUnderWay = true;
  }
  return [...left.values()];
}

/** Whether something must come before the undo of a row, or may not be under way beside it. */
function isBlocked(
  left: readonly StepLeft[],
  { step, place }: { readonly step: Effect['step']; readonly place: number },
  order: UndoOrder,
): boolean {
  return left.some((other) => {
    const excludes = order.excludes(other.step, step);
    if (other.isUnderWay && excludes) return true;
    if (other.last > place && order.awaits(step, other.step)) return true;
    // In a reverse order the rest goes on past what was refused, as it does where all is reverse.
    return (excludes ? other.firstSound : other.first) < place && order.precedes(other.step, step);
  });
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
