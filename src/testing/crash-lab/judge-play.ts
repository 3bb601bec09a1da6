import { type EffectState, isEnd } from '../../model/statuses.ts';
import { MENDS } from './mends.ts';
import type { Played } from './play.ts';
import type { PlayedRow } from './play-records.ts';

/** What must never be: it happened twice, for no reason, is lost to ledger or world, nobody is told, or Pawl itself broke. */
export type FaultKind = 'double' | 'stray' | 'loss' | 'silent' | 'bug';

/** One thing that a play has shown to be wrong. */
export interface Fault {
  readonly kind: FaultKind;
  /** The effect; null = the run. */
  readonly label: string | null;
  readonly message: string;
  /** How to mend it; null = as what was done to it says, or every fault of its kind. */
  readonly mend: string | null;
}

const NOT_DONE: ReadonlySet<EffectState> = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);
const OPEN: ReadonlySet<EffectState> = new Set(['AUTHORIZED', 'REQUESTED', 'UNKNOWN']);
/** Ends after which nothing that can be undone may stand. */
const UNDONE_ENDS: ReadonlySet<string> = new Set(['COMPENSATED', 'CANCELLED', 'FAILED']);
/** Kinds of waiting that end by somebody who is told, or by time. */
const NAMED_WAITS: ReadonlySet<string> = new Set(['approval', 'event', 'person', 'timer']);

/** Kinds of waiting in which the run does again by itself what it has done. */
const GOING_ON: ReadonlySet<string> = new Set(['query', 'resend', 'retry']);

function timesOf(played: Played, label: string): number {
  return played.happened.get(label) ?? 0;
}

/** Why the ledger says that it happened. */
function whyConfirmed(played: Played, label: string): { readonly text: string; readonly mend: string | null } {
  const shown = played.shown.get(label);
  if (shown === undefined) return { text: '', mend: null };
  if (shown === 'another') return { text: ': its lookup took what another effect did for its own', mend: MENDS.shared };
  if (shown === 'empty') return { text: ': its lookup took a 200 with nothing in it for done', mend: MENDS.empty };
  if (shown === 'asked') return { text: '', mend: MENDS.asks };
  if (shown === 'key') return { text: ': it was answered with what another effect did under its key', mend: MENDS.key };
  return { text: `: its lookup took a row that says "${String(shown.value)}" for done`, mend: MENDS.row };
}

function judgeRow(played: Played, row: PlayedRow): readonly Fault[] {
  const { label, state } = row;
  const times = timesOf(played, label);
  const found: Fault[] = [];
  const say = (kind: FaultKind, message: string): void => {
    found.push({ kind, label, message, mend: null });
  };
  if (state === 'CONFIRMED' && times === 0) {
    const { text, mend } = whyConfirmed(played, label);
    found.push({ kind: 'loss', label, mend, message: `the ledger says CONFIRMED, and it never happened${text}` });
  }
  if (NOT_DONE.has(state) && times > 0 && !row.isDisputed)
    say('loss', `the ledger says ${state}, and it happened: nobody knows, nobody undoes it`);
  if (OPEN.has(state) && isEnd(played.status)) say('silent', `the run is ${played.status}, and this is still ${state}`);
  return found;
}

/** What stands although the run says that it is undone, and what is undone although it never stood. */
function judgeUndo(played: Played, row: PlayedRow): readonly Fault[] {
  if (!row.isUndo) return [];
  const { label, state } = row;
  const forward = label.slice('undo '.length);
  const stands = timesOf(played, forward) > 0 && timesOf(played, label) === 0;
  if (UNDONE_ENDS.has(played.status) && stands && state !== 'WAIVED')
    return [{ kind: 'loss', label, message: `the run is ${played.status}, and ${forward} still stands`, mend: null }];
  if (timesOf(played, label) > 0 && timesOf(played, forward) === 0)
    return [{ kind: 'loss', label, message: `${forward} never happened, and it was undone`, mend: null }];
  if (timesOf(played, label) > 0 && (played.lastAt.get(forward) ?? 0) > (played.lastAt.get(label) ?? 0))
    return [{ kind: 'loss', label, message: `${forward} was done after it, and stands`, mend: MENDS.early }];
  return [];
}

/** A yes that the action's own rules cannot read leaves every effect in doubt for good. */
export function misreadYes(label: string, why: string): Fault {
  const message = `it happened, and its yes stays in doubt for good: ${why}`;
  return { kind: 'loss', label, message, mend: MENDS.misread };
}

function judgeStop(played: Played): readonly Fault[] {
  const { status, incidents, waitsFor, isUnderWay } = played;
  if (isEnd(status)) return [];
  if (status === 'HELD' && incidents.length > 0) return [];
  if (waitsFor.some((kind) => NAMED_WAITS.has(kind))) return [];
  // It goes on by itself: questions end by `giveUp`, which may be a day of one a second; what is retried for ever is meant to be.
  if (isUnderWay && waitsFor.some((kind) => GOING_ON.has(kind))) return [];
  const waits = waitsFor.length === 0 ? 'nothing' : waitsFor.join(', ');
  return [
    { kind: 'silent', label: null, message: `the run is ${status}, has not ended and waits for ${waits}`, mend: null },
  ];
}

/**
 * Holds what is stored against what happened.
 * @param calm the same without trouble: how often a read is asked, which has no row.
 */
export function judgePlay(played: Played, calm: Played): readonly Fault[] {
  const doubles = [...played.happened].filter(([label, times]) => times > Math.max(1, timesOf(calm, label)));
  const latest = new Map(played.rows.map((row) => [row.label, row]));
  return [
    ...doubles.map(
      ([label, times]): Fault => ({
        kind: 'double',
        label,
        message: `it happened ${times} times`,
        mend: played.shown.get(label) === 'asked' ? MENDS.asks : null,
      }),
    ),
    ...[...latest.values()].flatMap((row) => [...judgeRow(played, row), ...judgeUndo(played, row)]),
    ...judgeStop(played),
    ...played.bugs.map((message): Fault => ({ kind: 'bug', label: null, message, mend: null })),
  ];
}
