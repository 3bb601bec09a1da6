import { OPEN_STATES } from '../decision/effect-lifecycle.ts';
import { isWithWorkers } from '../decision/hand-out.ts';
import { CIRCUIT_OPEN, IN_RECOVERY, SECRET_MISSING } from '../decision/judge-outcome.ts';
import { type Pause, pauseOf, pauseWords, resumeCommand } from '../model/pause.ts';
import type { OutboxRecord } from '../model/outbox.ts';
import type { RunIdentity } from '../model/run.ts';
import { isEnd } from '../model/statuses.ts';
import type { Witness } from '../ports/witness-store.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { leavingOf } from './leaving.ts';
import { loadStored } from './find-run.ts';
import { childStatuses } from './child-view.ts';
import { runView, type RunView } from './run-view.ts';
import { listQueues, type QueueView } from './list-queues.ts';
import { crashWords } from './park-run.ts';
import { type QueueView as PlaceView, queueView } from './list-locks.ts';
import { messageReasons } from './message-reasons.ts';
import { shareStandings } from './share-view.ts';
import { overdueRuns } from './watch-overdue.ts';
import type { WaitingFor } from './waiting-for.ts';
import { A_WORKER, OPERATOR, type Reason, START_ONE } from './why-reason.ts';

/** Why a run is where it is: the first reason is the one to look at. */
export interface WhyView {
  readonly run: string;
  readonly key: string;
  readonly status: RunView['status'];
  readonly reasons: readonly Reason[];
}

/** All that is known of a run that may keep it from moving. */
export interface WhyFacts {
  readonly view: Pick<
    RunView,
    'id' | 'key' | 'status' | 'waitingFor' | 'effects' | 'incidents' | 'finallyFailed' | 'paused' | 'prunedAt'
  >;
  readonly holder: { readonly workerId: string; readonly leaseUntilMs: number | null } | null;
  /** Living seats in its part. */
  readonly workers: number;
  /** Taken from a dead worker, and nothing of it was committed since (P06). */
  readonly suspect: boolean;
  /** Workers that it took with it while they held nothing else (P06). */
  readonly crashes: number;
  readonly recovery: Witness['recovery'];
  /** What is paused, by the key of the effect that it keeps back. */
  readonly pauses: ReadonlyMap<string, Pause>;
  readonly overdueSinceMs: number | null;
  /** Where it stands in the queue of its lock; null where it waits for none. */
  readonly queue: PlaceView | null;
  /** Queues of remote workers; none where nothing of it waits in one. */
  readonly queues: readonly Pick<QueueView, 'queue' | 'askedAt'>[];
  /** What it has sent. */
  readonly messages: readonly OutboxRecord[];
  /** Whether this process has somebody to tell what is published. */
  readonly hasReceiver: boolean;
  readonly nowMs: number;
}

const OPEN: ReadonlySet<string> = new Set(OPEN_STATES);
const LIST_WINDOW = 'pawl db recovered';

function time(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

function inDoubt(subject: string): string {
  return `nobody knows whether ${subject} happened`;
}

/** What is waited for, and what the last attempt has met. */
function after(text: string, met: string | null): string {
  return met === null ? text : `${text}; ${met}`;
}

type Words = Readonly<Record<Exclude<WaitingFor['kind'], 'person'>, (step: string, progress: string | null) => string>>;

const WORDS: Words = {
  approval: (step, progress) => `waits for an approval of ${step}${progress === null ? '' : `: ${progress}`}`,
  event: (step, match) => `waits for an event at ${step}${match === null ? '' : ` with ${match}`}`,
  timer: (step) => `waits for its time at ${step}`,
  worker: (step) => `${step} may be sent: a worker is to take it`,
  answer: (step) => `${step} is in flight: the provider is to answer`,
  retry: (step, met) => after(`${step} is not sent again before its time`, met),
  resend: (step, met) => after(`${inDoubt(step)}: the same request goes again at its time`, met),
  query: (step, met) => after(`${inDoubt(step)}: the provider is asked at its time`, met),
  lock: (_, name) => `waits for the lock ${name}`,
  child: (step, status) => `waits for the child of ${step}${status === null ? '' : `, which is ${status}`}`,
  share: (step, status) =>
    `${step} is shared: waits for the run that carries it out${status === null ? '' : `, which is ${status}`}`,
  queue: (step, name) =>
    name === null
      ? `${step} is with a remote worker: it is to say what became of it`
      : `${step} waits for a worker of queue ${name}`,
  decision: (_, told) => `${told ?? 'an order'} is stored and not decided yet`,
};

/** What keeps a row beside its time: told by its code. */
const HELD_BACK: Readonly<Record<string, string>> = {
  [CIRCUIT_OPEN]: 'circuit',
  [SECRET_MISSING]: 'secret',
  [IN_RECOVERY]: 'recovery',
};

/** When somebody last asked a queue, for what waits there. */
function askedWords({ queues }: WhyFacts, { kind, progress }: WaitingFor): string {
  if (kind !== 'queue' || progress === null) return '';
  const askedAt = queues.find(({ queue }) => queue === progress)?.askedAt ?? null;
  return askedAt === null ? '; none has ever asked' : `; one last asked at ${askedAt}`;
}

/** Waits for an act itself: an approval says of what it is, and a child that undoes itself is still the step's. */
const SENT: ReadonlySet<string> = new Set(['worker', 'answer', 'retry', 'resend', 'query', 'queue', 'share']);

/** What is waited for: the run, a step and its item, or the undo of it. */
function subjectOf({ kind, step, item }: WaitingFor, row: WhyFacts['view']['effects'][number] | undefined): string {
  if (step === null) return 'the run';
  const at = item === undefined ? step : `${step} [${item}]`;
  return row !== undefined && row.compensates !== null && SENT.has(kind) ? `the undo of ${at}` : at;
}

/** What keeps a row beside its time; of one in doubt first that it is in doubt. */
function heldWords(waiting: WaitingFor, row: WhyFacts['view']['effects'][number] | undefined): string | null {
  const why = row?.lastError ?? null;
  return row?.state === 'UNKNOWN' ? `${inDoubt(subjectOf(waiting, row))}; ${String(why)}` : why;
}

/** A person has paused the action, its host or all of the workflow; nothing but the end of that moves it. */
function ofPausedAct(
  { pauses }: WhyFacts,
  waiting: WaitingFor,
  row: WhyFacts['view']['effects'][number] | undefined,
): Reason | null {
  const pause = row === undefined || waiting.kind === 'answer' ? undefined : pauses.get(row.key);
  if (pause === undefined) return null;
  const words = `not sent: ${pauseWords(pause)}`;
  const text = row?.state === 'UNKNOWN' ? `${inDoubt(subjectOf(waiting, row))}; ${words}` : words;
  const { step } = waiting;
  return {
    kind: 'pause',
    step,
    text,
    since: time(pause.atMs),
    until: null,
    by: OPERATOR,
    command: resumeCommand(pause),
  };
}

function ofWaiting(whole: WhyFacts, waiting: WaitingFor): readonly Reason[] {
  const { view, queue } = whole;
  const { kind, step, item, since, until, by, progress, command } = waiting;
  if (kind === 'person') return [];
  const row = view.effects.find((effect) => effect.step === step && effect.item === item && OPEN.has(effect.state));
  const heldBy = HELD_BACK[row?.code ?? ''];
  const facts = { step, since, until, by, command };
  const paused = ofPausedAct(whole, waiting, row);
  if (paused !== null) return [paused];
  if (kind === 'lock' && queue !== null) return [{ ...facts, kind, text: queue.text, by: queue.by }];
  if (heldBy !== undefined && kind !== 'answer') {
    const way = heldBy === 'recovery' ? { by: OPERATOR, command: LIST_WINDOW } : {};
    return [{ ...facts, ...way, kind: heldBy, text: heldWords(waiting, row) ?? heldBy }];
  }
  const text = `${WORDS[kind](subjectOf(waiting, row), progress)}${askedWords(whole, waiting)}`;
  return [{ ...facts, kind, text }];
}

/** Incidents with the way out that `show` offers; those of a run that is set aside are told as parked. */
function ofIncidents({ incidents, waitingFor }: WhyFacts['view']): readonly Reason[] {
  const ways = waitingFor.filter(({ kind }) => kind === 'person');
  return incidents.map(({ kind, step, message, since, from }, index) => {
    const isParked = kind === 'pin' || kind === 'poison';
    const text = isParked ? `parked (${kind}): ${message}` : message;
    const command = ways[index]?.command ?? null;
    return { kind: isParked ? 'parked' : kind, step, text, since, until: null, by: from, command };
  });
}

/** Why a suspect is held alone; the next transition clears it (P06). */
function suspicionOf(crashes: number): string {
  if (crashes === 0) return 'its last worker died: it is held alone until it has moved';
  return `${crashWords(crashes)}: it is held alone until it has moved`;
}

/** A `finally` that failed changes nothing of the end, and is told beside it. */
function ofFinally({ finallyFailed }: WhyFacts['view']): readonly Reason[] {
  if (finallyFailed === undefined) return [];
  const { code, message, step } = finallyFailed as { code: string; message: string; step: string | null };
  const text = `finally failed with ${code}: ${message}`;
  return [{ kind: 'finally', step, text, since: null, until: null, by: [], command: null }];
}

/** Whatever else it waits for, a person has stopped it. */
function ofPause({ paused, id }: WhyFacts['view']): readonly Reason[] {
  if (paused === undefined) return [];
  const text = `paused by ${paused.by}: ${paused.reason}`;
  const command = `pawl resume ${id}`;
  return [{ kind: 'paused', step: null, text, since: paused.since, until: null, by: OPERATOR, command }];
}

/** What is left of a run whose time was over. */
function prunedWords({ prunedAt }: WhyFacts['view']): string {
  return prunedAt === undefined
    ? ''
    : `; its state was pruned at ${prunedAt}: receipts, keys and acts are kept, nothing of it can be undone any more`;
}

/** What keeps the run whatever its own rows say. */
function ofHouse(facts: WhyFacts): readonly Reason[] {
  const { holder, workers, suspect, crashes, recovery, overdueSinceMs, nowMs } = facts;
  const none = { step: null, since: null, until: null, by: A_WORKER, command: null };
  const isHeld = holder !== null && holder.leaseUntilMs !== null && holder.leaseUntilMs > nowMs;
  return [
    ...(workers > 0
      ? []
      : [{ ...none, kind: 'no-worker', text: 'no worker is alive', by: OPERATOR, command: START_ONE }]),
    ...(overdueSinceMs === null
      ? []
      : [{ ...none, kind: 'overdue', text: 'it should have moved and nobody holds it', since: time(overdueSinceMs) }]),
    ...(recovery === null
      ? []
      : [
          {
            ...none,
            kind: 'recovery',
            text: 'the database is in recovery mode: only what providers remember by its key is sent',
            since: time(recovery.sinceMs),
            by: OPERATOR,
            command: LIST_WINDOW,
          },
        ]),
    ...(suspect ? [{ ...none, kind: 'suspect', text: suspicionOf(crashes) }] : []),
    ...(holder === null
      ? []
      : [
          {
            ...none,
            kind: 'lease',
            text: isHeld ? `held by ${holder.workerId}` : `held by ${holder.workerId}, which is dead: it is swept`,
            until: isHeld ? time(holder.leaseUntilMs) : null,
          },
        ]),
  ];
}

/** Kinds that say that the house, not the run's own waiting, is what to look at first. */
const FIRST: ReadonlySet<string> = new Set(['no-worker', 'overdue']);
const NEEDS_WORKER: ReadonlySet<string> = new Set([
  'worker',
  'answer',
  'resend',
  'query',
  'retry',
  'timer',
  'circuit',
  'recovery',
  'decision',
]);

/**
 * Why a run is where it is: what it waits for, since when, who can move it. Pure.
 * @returns at least one reason; the first is the one to look at.
 */
export function whyRun(facts: WhyFacts): WhyView {
  const { view } = facts;
  const { id: run, key, status } = view;
  const own = [
    ...ofPause(view),
    ...ofIncidents(view),
    ...view.waitingFor.flatMap((waiting) => ofWaiting(facts, waiting)),
  ];
  if (isEnd(status) && own.length === 0) {
    const text = `it has ended: ${status}${prunedWords(view)}`;
    const ended = { kind: 'ended', step: null, text, since: null, until: null, by: [], command: null };
    return { run, key, status, reasons: [ended, ...ofFinally(view), ...messageReasons({ ...facts, run })] };
  }
  const house = ofHouse(facts);
  const lead = own.length === 0 || own.every(({ kind }) => NEEDS_WORKER.has(kind));
  const first = lead ? house.filter(({ kind }) => FIRST.has(kind)) : [];
  const rest = house.filter((reason) => !first.includes(reason));
  const reasons = [...first, ...own, ...rest, ...messageReasons({ ...facts, run })];
  const text = 'a worker can act on it now';
  const idle = { kind: 'worker', step: null, text, since: null, until: null, by: A_WORKER, command: null };
  return { run, key, status, reasons: reasons.length > 0 ? reasons : [idle] };
}

/** What may be sent, and by which pause it is not. */
async function pausesOf({ store }: Engine, { run, effects }: StoredRun): Promise<ReadonlyMap<string, Pause>> {
  const waiting = effects.filter(({ state, doubt }) => state === 'AUTHORIZED' || doubt === 'resend');
  const pauses = waiting.length === 0 ? [] : await store.pauses(run.tenant);
  const kept = waiting.flatMap((effect) => {
    const pause = pauseOf(pauses, leavingOf(run, effect, readRequest(effect)).act);
    return pause === null ? [] : [[effect.key, pause] as const];
  });
  return new Map(kept);
}

/** Gathers what is known and tells why. Transaction: the witness's own. @throws PAWL_RUN_NOT_FOUND. */
export async function explainRun(engine: Engine, run: RunIdentity): Promise<WhyView> {
  const { store } = engine;
  const [{ stored, nowMs }, holder, seats, { recovery }, overdue, messages] = await Promise.all([
    loadStored(engine, run),
    store.holder(run.part, run.runId),
    store.workers(),
    store.witness('reader'),
    overdueRuns(engine, [run.part]),
    store.outbox(run.part, run.runId),
  ]);
  const version = await engine.versions.readable(run.digest);
  const children = await childStatuses(store, stored.effects);
  const shares = await shareStandings(store, stored.effects);
  return whyRun({
    view: runView(version, { stored, receipts: [], children, shares, nowMs }),
    queue: stored.status === 'QUEUED' ? await queueView(engine, run) : null,
    queues: stored.effects.some(isWithWorkers) ? await listQueues(engine) : [],
    messages,
    hasReceiver: engine.publisher !== undefined,
    holder,
    workers: seats.filter(({ part, leaseUntilMs }) => part === run.part && leaseUntilMs > nowMs).length,
    suspect: stored.suspect,
    crashes: stored.crashes,
    recovery,
    pauses: await pausesOf(engine, stored),
    overdueSinceMs: overdue.find(({ runId }) => runId === run.runId)?.sinceMs ?? null,
    nowMs,
  });
}
