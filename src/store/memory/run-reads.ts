import type { Approval } from '../../model/approval.ts';
import type { Effect, Receipt } from '../../model/effect.ts';
import { invariant } from '../../model/errors.ts';
import { sha256 } from '../../model/hash.ts';
import type { InboxEvent } from '../../model/inbox-event.ts';
import type { Observation } from '../../model/run-commit.ts';
import type { Store, StoredRun } from '../../ports/store.ts';
import { inOrder } from './row.ts';
import type { InboxRow, JournalRow, RunRows } from './tables.ts';

/** An inbox row as its holder reads it. */
export function eventOf(row: InboxRow): InboxEvent {
  const { source, eventId, payload, payloadHash, receivedAtMs, outcome, code } = row;
  return { source, eventId, payload, payloadHash, receivedAtMs, outcome, code };
}

/** Inbox rows in the order of their arrival. */
export function inboxOf({ inbox }: RunRows): InboxRow[] {
  return inOrder(inbox.values(), (row) => [row.receivedAtMs, row.source, row.eventId]);
}

function readEffect(effect: Effect): Effect {
  invariant(sha256(effect.request) === effect.requestHash, 'a stored request is not what its hash covers', {
    key: effect.key,
  });
  return effect;
}

/** A run's approvals, the first asked first, each with its votes. */
export function approvalsOf({ approvals, votes }: RunRows): Approval[] {
  const cast = inOrder(votes.values(), ({ vote }) => [vote.atMs, vote.principal]);
  return inOrder(approvals.values(), (approval) => [approval.askedAtMs, approval.approvalId]).map((approval) => ({
    ...approval,
    votes: cast.filter(({ approvalId }) => approvalId === approval.approvalId).map(({ vote }) => vote),
  }));
}

/** A run with all that a decision reads. @throws PAWL_INVARIANT when a request is not what its hash covers. */
export function storedRun(rows: RunRows): StoredRun {
  const { revision, fence, status, suspect, crashes, snapshot, endedAtMs, prunedAtMs, output, failure } = rows.head;
  const effects = inOrder(rows.effects.values(), (effect) => [effect.key]);
  const last = inOrder(rows.receipts.values(), (receipt) => [-receipt.receiptNo])[0];
  return {
    run: rows.run,
    revision,
    fence,
    owner: rows.lease?.workerId ?? null,
    status,
    suspect,
    crashes,
    snapshot,
    endedAtMs,
    prunedAtMs,
    output,
    failure,
    effects: prunedAtMs === null ? effects.map(readEffect) : effects,
    timers: inOrder(rows.timers.values(), (timer) => [timer.name]),
    approvals: approvalsOf(rows),
    inbox: inboxOf(rows)
      .filter((row) => !row.consumed)
      .map(eventOf),
    lastReceiptNo: last?.receiptNo ?? 0,
    lastReceiptHash: last?.integrity ?? '0'.repeat(64),
  };
}

/** A run's journal. */
export function journalOf({ journal }: RunRows): JournalRow[] {
  return inOrder(journal.values(), (row) => [row.revision]);
}

/** A run's receipts. */
export function receiptsOf({ receipts }: RunRows): Receipt[] {
  return inOrder(receipts.values(), (receipt) => [receipt.receiptNo]);
}

/** A run's observations. */
export function observationsOf({ observations }: RunRows): Observation[] {
  return inOrder(observations.values(), (row) => [row.observedAtMs, row.source, row.sourceId]).map(
    ({ observedAtMs: _at, ...observation }) => observation,
  );
}

/** A run's whole inbox. */
export function wholeInbox(rows: RunRows): Awaited<ReturnType<Store['inbox']>> {
  return inboxOf(rows).map((row) => ({ ...eventOf(row), detail: row.detail, consumed: row.consumed }));
}
