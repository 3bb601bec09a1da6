import { PawlError } from '../../model/errors.ts';
import type { WorkerId } from '../../model/ids.ts';
import type { CommitAnswer, EffectChange, RunCommit } from '../../model/run-commit.ts';
import { isEnd, type RunStatus } from '../../model/statuses.ts';
import { STORED_EFFECT_MOVES } from '../effect-moves.ts';
import { toldByCommit } from '../told-change.ts';
import { writeChange } from './changes.ts';
import { offersAfter } from './queues.ts';
import { check, inOrder, rowOf, withMissing, withNew, withOver } from './row.ts';
import {
  approvalRow,
  auditRow,
  effectRow,
  headRow,
  journalRow,
  messageRow,
  movedEffect,
  observationRow,
  receiptRow,
  timerRow,
  voteRow,
} from './run-rows.ts';
import { type Head, type InboxRow, keyOf, runIn, type RunRows, type Statement } from './tables.ts';
import { afterRelease } from './wake-ups.ts';

const MOVES: ReadonlySet<string> = new Set(STORED_EFFECT_MOVES);

/** Whether a ledger row is not as the decision assumed it, or may not move so. */
function isBroken({ effects }: RunRows, { expect, effect }: EffectChange): boolean {
  const stored = effects.get(effect.key);
  if (expect === null) return stored !== undefined;
  if (stored?.state !== expect.state || stored.attempt !== expect.attempt) return true;
  return !MOVES.has(`${stored.state}>${effect.state}`);
}

/** Whether an event lies in the inbox, undecided for good: nothing else is answered (V01). */
function isOpen({ inbox }: RunRows, { source, eventId }: RunCommit['inbox'][number]): boolean {
  return inbox.get(keyOf(source, eventId))?.consumed === false;
}

/** Whether a commit changes anything of the head, its holder included: then the revision must be the one decided on. */
function movesHead({ transitions, head, lease }: RunCommit): boolean {
  return transitions.length > 0 || head !== null || lease.kind === 'release';
}

/** The guards of P02: what keeps a commit from being applied; null = nothing does. */
function guard(rows: RunRows, commit: RunCommit, workerId: WorkerId): CommitAnswer | null {
  const { fence, revision } = rows.head;
  if (fence !== commit.fence || rows.lease?.workerId !== workerId) return { kind: 'fenced', fence };
  if (revision !== commit.revision && movesHead(commit)) return { kind: 'stale', revision };
  if (commit.inbox.some((answer) => !isOpen(rows, answer))) return { kind: 'stale', revision };
  const broken = commit.effects.filter((change) => isBroken(rows, change)).map(({ effect }) => effect.key);
  const [effectKey] = inOrder(broken, (key) => [key]);
  return effectKey === undefined ? null : { kind: 'conflict', effectKey };
}

/** The only ways out of an end (R10, R24, the operator's order, E08). */
function assertMayLeave(from: RunStatus, to: RunStatus): void {
  const reopens = (from === 'COMPLETED' || from === 'TERMINATED') && to === 'COMPENSATING';
  check(!isEnd(from) || to === from || to === 'HELD' || reopens, `a run that is ${from} cannot become ${to}`);
}

function headAfter({ head: before }: RunRows, { head, transitions }: RunCommit): Head {
  if (head !== null) assertMayLeave(before.status, head.status);
  const moved = transitions.length > 0;
  return {
    ...(head === null ? before : headRow(head)),
    revision: before.revision + transitions.length,
    fence: before.fence,
    crashes: moved ? 0 : before.crashes,
    suspect: before.suspect && !moved,
    prunedAtMs: before.prunedAtMs,
  };
}

function effectsAfter({ effects }: RunRows, changes: readonly EffectChange[]): RunRows['effects'] {
  const rows = changes.map(({ effect }) => {
    const stored = effects.get(effect.key);
    return stored === undefined ? effectRow(effect) : movedEffect(stored, effect);
  });
  return withOver(effects, rows);
}

function timersAfter({ timers }: RunRows, { timersSet, timersCleared }: RunCommit): RunRows['timers'] {
  const kept = [...timers].filter(([name]) => !timersCleared.includes(name));
  return new Map([...kept, ...timersSet.map(timerRow)]);
}

/** Answers of inbox rows, which the guard has found open. */
function inboxAfter({ inbox }: RunRows, answers: RunCommit['inbox'], revision: number): RunRows['inbox'] {
  const answered = answers.flatMap(({ source, eventId, outcome, code, detail, consumed }): [string, InboxRow][] => {
    const key = keyOf(source, eventId);
    const row = inbox.get(key);
    if (row === undefined) return [];
    const answer = rowOf({ outcome, code, detail, consumed }, ['detail']);
    return [[key, { ...row, ...answer, consumedRevision: consumed ? revision : null }]];
  });
  return withOver(inbox, answered);
}

function observationsAfter(rows: RunRows, { observations }: RunCommit, observedAtMs: number): RunRows['observations'] {
  const { part, runId } = rows.run;
  return withMissing(
    rows.observations,
    observations.map((observation) => observationRow(observation, { part, runId, observedAtMs })),
  );
}

/** All rows of a run after a commit that the guards let through. @throws PAWL_STORE_*, PAWL_VALUE_NOT_STORABLE */
function applied(statement: Statement, rows: RunRows, commit: RunCommit, workerId: WorkerId): RunRows {
  const head = headAfter(rows, commit);
  const written = {
    ...rows,
    head,
    journal: withNew(
      'journal',
      rows.journal,
      commit.transitions.map((transition) => journalRow(transition, commit.fence, workerId)),
    ),
    effects: effectsAfter(rows, commit.effects),
    receipts: withNew('receipt', rows.receipts, commit.receipts.map(receiptRow)),
    timers: timersAfter(rows, commit),
    approvals: withOver(rows.approvals, commit.approvals.map(approvalRow)),
    votes: withNew('vote', rows.votes, commit.votes.map(voteRow)),
    inbox: inboxAfter(rows, commit.inbox, head.revision),
    observations: observationsAfter(rows, commit, statement.nowMs),
    audit: [...rows.audit, ...commit.audit.map(auditRow)],
    outbox: withMissing(
      rows.outbox,
      commit.outbox.map((message) => messageRow(message, statement.nowMs)),
    ),
    offers: offersAfter(rows, commit.offers),
  };
  if (commit.lease.kind === 'keep') return written;
  return { ...written, lease: null, wakeUp: afterRelease(statement, rows, commit.lease) };
}

function commitOne(statement: Statement, part: number, workerId: WorkerId, commit: RunCommit): CommitAnswer {
  const rows = runIn(statement, part, commit.runId);
  if (rows === undefined) return { kind: 'busy' };
  const refused = guard(rows, commit, workerId);
  if (refused !== null) return refused;
  try {
    const next = applied(statement, rows, commit, workerId);
    statement.runs.set(commit.runId, next);
    writeChange(statement, next, toldByCommit(commit));
    return { kind: 'applied', revision: next.head.revision, atMs: statement.nowMs };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { kind: 'failed', message: error.message };
  }
}

/** Commits members of one part, all or none of each, with an answer per member (P02). @throws WaitsForDelivery */
export function commitRuns(
  statement: Statement,
  part: number,
  workerId: WorkerId,
  commits: readonly RunCommit[],
): CommitAnswer[] {
  return commits.map((commit) => commitOne(statement, part, workerId, commit));
}
