import type { EffectKey, RunId, WorkerId } from '../../model/ids.ts';
import type { CommitAnswer, EffectChange, RunCommit } from '../../model/run-commit.ts';
import { toldByCommit } from '../told-change.ts';
import type { Connections, Row } from './connections.ts';
import { messageToRow } from './outbox-verbs.ts';
import { offerToRow } from './queue-verbs.ts';
import {
  approvalToRow,
  auditToRow,
  effectToRow,
  inboxAnswerToRow,
  observationToRow,
  optionalText,
  receiptToRow,
  timerToRow,
  transitionToRow,
  voteToRow,
} from './rows.ts';
import { packSnapshot } from './snapshot-codec.ts';
import { COMMIT, COMMIT_COLUMNS, COMMIT_FULL, COMMIT_FULL_COLUMNS, type CommitColumn } from './sql/commit.ts';
import { isContention, isMemberFault, sqlstateOf } from './sqlstate.ts';

/** A full snapshot goes into the journal whenever a commit passes a multiple of this revision, for replays. */
const JOURNAL_SNAPSHOT_EVERY = 50;
/** A guarded row changed between the guard and the write (raised by the statement itself): everything went back. */
const LOST_GUARDED_ROW = 'PW003';

type MemberRow = Readonly<Record<CommitColumn, unknown>>;

/** Empty kinds travel as NULL: a lateral join over NULL costs next to nothing. */
function packed(rows: readonly unknown[]): string | null {
  return rows.length === 0 ? null : JSON.stringify(rows);
}

function guardOf({ expect, effect }: EffectChange): unknown {
  return { key: effect.key, state: expect?.state ?? null, attempt: expect?.attempt ?? null, next: effect.state };
}

/** Of a row that is there only what moves is stored: its fixed columns need not travel. */
function effectOf({ expect, effect }: EffectChange): unknown {
  return effectToRow(expect === null ? effect : { ...effect, request: '' });
}

const NO_HEAD = {
  has_head: false,
  status: null,
  phase: null,
  needs: null,
  codec: null,
  snapshot: null,
  ended_at: null,
  output: null,
  failure: null,
} as const;

function headColumns({ head }: RunCommit): Pick<MemberRow, keyof typeof NO_HEAD> {
  if (head === null) return NO_HEAD;
  const snapshot = packSnapshot(head.snapshot);
  return {
    has_head: true,
    status: head.status,
    phase: head.phase,
    needs: JSON.stringify(head.needs),
    codec: snapshot.codec,
    snapshot: snapshot.bytes,
    ended_at: head.endedAtMs,
    output: optionalText(head.output),
    failure: optionalText(head.failure),
  };
}

function passesSnapshotMark(commit: RunCommit): boolean {
  const after = commit.revision + commit.transitions.length;
  return (
    commit.head !== null &&
    Math.floor(after / JOURNAL_SNAPSHOT_EVERY) > Math.floor(commit.revision / JOURNAL_SNAPSHOT_EVERY)
  );
}

function leaseColumns({ lease }: RunCommit) {
  if (lease.kind === 'keep') return { release: false, wake_seen: null, ready_at: null };
  return { release: true, wake_seen: lease.wakeSeen, ready_at: lease.readyAtMs };
}

function memberOf(commit: RunCommit): MemberRow {
  const told = toldByCommit(commit);
  const set = new Set(commit.timersSet.map((timer) => timer.name));
  return {
    run_id: commit.runId,
    fence: commit.fence,
    revision: commit.revision,
    n: commit.transitions.length,
    ...headColumns(commit),
    keeps_snapshot: passesSnapshotMark(commit),
    guards: packed(commit.effects.map(guardOf)),
    transitions: packed(commit.transitions.map(transitionToRow)),
    effects: packed(commit.effects.map(effectOf)),
    effect_count: commit.effects.length,
    receipts: packed(commit.receipts.map(receiptToRow)),
    timers_set: packed(commit.timersSet.map(timerToRow)),
    timers_cleared: packed(commit.timersCleared.filter((name) => !set.has(name))),
    told: told === null ? null : JSON.stringify(told),
    ...leaseColumns(commit),
    approvals: packed(commit.approvals.map(approvalToRow)),
    votes: packed(commit.votes.map(({ approvalId, vote }) => voteToRow(approvalId, vote))),
    inbox: packed(commit.inbox.map(inboxAnswerToRow)),
    observations: packed(commit.observations.map(observationToRow)),
    audit: packed(commit.audit.map(auditToRow)),
    outbox: packed(commit.outbox.map(messageToRow)),
    offers: packed((commit.offers ?? []).map(offerToRow)),
  };
}

function isRare(member: MemberRow): boolean {
  const { approvals, votes, inbox, observations, audit, outbox, offers } = member;
  return (approvals ?? votes ?? inbox ?? observations ?? audit ?? outbox ?? offers) !== null;
}

function answerOf(row: Row): CommitAnswer {
  const revision = row['revision'] as number;
  switch (row['kind']) {
    case 'applied':
      return { kind: 'applied', revision, atMs: row['now_ms'] as number };
    case 'stale':
      return { kind: 'stale', revision };
    case 'fenced':
      return { kind: 'fenced', fence: row['fence'] as number };
    default:
      return { kind: 'conflict', effectKey: row['effect_key'] as EffectKey | null };
  }
}

/** Sends one statement for all members. Those that it does not answer had their head locked by somebody else. */
async function sendTogether(
  connections: Connections,
  part: number,
  workerId: WorkerId,
  commits: readonly RunCommit[],
): Promise<CommitAnswer[]> {
  const members = commits.map(memberOf);
  const full = members.some(isRare);
  const columns: readonly CommitColumn[] = full ? COMMIT_FULL_COLUMNS : COMMIT_COLUMNS;
  const values = [part, workerId, ...columns.map((column) => members.map((member) => member[column]))];
  const answers: CommitAnswer[] = commits.map(() => ({ kind: 'busy' }));
  for (const row of await connections.run(full ? COMMIT_FULL : COMMIT, values))
    answers[(row['ord'] as number) - 1] = answerOf(row);
  return answers;
}

/** One member that the database refused in a statement of its own. */
function answerOfFault(error: unknown): CommitAnswer {
  const cause = (error as Error).cause;
  if (sqlstateOf(cause) === LOST_GUARDED_ROW) return { kind: 'conflict', effectKey: null };
  if (isContention(cause)) return { kind: 'busy' };
  return { kind: 'failed', message: (error as Error).message };
}

async function sendAlone(
  connections: Connections,
  part: number,
  workerId: WorkerId,
  commit: RunCommit,
): Promise<CommitAnswer> {
  try {
    const [answer] = await sendTogether(connections, part, workerId, [commit]);
    return answer ?? { kind: 'busy' };
  } catch (error) {
    if (!isMemberFault((error as Error).cause)) throw error;
    return answerOfFault(error);
  }
}

/** The members' first commits, then what is left: a run is at most once in a statement (P02c). */
function roundsOf(commits: readonly RunCommit[]): readonly (readonly number[])[] {
  const rounds: number[][] = [];
  const seen = new Map<RunId, number>();
  commits.forEach((commit, index) => {
    const round = seen.get(commit.runId) ?? 0;
    seen.set(commit.runId, round + 1);
    rounds[round] = [...(rounds[round] ?? []), index];
  });
  return rounds;
}

async function sendRound(
  connections: Connections,
  part: number,
  workerId: WorkerId,
  commits: readonly RunCommit[],
): Promise<CommitAnswer[]> {
  try {
    return await sendTogether(connections, part, workerId, commits);
  } catch (error) {
    if (!isMemberFault((error as Error).cause)) throw error;
    if (commits.length === 1) return [answerOfFault(error)];
  }
  // One member's fault took all of them back: each is tried again without the others.
  const answers: CommitAnswer[] = [];
  for (const commit of commits) answers.push(await sendAlone(connections, part, workerId, commit));
  return answers;
}

/**
 * Commits members of one part, all or none of each, with an answer per member (P02).
 * @throws PAWL_STORE_* when the fate of the statement is unknown, or the database could do nothing at all.
 * Transaction: one per statement.
 */
export async function commitBatch(
  connections: Connections,
  part: number,
  workerId: WorkerId,
  commits: readonly RunCommit[],
): Promise<readonly CommitAnswer[]> {
  const answers: CommitAnswer[] = commits.map(() => ({ kind: 'busy' }));
  for (const round of roundsOf(commits)) {
    const members = round.flatMap((index) => commits[index] ?? []);
    const told = await sendRound(connections, part, workerId, members);
    round.forEach((index, at) => {
      answers[index] = told[at] ?? { kind: 'busy' };
    });
  }
  return answers;
}
