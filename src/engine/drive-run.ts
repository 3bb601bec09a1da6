import { decide } from '../decision/decide.ts';
import type { Decision, Orders } from '../decision/decision.ts';
import type { DecisionInput } from '../decision/decision-input.ts';
import { invariant, StoreError, UnknownOutcomeError } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { RunState } from '../model/run.ts';
import type { StoredRun } from '../ports/store.ts';
import { BUSY_PAUSE_MS, type SettledAnswer } from './commit-runs.ts';
import type { Desk } from './desk.ts';
import type { Engine } from './engine.ts';
import { leaveAtEnd } from './hold-lock.ts';
import { loadRun } from './load-run.ts';
import { observeLate } from './observe-late.ts';
import { parkRun } from './park-run.ts';
import type { LoadedVersion } from './version-cache.ts';

/** Reloads after which a holder lets go of a run that never agrees with what is stored. */
const RELOADS_MAX = 8;

/** What a holder has in hand beside the run's state. */
export interface Hand {
  readonly engine: Engine;
  readonly desk: Desk;
  readonly version: LoadedVersion;
  /** Whether something is in flight or more has come in: then the lease is kept. */
  isBusy(): boolean;
  /** The wake-up that was seen together with the inputs in hand (W03). */
  wakeSeen(): number | null;
}

/** What a decision came to once its commit was answered: the run is still held, or has left these hands. */
export type Driven =
  | {
      readonly kind: 'kept';
      readonly state: RunState;
      readonly orders: Orders;
      /** Monotonic time before the orders were decided. */
      readonly decidedAtMs: number;
      readonly rest: readonly DecisionInput[];
      readonly more: boolean;
    }
  | { readonly kind: 'left' };

/** A state with what is to be decided on it. */
export interface Question {
  readonly state: RunState;
  readonly inputs: readonly DecisionInput[];
}

/** Whether a commit would write nothing at all. */
function isEmpty(commit: RunCommit): boolean {
  const { part, runId, fence, revision, head, lease, ...rows } = commit;
  return head === null && lease.kind === 'keep' && Object.values(rows).every((list) => list.length === 0);
}

/** The lease as the holder needs it: kept while anything it sent is open or more is to be decided. */
export function withLease(decision: Decision, hand: Hand): RunCommit {
  const orders = decision.sends.length + decision.queries.length + decision.reads.length;
  const keeps = decision.more || orders > 0 || hand.isBusy();
  return keeps ? { ...decision.commit, lease: { kind: 'keep' } } : decision.commit;
}

/** Decides with everything that a holder knows. @throws what no decision can be made of. */
export function decideOn(hand: Hand, question: Question): Decision {
  const { engine, desk, version } = hand;
  const context = {
    compiled: version.compiled,
    nowMs: desk.nowMs(),
    canSend: desk.canSend(),
    numbers: engine.numbers,
    missingFunctions: engine.actions.missing(version.functions),
    wakeSeen: hand.wakeSeen(),
  };
  return decide(context, question.state, question.inputs);
}

/** A run as it is stored now; null = it is not there, or cannot be read: then whoever can goes on with it. */
async function storedNow({ engine, desk }: Hand, runId: RunId): Promise<StoredRun | null> {
  try {
    const { runs } = await engine.store.load(desk.part, [runId]);
    return runs[0] ?? null;
  } catch (error) {
    // An answer that was lost says of a read no more than a database that is not there.
    if (!(error instanceof StoreError || error instanceof UnknownOutcomeError)) throw error;
    engine.logger.warn({ runId, code: error.code }, 'run.let-go');
    return null;
  }
}

/**
 * The same inputs on the run as it is stored now, without events that were answered meanwhile; null = not ours any more. One that
 * stands before the revision in hand lies in a database that has lost commits (P14): its inbox has what was decided here and is open
 * again. It is taken up anew, with all of that, once the next heartbeat has disowned it.
 */
export async function reload(hand: Hand, question: Question): Promise<Question | null> {
  const { runId } = question.state.run;
  const stored = await storedNow(hand, runId);
  if (stored === null || stored.fence !== question.state.fence || stored.revision < question.state.revision)
    return null;
  const loaded = loadRun(hand.version, stored);
  if (loaded.kind === 'misfit') return null;
  const open = new Set(loaded.open.map((event) => `${event.source} ${event.eventId}`));
  const inputs = question.inputs.filter(
    (input) => input.type !== 'inbox' || open.has(`${input.event.source} ${input.event.eventId}`),
  );
  return { state: loaded.state, inputs };
}

/** A decision that cannot be made or stored is a bug: the run is parked for a person, loudly, and never retried in silence. */
export async function parkBroken(hand: Hand, question: Question, message: string): Promise<Driven> {
  const { engine, desk } = hand;
  const { runId } = question.state.run;
  engine.logger.error({ runId, revision: question.state.revision, message }, 'run.broken');
  const stored = await storedNow(hand, runId);
  if (stored !== null && stored.fence === question.state.fence) {
    const loaded = loadRun(hand.version, stored);
    const envelope = loaded.kind === 'run' ? loaded.envelope : null;
    await desk.commit(
      parkRun(stored, envelope, {
        kind: 'poison',
        subject: 'decision',
        message,
        nowMs: desk.nowMs(),
        wakeSeen: hand.wakeSeen(),
      }),
    );
  }
  await observeLate(engine, question.state, question.inputs);
  return { kind: 'left' };
}

/** Lets go of a run, and files what is known of it. */
export async function letGo(hand: Hand, question: Question): Promise<Driven> {
  await observeLate(hand.engine, question.state, question.inputs);
  return { kind: 'left' };
}

function kept(decision: Decision, decidedAtMs: number): Driven {
  return {
    kind: 'kept',
    state: decision.next,
    orders: decision,
    decidedAtMs,
    rest: decision.rest,
    more: decision.more,
  };
}

/** Whether a run ends here, or hears after its end that it holds a lock. */
function leavesLock({ state, inputs }: Question, { next }: Decision): boolean {
  if (next.endedAtMs === null) return false;
  return state.endedAtMs === null || inputs.some((input) => input.type === 'inbox' && input.event.source === 'lock');
}

/**
 * Whether what moves nothing was applied to a run that stands elsewhere: such a commit is guarded by its fence and its rows alone,
 * and a database that has lost commits (P14) is behind whoever holds the run.
 */
function isElsewhere({ transitions, head }: RunCommit, decided: number, applied: number): boolean {
  return transitions.length === 0 && head === null && applied !== decided;
}

/** What a definite answer means; null = decide again on the reloaded run. */
export async function settle(
  hand: Hand,
  question: Question,
  sent: { decision: Decision; decidedAtMs: number; commit: RunCommit; answer: SettledAnswer },
): Promise<Driven | null> {
  const { answer } = sent;
  switch (answer.kind) {
    case 'applied':
      if (isElsewhere(sent.commit, sent.decision.next.revision, answer.revision)) return null;
      invariant(answer.revision === sent.decision.next.revision, 'a commit was applied at another revision', {
        runId: sent.commit.runId,
        expected: sent.decision.next.revision,
        applied: answer.revision,
      });
      if (leavesLock(question, sent.decision)) await leaveAtEnd(hand.engine, sent.decision.next.run);
      return sent.commit.lease.kind === 'release' ? { kind: 'left' } : kept(sent.decision, sent.decidedAtMs);
    case 'failed':
      return parkBroken(hand, question, answer.message);
    case 'fenced':
    case 'lost':
      return letGo(hand, question);
    case 'busy':
    case 'stale':
    case 'conflict':
      return null;
  }
}

/** Sends a commit until its head is not locked by somebody else (P02: busy, queue again). */
async function commitUntilFree(hand: Hand, commit: RunCommit): Promise<SettledAnswer> {
  for (;;) {
    const answer = await hand.desk.commit(commit);
    if (answer.kind !== 'busy' || hand.desk.signal.aborted) return answer;
    await hand.engine.clock.sleep(BUSY_PAUSE_MS, hand.desk.signal);
  }
}

/**
 * Decides once and sees the commit through to a definite answer (P02): stale and conflict decide the inputs in hand
 * again on the reloaded run, busy sends again, fenced and lost let go and file what they know.
 * Transaction: one per commit sent.
 */
export async function driveRun(hand: Hand, state: RunState, inputs: readonly DecisionInput[]): Promise<Driven> {
  let question: Question = { state, inputs };
  for (let reloads = 0; reloads <= RELOADS_MAX && !hand.desk.signal.aborted; reloads += 1) {
    const decidedAtMs = hand.engine.clock.monotonicMs();
    let decision: Decision;
    try {
      decision = decideOn(hand, question);
    } catch (error) {
      return parkBroken(hand, question, error instanceof Error ? error.message : String(error));
    }
    const commit = withLease(decision, hand);
    if (isEmpty(commit)) return kept(decision, decidedAtMs);
    const answer = await commitUntilFree(hand, commit);
    const driven = await settle(hand, question, { decision, decidedAtMs, commit, answer });
    if (driven !== null) return driven;
    const again = await reload(hand, question);
    if (again === null) return letGo(hand, question);
    question = again;
  }
  hand.engine.logger.warn({ runId: state.run.runId, revision: question.state.revision }, 'run.let-go');
  return letGo(hand, question);
}
