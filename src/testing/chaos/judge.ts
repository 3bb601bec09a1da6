import { isEnd } from '../../model/statuses.ts';
import type { RunView } from '../../engine/run-view.ts';
import type { BookEntry } from '../provider/book.ts';
import type { ChaosHouse } from './chaos-house.ts';
import { classOf } from './chaos-workflows.ts';
import type { Figures } from './figures.ts';

type EffectView = RunView['effects'][number];
type Book = ReadonlyMap<string, readonly BookEntry[]>;

/** What came of it. */
export interface Judgement {
  /** What is wrong, in words; nothing = all promises held. */
  readonly faults: readonly string[];
  /** For each kind of provider, what its effects are in the ledger and how often they are in the book. */
  readonly table: readonly string[];
}

const NEVER_HAPPENED = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);
const OPEN = new Set(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN']);

/** What is wrong with an effect, held against the book; null = nothing. */
function faultOf({ action, state }: EffectView, times: number): string | null {
  if (times > 1 && classOf(action) !== 'natural') return `it happened ${times} times`;
  if (state === 'CONFIRMED') return times === 0 ? 'the ledger says CONFIRMED, the book has nothing' : null;
  if (NEVER_HAPPENED.has(state)) return times > 0 ? `the ledger says ${state}, the book has it` : null;
  return null;
}

/** Counts effects by kind, and those in doubt by who settled them. */
export function countEffects(runs: readonly RunView[], figures: Figures): void {
  for (const { action, state, resends, queries, observedBy } of runs.flatMap(({ effects }) => effects)) {
    if (state !== 'CONFIRMED' && !NEVER_HAPPENED.has(state)) continue;
    figures.add(`effects ${classOf(action)}`);
    if (observedBy === 'person') figures.add('UNKNOWN settled by person');
    else if (observedBy === 'query') figures.add('UNKNOWN settled by query');
    else if (resends > 0 && queries === 0) figures.add('UNKNOWN settled by key');
  }
}

function judgeEffects(run: RunView, book: Book): readonly string[] {
  const found: string[] = [];
  for (const effect of run.effects) {
    const fault = faultOf(effect, book.get(effect.key)?.length ?? 0);
    if (fault !== null) found.push(`${run.id} ${effect.step} (${classOf(effect.action)}): ${fault}`);
    if (isEnd(run.status) && OPEN.has(effect.state))
      found.push(`${run.id} is ${run.status} and ${effect.step} is ${effect.state}`);
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

/** `key         CONFIRMED and once in the book: 12; ABSENT and never in the book: 1`. */
function tableOf(runs: readonly RunView[], book: Book): readonly string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { action, key, state, observedBy } of runs.flatMap(({ effects }) => effects)) {
    const times = book.get(key)?.length ?? 0;
    const said = observedBy === 'person' ? ' by a person' : '';
    const row = counts.get(classOf(action)) ?? new Map<string, number>();
    const cell = `${state}${said}, ${times} in the book`;
    counts.set(classOf(action), row.set(cell, (row.get(cell) ?? 0) + 1));
  }
  return [...counts].map(([kind, row]) => {
    const cells = [...row].sort(([, a], [, b]) => b - a).map(([cell, count]) => `${count} ${cell}`);
    return `${kind.padEnd(10)}  ${cells.join('; ')}`;
  });
}

/** Holds every ledger against the books, and every stored row against the invariants. */
export async function judge(
  house: Pick<ChaosHouse, 'app' | 'book'>,
  runs: readonly RunView[],
  figures: Figures,
): Promise<Judgement> {
  const book = house.book();
  countEffects(runs, figures);
  const faults = runs.flatMap((run) => [...judgeEnd(run), ...judgeEffects(run, book)]);
  const known = new Set(runs.flatMap((run) => run.effects.map(({ key }) => key)));
  for (const key of book.keys()) if (!known.has(key)) faults.push(`in the book only: ${key}`);
  const { faults: broken, checked } = await house.app.verifyStore();
  for (const fault of broken) faults.push(`invariant: ${JSON.stringify(fault)}`);
  if (checked.runs !== runs.length) faults.push(`${runs.length} runs were started, ${checked.runs} are stored`);
  if (checked.receipts === 0) faults.push('there is no receipt at all');
  return { faults: [...faults, ...figures.bugs], table: tableOf(runs, book) };
}
