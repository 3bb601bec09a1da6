import type { App } from '../../app/create-app.ts';
import type { BookEntry } from '../provider/book.ts';

type Shown = Awaited<ReturnType<App['show']>>;
type ShownEffect = Pick<
  Shown['effects'][number],
  'key' | 'step' | 'action' | 'state' | 'attempt' | 'receiptNo' | 'compensates' | 'externalId' | 'resends' | 'queries'
>;

/** What is looked at of a run, as `show` and the API give it. */
export interface RunView extends Pick<Shown, 'id' | 'key' | 'status'> {
  readonly effects: readonly ShownEffect[];
  readonly approvals: readonly Pick<Shown['approvals'][number], 'step' | 'state' | 'title' | 'from' | 'subjectHash'>[];
  readonly waitingFor: readonly Pick<Shown['waitingFor'][number], 'kind'>[];
}

/** One effect beside what the provider's book says of it. */
export interface ComparedEffect {
  readonly run: string;
  readonly runKey: string;
  readonly step: string;
  readonly action: string;
  readonly state: string;
  readonly attempts: number;
  readonly receiptNo: number | null;
  readonly compensates: boolean;
  readonly key: string;
  /** How often it really happened. */
  readonly happened: number;
  /** CONFIRMED and once, or settled otherwise and never. */
  readonly isEqual: boolean;
}

/** The ledger and the book side by side. */
export interface Comparison {
  readonly rows: readonly ComparedEffect[];
  /** Happenings that no ledger row accounts for. */
  readonly strangers: readonly BookEntry[];
  readonly isEqual: boolean;
}

const NEVER_HAPPENED = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);

/** Compares every effect of the runs with the book: the book, never our own tables, says what happened. */
export function compareBook(runs: readonly RunView[], book: readonly BookEntry[]): Comparison {
  const happened = new Map<string, number>();
  for (const entry of book) {
    const name = entry.effect ?? entry.key ?? '';
    happened.set(name, (happened.get(name) ?? 0) + 1);
  }
  const rows = runs.flatMap((run) => run.effects.map((effect) => compare(run, effect, happened.get(effect.key) ?? 0)));
  const known = new Set(rows.map((row) => row.key));
  const strangers = book.filter((entry) => !known.has(entry.effect ?? entry.key ?? ''));
  return { rows, strangers, isEqual: strangers.length === 0 && rows.every((row) => row.isEqual) };
}

function compare(run: RunView, effect: RunView['effects'][number], happened: number): ComparedEffect {
  const { step, action, state, key, receiptNo } = effect;
  const isEqual = state === 'CONFIRMED' ? happened === 1 : NEVER_HAPPENED.has(state) && happened === 0;
  return {
    run: run.id,
    runKey: run.key,
    step,
    action,
    state,
    attempts: effect.attempt,
    receiptNo,
    compensates: effect.compensates !== null,
    key,
    happened,
    isEqual,
  };
}
