import { verifyStore } from '../../engine/verify-store.ts';
import { isEnd } from '../../model/statuses.ts';
import type { RunView } from '../demo/compare-book.ts';
import type { BookEntry } from '../provider/book.ts';
import type { ChaosHouse } from './chaos-house.ts';
import { classOf } from './chaos-workflows.ts';
import type { Figures } from './figures.ts';

type EffectView = RunView['effects'][number];

const NEVER_HAPPENED = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);

/** What is wrong with an effect, held against the book; null = nothing. */
function faultOf({ action, state }: EffectView, times: number): string | null {
  if (times > 1 && classOf(action) !== 'natural') return `it happened ${times} times`;
  if (state === 'CONFIRMED') return times === 0 ? 'the ledger says CONFIRMED, the book has nothing' : null;
  if (NEVER_HAPPENED.has(state)) return times > 0 ? `the ledger says ${state}, the book has it` : null;
  return null;
}

function countEffect({ action, state, resends, queries, observedBy }: EffectView, figures: Figures): void {
  if (state !== 'CONFIRMED' && !NEVER_HAPPENED.has(state)) return;
  figures.add(`effects ${classOf(action)}`);
  if (observedBy === 'person') figures.add('UNKNOWN settled by person');
  else if (observedBy === 'query') figures.add('UNKNOWN settled by query');
  else if (resends > 0 && queries === 0) figures.add('UNKNOWN settled by key');
}

function judgeEffects(
  run: RunView,
  book: ReadonlyMap<string, readonly BookEntry[]>,
  figures: Figures,
): readonly string[] {
  const found: string[] = [];
  for (const effect of run.effects) {
    countEffect(effect, figures);
    const fault = faultOf(effect, book.get(effect.key)?.length ?? 0);
    if (fault !== null) found.push(`${run.id} ${effect.step} (${classOf(effect.action)}): ${fault}`);
    const isOpen = ['AUTHORIZED', 'REQUESTED', 'UNKNOWN'].includes(effect.state);
    if (isEnd(run.status) && isOpen) found.push(`${run.id} is ${run.status} and ${effect.step} is ${effect.state}`);
  }
  return found;
}

function judgeEnd({ id, status, incidents, effects }: RunView): readonly string[] {
  if (!isEnd(status) && (status !== 'HELD' || incidents.length === 0))
    return [`${id} is ${status}: it neither ended nor names a review`];
  if (status !== 'COMPENSATED') return [];
  const undone = new Set(effects.filter(({ state }) => state === 'CONFIRMED').map(({ compensates }) => compensates));
  return effects
    .filter(({ compensates }) => compensates !== null && !undone.has(compensates))
    .map(({ step, state }) => `${id} is COMPENSATED and the undo of ${step} is ${state}`);
}

/**
 * Holds every ledger against the books, and every stored row against the invariants.
 * @returns what is wrong, in words; nothing = all promises held.
 */
export async function judge(house: ChaosHouse, runs: readonly RunView[], figures: Figures): Promise<readonly string[]> {
  const book = house.book();
  const found = runs.flatMap((run) => [...judgeEnd(run), ...judgeEffects(run, book, figures)]);
  const known = new Set(runs.flatMap((run) => run.effects.map(({ key }) => key)));
  for (const key of book.keys()) if (!known.has(key)) found.push(`in the book only: ${key}`);
  let receipts = 0;
  for (const { id } of runs) {
    const verified = await house.app.verify(id);
    receipts += verified.receipts.length;
    for (const fault of verified.faults) found.push(`${id}: ${JSON.stringify(fault)}`);
  }
  const { faults } = await verifyStore(house.app.engine.store);
  for (const fault of faults) found.push(`invariant: ${JSON.stringify(fault)}`);
  if (receipts === 0) found.push('there is no receipt at all');
  return [...found, ...figures.bugs];
}
