import { verifyReceipts } from '../../decision/receipt.ts';
import type { Effect } from '../../model/effect.ts';
import type { Transition } from '../../model/run-commit.ts';
import type { EffectState } from '../../model/statuses.ts';
import { isEnd } from '../../model/statuses.ts';
import type { Store, StoredRun } from '../../ports/store.ts';
import type { ActionClass } from './action-classes.ts';
import type { SimulatedProvider } from './simulated-provider.ts';

/** A promise that did not hold: what, and where. */
export interface Violation {
  readonly rule: string;
  readonly runId: string | null;
  readonly subject: string;
  readonly message: string;
}

/** What a run's ledger is held against. */
export interface Evidence {
  readonly provider: SimulatedProvider;
  readonly store: Store;
  kindOf(action: string): ActionClass;
}

/** States in which an effect has happened, and in which it has not; the others are open. */
const DONE: ReadonlySet<EffectState> = new Set(['CONFIRMED']);
const NOT_DONE: ReadonlySet<EffectState> = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);
const NEVER_SENT: ReadonlySet<EffectState> = new Set(['PROPOSED']);

/** Whether a person has been told that the ledger may be wrong about this row. */
function isDisputed(stored: StoredRun, effect: Effect): boolean {
  return stored.snapshot.includes(`late-proof:${effect.key}`);
}

function judgeEffect(stored: StoredRun, effect: Effect, evidence: Evidence): readonly Violation[] {
  const { runId } = stored.run;
  const found: Violation[] = [];
  const say = (rule: string, message: string): void => {
    found.push({ rule, runId, subject: `${effect.step} ${effect.key.slice(0, 8)}`, message });
  };
  const kind = evidence.kindOf(effect.action);
  const times = evidence.provider.entriesOf(effect.key).length;
  if (times > 1 && kind !== 'natural') say('twice', `it happened ${times} times (${kind})`);
  if (DONE.has(effect.state) && times === 0) say('lost', `the ledger says CONFIRMED, the book has nothing (${kind})`);
  if (NOT_DONE.has(effect.state) && times > 0 && !isDisputed(stored, effect))
    say('denied', `the ledger says ${effect.state}, the book says that it happened (${kind})`);
  if (NEVER_SENT.has(effect.state) && times > 0) say('unasked', `it happened while ${effect.state} (${kind})`);
  return found;
}

/** A run that ended with an undo owes one to every confirmed effect that has one. */
function judgeUndo(stored: StoredRun): readonly Violation[] {
  const { status, effects, run } = stored;
  if (status !== 'COMPENSATED') return [];
  const undone = new Set(effects.filter((row) => row.state === 'CONFIRMED').map((row) => row.compensates));
  return effects
    .filter((row) => row.compensates !== null && !undone.has(row.compensates))
    .map((row) => ({
      rule: 'undone',
      runId: run.runId,
      subject: row.step,
      message: `the run is COMPENSATED and this undo is ${row.state}`,
    }));
}

function judgeEnd(stored: StoredRun): readonly Violation[] {
  // Whoever terminates a run waits for nothing: what is in doubt then stays so, and is listed.
  if (!isEnd(stored.status) || stored.status === 'TERMINATED') return [];
  const open = stored.effects.filter((effect) => ['AUTHORIZED', 'REQUESTED', 'UNKNOWN'].includes(effect.state));
  return open.map((effect) => ({
    rule: 'open at the end',
    runId: stored.run.runId,
    subject: effect.step,
    message: `the run is ${stored.status} and this effect is ${effect.state}`,
  }));
}

/** What a sender sent once moves the run once, however often it came (V02). */
function judgeEvents(stored: StoredRun, journal: readonly Transition[]): readonly Violation[] {
  const moved = journal.filter(({ event }) => event.type === 'signal').map(({ event }) => event.id);
  return moved
    .filter((id, at) => moved.indexOf(id) !== at)
    .map((id) => ({
      rule: 'event',
      runId: stored.run.runId,
      subject: id,
      message: 'one event has moved the run twice',
    }));
}

/** Holds one run against the provider's book and its own proofs. */
export async function judgeRun(stored: StoredRun, evidence: Evidence): Promise<readonly Violation[]> {
  const { run, effects } = stored;
  const receipts = await evidence.store.receipts(run.part, run.runId);
  const faults = verifyReceipts({ runId: run.runId, receipts, effects });
  const journal = await evidence.store.journal(run.part, run.runId);
  const gap = journal.findIndex((row, at) => row.revision !== at + 1);
  return [
    ...effects.flatMap((effect) => judgeEffect(stored, effect, evidence)),
    ...judgeUndo(stored),
    ...judgeEnd(stored),
    ...judgeEvents(stored, journal),
    ...faults.map(({ receiptNo, effectKey, fault }) => ({
      rule: 'receipt',
      runId: run.runId,
      subject: `${receiptNo ?? '-'} ${effectKey.slice(0, 8)}`,
      message: fault,
    })),
    ...(gap === -1
      ? []
      : [{ rule: 'journal', runId: run.runId, subject: `row ${gap + 1}`, message: 'the journal has a gap' }]),
  ];
}

/** Things that happened and that no ledger knows of. */
export function judgeBook(runs: readonly StoredRun[], provider: SimulatedProvider): readonly Violation[] {
  const known = new Set(runs.flatMap((stored) => stored.effects.map((effect): string => effect.key)));
  return provider.book.entries
    .filter((entry) => entry.effect === null || !known.has(entry.effect))
    .map((entry) => ({
      rule: 'unknown',
      runId: null,
      subject: entry.id,
      message: `it happened under ${entry.effect ?? 'no key'}, which no ledger has`,
    }));
}
