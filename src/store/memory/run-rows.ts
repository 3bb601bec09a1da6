import type { Approval, Vote } from '../../model/approval.ts';
import type { Effect, Receipt } from '../../model/effect.ts';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { InboxEvent } from '../../model/inbox-event.ts';
import type { OutboxMessage, OutboxRecord } from '../../model/outbox.ts';
import type { AuditEntry, HeadChange, Observation, Transition } from '../../model/run-commit.ts';
import type { RunIdentity, Timer } from '../../model/run.ts';
import { canonicalData, check, rowOf } from './row.ts';
import { type InboxRow, type JournalRow, keyOf, type ObservationRow } from './tables.ts';

/** A table's row with its key. */
type Keyed<K, R> = readonly [K, R];

/** What never changes in a run's life. */
export function identityRow(part: number, run: RunIdentity): RunIdentity {
  return { ...rowOf(run, ['input']), part };
}

/** The hot half as a commit changes it; the snapshot is kept as bytes. */
export function headRow(head: HeadChange): HeadChange {
  return { ...rowOf(head, ['snapshot', 'output', 'failure']), snapshot: Buffer.from(head.snapshot).toString() };
}

/** A journal row. */
export function journalRow(transition: Transition, fence: number, workerId: WorkerId): Keyed<number, JournalRow> {
  check(transition.revision > 0, 'a journal row has a revision above 0');
  const { event, ...rest } = transition;
  return [
    transition.revision,
    { ...rowOf(rest, ['delta', 'commands']), event: rowOf(event, ['detail']), fence, workerId },
  ];
}

/** A ledger row. */
export function effectRow(effect: Effect): Keyed<Effect['key'], Effect> {
  return [effect.key, rowOf(effect, ['output'])];
}

/** A ledger row after a move: what was fixed at its birth stays as it is. */
export function movedEffect(stored: Effect, effect: Effect): Keyed<Effect['key'], Effect> {
  const { key, step, frames, ingredients, action, contract, queue, pivot, request, requestHash, compensates } = stored;
  const named = { key, step, frames, ingredients, action, contract, pivot, request, requestHash, compensates };
  const fixed = { ...named, ...(queue === undefined ? {} : { queue }) };
  return [key, rowOf({ ...effect, ...fixed }, ['output'])];
}

/** A receipt. */
export function receiptRow(receipt: Receipt): Keyed<number, Receipt> {
  check(receipt.receiptNo > 0, 'a receipt has a number above 0');
  return [receipt.receiptNo, { ...rowOf(receipt, ['evidence']), evidence: canonicalData(receipt.evidence) }];
}

/** A timer. */
export function timerRow(timer: Timer): Keyed<string, Timer> {
  return [timer.name, rowOf(timer)];
}

/** An approval, without its votes. */
export function approvalRow(approval: Approval): Keyed<string, Approval> {
  return [
    approval.approvalId,
    { ...rowOf(approval, ['subject']), subject: canonicalData(approval.subject), votes: [] },
  ];
}

/** A vote. */
export function voteRow({
  approvalId,
  vote,
}: {
  readonly approvalId: string;
  readonly vote: Vote;
}): Keyed<string, { readonly approvalId: string; readonly vote: Vote }> {
  return [keyOf(approvalId, vote.principal), { approvalId, vote: rowOf(vote, ['form']) }];
}

/** An inbox row as it arrives. */
export function inboxRow(event: Omit<InboxEvent, 'outcome' | 'code'>): InboxRow {
  const { source, eventId, payload, payloadHash, receivedAtMs } = event;
  return {
    ...rowOf({ source, eventId, payloadHash, receivedAtMs }),
    payload: canonicalData(payload),
    outcome: null,
    code: null,
    detail: null,
    consumed: false,
    consumedRevision: null,
  };
}

/** Knowledge from outside the guard, under the run that it is stored for. */
export function observationRow(
  observation: Observation,
  at: { readonly part: number; readonly runId: RunId; readonly observedAtMs: number },
): Keyed<string, ObservationRow> {
  const { effectKey, source, sourceId } = observation;
  return [keyOf(effectKey, source, sourceId), rowOf({ ...observation, ...at }, ['detail'])];
}

/** An act of a person. */
export function auditRow(entry: AuditEntry): AuditEntry {
  return rowOf(entry, ['detail']);
}

/** A message as its commit writes it: due at once. */
export function messageRow(message: OutboxMessage, nowMs: number): Keyed<string, OutboxRecord> {
  const fresh = { state: 'waiting', attempts: 0, dueAtMs: nowMs, lastError: null, settledAtMs: null } as const;
  return [message.messageId, rowOf({ ...message, ...fresh })];
}
