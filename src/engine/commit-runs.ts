import { invariant, PawlError } from '../model/errors.ts';
import type { RunId, WorkerId } from '../model/ids.ts';
import type { CommitAnswer, RunCommit } from '../model/run-commit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { CommitTrace, Store, StoredRun } from '../ports/store.ts';

/** What a holder learns of its commit: the store's answer, or that nobody can tell (`lost`), or that the store cannot take it. */
export type SettledAnswer =
  | CommitAnswer
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly message: string };

/** Rounds of lost answers after which a holder lets go of its runs (P04). */
export const LOST_ROUNDS_MAX = 3;
/** Tries of a single member that the store refuses to execute. */
const FAILED_TRIES_MAX = 3;
/** How long somebody waits before it sends a commit again whose head another one had locked, milliseconds. */
export const BUSY_PAUSE_MS = 5;
/** Pauses while the store cannot be reached grow from the first to the second, milliseconds. */
export const PAUSE_MS_MIN = 20;
/** No pause is longer. */
export const PAUSE_MS_MAX = 1_000;

/** What committing needs. `signal` aborts when the seat is lost: from then on nothing is sent again. */
export interface CommitContext {
  readonly store: Store;
  readonly part: number;
  readonly workerId: WorkerId;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** A member whose fate is open, with the answer once it is known. */
interface Member {
  readonly commit: RunCommit;
  /** Whether an earlier sending may have been executed without an answer. */
  readonly inDoubt: boolean;
}

/** The revision that a commit's last journal row has; with no rows it is the one it was decided on. */
function targetRevision(commit: RunCommit): number {
  return commit.revision + commit.transitions.length;
}

function applied(commit: RunCommit): CommitAnswer {
  return { kind: 'applied', revision: targetRevision(commit), atMs: commit.transitions.at(-1)?.atMs ?? 0 };
}

/** Whether the ledger of the stored run says what the commit wrote: how a commit without journal row is recognised. */
function ledgerShows(commit: RunCommit, stored: StoredRun): boolean {
  if (stored.fence !== commit.fence || commit.effects.length === 0) return false;
  const rows = new Map(stored.effects.map((effect) => [effect.key, effect]));
  return commit.effects.every(({ effect }) => {
    const row = rows.get(effect.key);
    return (
      row !== undefined &&
      row.state === effect.state &&
      row.attempt === effect.attempt &&
      row.fence === effect.fence &&
      row.queries === effect.queries
    );
  });
}

/** Reads a trace of a commit whose answer was lost: mine, unchanged (null: send the same bytes again), or no longer mine. */
function readTrace(commit: RunCommit, trace: CommitTrace | null | undefined, workerId: WorkerId): CommitAnswer | null {
  if (!trace) return { kind: 'fenced', fence: commit.fence };
  const last = commit.transitions.at(-1);
  const row = trace.journal;
  const mine =
    last !== undefined &&
    row !== null &&
    row.revision === last.revision &&
    row.fence === commit.fence &&
    row.workerId === workerId &&
    row.stateHash === last.stateHash;
  if (mine) return applied(commit);
  if (trace.fence !== commit.fence) return { kind: 'fenced', fence: trace.fence };
  return trace.revision === commit.revision ? null : { kind: 'stale', revision: trace.revision };
}

/** What became of members whose answer was lost. @returns per member the answer, or null where nothing has changed. */
async function readBack(context: CommitContext, members: readonly Member[]): Promise<readonly (CommitAnswer | null)[]> {
  const asks = members.map(({ commit }) => ({ runId: commit.runId, revision: targetRevision(commit) }));
  const traces = await untilReachable(context, () => context.store.trace(context.part, asks));
  if (traces === null) return members.map(() => null);
  return members.map(({ commit }, index) => readTrace(commit, traces[index], context.workerId));
}

/** What became of one commit whose answer was lost; null where nothing has changed. */
export async function readBackOne(context: CommitContext, commit: RunCommit): Promise<CommitAnswer | null> {
  const [answer] = await readBack(context, [{ commit, inDoubt: true }]);
  return answer ?? null;
}

/** Asks again while the store cannot be reached. @returns null when the seat was lost meanwhile. */
async function untilReachable<T>(context: CommitContext, ask: () => Promise<T>): Promise<T | null> {
  for (let pauseMs = PAUSE_MS_MIN; !context.signal.aborted; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PawlError) || error.retry === 'never') throw error;
      context.logger.warn({ part: context.part, code: error.code }, 'store.unreachable');
    }
    await context.clock.sleep(pauseMs, context.signal);
  }
  return null;
}

/** An answer after a lost one may speak of our own first sending: look before believing it. */
async function judgeAfterDoubt(context: CommitContext, member: Member, answer: CommitAnswer): Promise<CommitAnswer> {
  if (!member.inDoubt || answer.kind === 'applied' || answer.kind === 'busy') return answer;
  const { commit } = member;
  if (commit.transitions.length > 0) {
    const [seen] = await readBack(context, [member]);
    return seen ?? answer;
  }
  const loaded = await untilReachable(context, () => context.store.load(context.part, [commit.runId]));
  const stored = loaded?.runs[0];
  return stored !== undefined && ledgerShows(commit, stored) ? applied(commit) : answer;
}

type Sending =
  | { readonly kind: 'answers'; readonly answers: readonly CommitAnswer[] }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly message: string };

/** Sends once. Waits while the store says that nothing was done and that later may help. */
async function sendBatch(context: CommitContext, members: readonly Member[]): Promise<Sending> {
  const commits = members.map((member) => member.commit);
  let tries = 0;
  for (let pauseMs = PAUSE_MS_MIN; !context.signal.aborted; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return { kind: 'answers', answers: await context.store.commit(context.part, context.workerId, commits) };
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      if (error.retry === 'reconcile') return { kind: 'lost' };
      tries += 1;
      const mayPass = error.code === 'PAWL_STORE_UNAVAILABLE';
      if (!mayPass && (commits.length > 1 || tries >= FAILED_TRIES_MAX))
        return { kind: 'failed', message: error.message };
      context.logger.warn({ part: context.part, code: error.code, members: commits.length }, 'store.unreachable');
    }
    await context.clock.sleep(pauseMs, context.signal);
  }
  return { kind: 'lost' };
}

/** Commits one on its own, as `commitRuns` does. Transaction: the store's commit opens one per sending. */
export async function commitAlone(context: CommitContext, commit: RunCommit): Promise<SettledAnswer> {
  const [answer] = await commitRuns(context, [commit]);
  invariant(answer !== undefined, 'a commit was not answered', { runId: commit.runId });
  return answer;
}

/** What members came to so far, and those whose fate is open. */
interface Round {
  readonly settled: Map<RunId, SettledAnswer>;
  readonly open: readonly Member[];
}

/**
 * Takes the answers of one sending. Who may have been executed before and is told `busy` now stays open, with its doubt:
 * sent again as if for the first time, its own rows would be taken for somebody else's.
 */
async function takeAnswers(
  context: CommitContext,
  { settled, open }: Round,
  answers: readonly CommitAnswer[],
): Promise<readonly Member[]> {
  const busy: Member[] = [];
  for (const [index, member] of open.entries()) {
    const answer = answers[index];
    invariant(answer !== undefined, 'a member of a batch was not answered', { runId: member.commit.runId });
    if (member.inDoubt && answer.kind === 'busy' && !context.signal.aborted) busy.push(member);
    else settled.set(member.commit.runId, await judgeAfterDoubt(context, member, answer));
  }
  if (busy.length > 0) await context.clock.sleep(BUSY_PAUSE_MS, context.signal);
  return busy;
}

/** Reads back after a lost answer. @returns who has to be sent again. */
async function takeLoss(context: CommitContext, { settled, open }: Round): Promise<readonly Member[]> {
  const seen = await readBack(context, open);
  open.forEach(({ commit }, index) => {
    const answer = seen[index];
    if (answer) settled.set(commit.runId, answer);
  });
  return open.filter(({ commit }) => !settled.has(commit.runId)).map(({ commit }) => ({ commit, inDoubt: true }));
}

/** Has those of a refused batch go one by one, each with its doubt: one that is refused alone is the one. */
async function takeRefusal(context: CommitContext, { settled, open }: Round, refusal: SettledAnswer): Promise<void> {
  const [first, ...rest] = open;
  if (first !== undefined && rest.length === 0) {
    settled.set(first.commit.runId, refusal);
    return;
  }
  for (const member of open) {
    const [told] = await settleMembers(context, [member]);
    if (told !== undefined) settled.set(...told);
  }
}

async function settleMembers(context: CommitContext, members: readonly Member[]): Promise<Round['settled']> {
  const settled = new Map<RunId, SettledAnswer>();
  let open = members;
  for (let losses = 0; losses < LOST_ROUNDS_MAX && open.length > 0; ) {
    const sending = await sendBatch(context, open);
    if (sending.kind === 'answers') {
      open = await takeAnswers(context, { settled, open }, sending.answers);
    } else if (sending.kind === 'failed') {
      await takeRefusal(context, { settled, open }, sending);
      open = [];
    } else {
      context.logger.warn({ part: context.part, round: losses, members: open.length }, 'commit.answer-lost');
      open = await takeLoss(context, { settled, open });
      losses += 1;
    }
  }
  return settled;
}

/**
 * Commits a batch and finds out what became of each member, also when answers are lost (P04): read back; mine is
 * adopted, unchanged is sent again byte by byte, another fence is forgotten; after three rounds `lost`: the holder
 * lets go and its next heartbeat disowns the run (P16). Transaction: the store's commit opens one per sending.
 */
export async function commitRuns(
  context: CommitContext,
  commits: readonly RunCommit[],
): Promise<readonly SettledAnswer[]> {
  const members = commits.map((commit) => ({ commit, inDoubt: false }));
  const settled = await settleMembers(context, members);
  return commits.map((commit) => settled.get(commit.runId) ?? { kind: 'lost' });
}
