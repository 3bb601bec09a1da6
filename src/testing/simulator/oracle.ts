import { FORGOTTEN } from '../../decision/judge-outcome.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Effect } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import type { Transition } from '../../model/run-commit.ts';
import { type EffectState, isEnd } from '../../model/statuses.ts';
import type { Store, StoredEvent, StoredRun } from '../../ports/store.ts';
import type { ActionClass } from './action-classes.ts';
import type { DatabaseHost } from './database-host.ts';
import type { Hearsay } from './hearsay.ts';
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
  /** What processes have heard of it. */
  readonly hearsay: Hearsay;
  readonly host: DatabaseHost;
  /** Effects of which a person has said what is not true. */
  readonly misjudged: ReadonlySet<string>;
  kindOf(action: string): ActionClass;
  /** All runs: of an act that they share each has a row. */
  readonly all: readonly StoredRun[];
}

/** States in which an effect has happened, and in which it has not; the others are open. */
const DONE: ReadonlySet<EffectState> = new Set(['CONFIRMED']);
const NOT_DONE: ReadonlySet<EffectState> = new Set(['FAILED', 'ABSENT', 'REFUSED', 'CANCELLED']);
const NEVER_SENT: ReadonlySet<EffectState> = new Set(['PROPOSED']);

/** What is held against one run. */
type RunEvidence = Evidence & {
  /** Effects of a run without its state of which has been filed that they happened: nobody is told, as nothing of it can be undone. */
  readonly filedLate: ReadonlySet<string>;
};

/** Whether a person has been told that the ledger may be wrong about this row, or it is filed where nobody is. */
function isDisputed(stored: StoredRun, effect: Effect, { filedLate }: Pick<RunEvidence, 'filedLate'>): boolean {
  if (stored.prunedAtMs !== null) return filedLate.has(effect.key);
  const { incidents } = unpackSnapshot(stored.snapshot, stored.run.digest).control;
  return incidents.some(({ kind, effectKey }) => kind === 'late-proof' && effectKey === effect.key);
}

/**
 * Whether recovery mode held a row back when the proof came: that word puts it in doubt, and a person is asked, who sees what it
 * says (docs/decisions/0023). A proof of what was in doubt before would have settled it.
 */
function isDoubtedBy(
  stored: StoredRun,
  { key, state, code, unknownSinceMs }: Effect,
  inbox: readonly StoredEvent[],
): boolean {
  if (state !== 'UNKNOWN' || code !== FORGOTTEN || unknownSinceMs === null) return false;
  const { incidents } = unpackSnapshot(stored.snapshot, stored.run.digest).control;
  const isAsked = incidents.some(({ kind, effectKey }) => kind === 'unknown' && effectKey === key);
  const proofs = inbox.filter(({ payload }) => payload?.type === 'proof' && payload.effectKey === key);
  return isAsked && proofs.length > 0 && proofs.every(({ receivedAtMs }) => receivedAtMs <= unknownSinceMs);
}

/** The keys under which it may have happened: an undo that a person calls done was done under an earlier try. */
function tries({ all }: Evidence, { key, compensates }: Effect): readonly string[] {
  if (compensates === null) return [key];
  return all.flatMap(({ effects }) => effects.filter((row) => row.compensates === compensates).map((row) => row.key));
}

function hasHappened(effect: Effect, evidence: Evidence): boolean {
  return tries(evidence, effect).some((key) => evidence.provider.entriesOf(key).length > 0);
}

/**
 * Whether everything under its key is what a run has asked for that is lost: runs share the act, and this one asked in other
 * words. The provider knows the key by the words of the other and has refused these, which have not happened (E11).
 */
function isOthers({ key, request }: Effect, { provider, host }: Evidence): boolean {
  if (!host.hasLost(key)) return false;
  const asked = canonicalJson((JSON.parse(request) as { readonly body: Json }).body);
  return provider.entriesOf(key).every((entry) => canonicalJson(entry.request) !== asked);
}

/**
 * Whom a person has misled, and who has lost what was written, can only be right about what it has heard itself. A run that
 * was started again and stopped before it sent anything has heard nothing; what it was answered it must have got right.
 */
function isExcused(stored: StoredRun, effect: Effect, evidence: RunEvidence): boolean {
  const { misjudged, host } = evidence;
  const isMisled = misjudged.has(effect.key) || host.forgotten(stored.run.runId, effect.key) !== null;
  const isStartedAgain = effect.state === 'CANCELLED' && host.hasLost(effect.key);
  return isMisled || isStartedAgain || isOthers(effect, evidence) || isDisputed(stored, effect, evidence);
}

/** Whether a row says that it has not happened, and has no excuse for that. */
function denies(stored: StoredRun, effect: Effect, evidence: RunEvidence): boolean {
  return NOT_DONE.has(effect.state) && !isExcused(stored, effect, evidence);
}

/** Whether its row is older than what a database has lost: it is in doubt as soon as its turn comes, which a run that still waits has not reached. */
function isAhead({ run, status }: StoredRun, { key }: Effect, { host }: Evidence): boolean {
  return !isEnd(status) && host.forgotten(run.runId, key) !== null;
}

/** Whether every run with a row of that act is of one mind about it. */
function areAll({ all }: Evidence, { key }: Effect, isSo: (stored: StoredRun, row: Effect) => boolean): boolean {
  return all.every((stored) => stored.effects.every((row) => row.key !== key || isSo(stored, row)));
}

function judgeEffect(stored: StoredRun, effect: Effect, evidence: RunEvidence): readonly Violation[] {
  const { runId } = stored.run;
  const found: Violation[] = [];
  const say = (rule: string, message: string): void => {
    found.push({ rule, runId, subject: `${effect.step} ${effect.key.slice(0, 8)}`, message });
  };
  const kind = evidence.kindOf(effect.action);
  const times = evidence.provider.entriesOf(effect.key).length;
  if (times > 1 && kind !== 'natural' && !evidence.misjudged.has(effect.key))
    say('twice', `it happened ${times} times (${kind})`);
  if (DONE.has(effect.state) && !hasHappened(effect, evidence))
    say('lost', `the ledger says CONFIRMED, the book has nothing (${kind})`);
  if (times > 0 && areAll(evidence, effect, (other, row) => denies(other, row, evidence)))
    say('denied', `the ledger says ${effect.state}, the book says that it happened (${kind})`);
  if (
    times > 0 &&
    areAll(evidence, effect, (other, row) => NEVER_SENT.has(row.state) && !isAhead(other, row, evidence)) &&
    !evidence.host.hasLost(effect.key)
  )
    say('unasked', `it happened while ${effect.state} (${kind})`);
  return found;
}

/**
 * What a process has heard and lived to tell is in the ledger, or a person is told that it contradicts it; and where it
 * did not write the ledger's row itself, it has filed what it heard (E08).
 */
async function judgeHearsay(stored: StoredRun, evidence: RunEvidence): Promise<readonly Violation[]> {
  const { hearsay, host, store } = evidence;
  const { runId, part } = stored.run;
  const lostAtMs = host.loss()?.atMs ?? Number.NEGATIVE_INFINITY;
  const heard = new Set(hearsay.of(runId).flatMap(({ key, atMs }) => (atMs > lostAtMs ? [key] : [])));
  const receipts = await store.receipts(part, runId);
  const inbox = await store.inbox(part, runId);
  const filed = new Set<string>([
    ...receipts.flatMap(({ effectKey, observedBy }) => (observedBy === 'person' ? [] : [effectKey])),
    ...(await store.observations(part, runId)).map(({ effectKey }) => effectKey),
    ...inbox.flatMap(({ payload }) => (payload?.type === 'proof' ? [payload.effectKey] : [])),
  ]);
  const isKnown = (row: Effect): boolean =>
    row.state === 'CONFIRMED' || isDisputed(stored, row, evidence) || isDoubtedBy(stored, row, inbox);
  return stored.effects
    .filter((row) => heard.has(row.key) && !(isKnown(row) && filed.has(row.key)))
    .map((row) => ({
      rule: 'unheard',
      runId,
      subject: `${row.step} ${row.key.slice(0, 8)}`,
      message: `a process has heard that it happened, the ledger says ${row.state}, ${filed.has(row.key) ? '' : 'nothing '}filed`,
    }));
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

/** Whether it is the provider's book that knows of an effect: of a child its own run does. */
function isActed({ action }: Effect): boolean {
  return action.startsWith('do.');
}

/** Holds one run against the provider's book; what its own rows say of each other, its invariants look at. */
export async function judgeRun(stored: StoredRun, all: Evidence): Promise<readonly Violation[]> {
  const { part, runId } = stored.run;
  const journal = await all.store.journal(part, runId);
  const observations = stored.prunedAtMs === null ? [] : await all.store.observations(part, runId);
  const evidence = { ...all, filedLate: new Set<string>(observations.map(({ effectKey }) => effectKey)) };
  return [
    ...stored.effects.filter(isActed).flatMap((effect) => judgeEffect(stored, effect, evidence)),
    ...(await judgeHearsay(stored, evidence)),
    ...judgeUndo(stored),
    ...judgeEvents(stored, journal),
  ];
}

/** Things that happened and that no ledger knows of, nor one that was lost. */
export function judgeBook(
  runs: readonly StoredRun[],
  { provider, host }: Pick<Evidence, 'provider' | 'host'>,
): readonly Violation[] {
  const lost = [...(host.loss()?.before.runs.values() ?? [])].flatMap(({ effects }) => [...effects.keys()]);
  const known = new Set<string>([...runs.flatMap((stored) => stored.effects.map(({ key }) => key)), ...lost]);
  return provider.book.entries
    .filter((entry) => entry.effect === null || !known.has(entry.effect))
    .map((entry) => ({
      rule: 'unknown',
      runId: null,
      subject: entry.id,
      message: `it happened under ${entry.effect ?? 'no key'}, which no ledger has`,
    }));
}
