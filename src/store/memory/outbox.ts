import type { RunId } from '../../model/ids.ts';
import type {
  ClaimedMessage,
  OutboxAct,
  OutboxAddress,
  OutboxLine,
  OutboxMessage,
  OutboxRecord,
  OutboxState,
  SendingResult,
} from '../../model/outbox.ts';
import { isOutward } from '../../model/outbox.ts';
import { inOrder, rowOf, withOver } from './row.ts';
import { runIn, type RunRows, runsIn, type Statement } from './tables.ts';

/** A run's messages in the order of sending. */
export function messagesOf({ outbox }: Pick<RunRows, 'outbox'>): OutboxRecord[] {
  return inOrder(outbox.values(), ({ revision, ordinal }) => [revision, ordinal]);
}

function isOpen({ state }: OutboxRecord): boolean {
  return state === 'waiting' || state === 'dead';
}

function isBefore(one: OutboxMessage, other: OutboxMessage): boolean {
  return one.revision === other.revision ? one.ordinal < other.ordinal : one.revision < other.revision;
}

/** Whether an open message of the same key and direction goes first. */
function waitsForOther(message: OutboxRecord, all: readonly OutboxRecord[]): boolean {
  const { key, topic } = message;
  if (key === null) return false;
  return all.some(
    (other) =>
      other.key === key && isOutward(other.topic) === isOutward(topic) && isOpen(other) && isBefore(other, message),
  );
}

function put(statement: Statement, rows: RunRows, message: OutboxRecord): void {
  const row = rowOf(message);
  statement.runs.set(rows.run.runId, { ...rows, outbox: withOver(rows.outbox, [[row.messageId, row]]) });
}

function claimIn(
  statement: Statement,
  part: number,
  ask: { readonly outward: boolean; readonly limit: number; readonly forMs: number },
): ClaimedMessage[] {
  const due = runsIn(statement, part).flatMap(({ run, outbox }) => {
    const all = [...outbox.values()];
    const free = all.filter(
      (message) =>
        message.state === 'waiting' &&
        isOutward(message.topic) === ask.outward &&
        message.dueAtMs <= statement.nowMs &&
        !waitsForOther(message, all),
    );
    return free.map((message) => ({ runId: run.runId, message }));
  });
  const taken = inOrder(due, ({ message }) => [message.dueAtMs]).slice(0, ask.limit);
  return taken.flatMap(({ runId, message }) => {
    const rows = runIn(statement, part, runId);
    if (rows === undefined) return [];
    const attempt = message.attempts + 1;
    put(statement, rows, { ...message, attempts: attempt, dueAtMs: statement.nowMs + ask.forMs });
    const { state: _s, attempts: _a, dueAtMs: _d, lastError: _l, settledAtMs: _t, ...written } = message;
    const { revision, ordinal } = written;
    return [{ address: { part, runId, revision, ordinal }, message: written, attempt }];
  });
}

/** Messages of a part that are due, taken for a while (V09). */
export function claimOutbox(
  statement: Statement,
  part: number,
  ask: { readonly outward: boolean; readonly limit: number; readonly forMs: number },
): ClaimedMessage[] {
  const inward = claimIn(statement, part, { ...ask, outward: false });
  return ask.outward ? [...inward, ...claimIn(statement, part, ask)] : inward;
}

/** How a sending went. */
export function settleOutbox(
  statement: Statement,
  { part, runId, revision, ordinal }: OutboxAddress,
  attempt: number,
  result: SendingResult,
): void {
  const rows = runIn(statement, part, runId);
  const message = rows && messagesOf(rows).find((one) => one.revision === revision && one.ordinal === ordinal);
  if (rows === undefined || message === undefined) return;
  const isLatest = message.state === 'waiting' && message.attempts === attempt;
  if (result.kind === 'delivered') {
    if (isOpen(message))
      put(statement, rows, { ...message, state: 'delivered', lastError: null, settledAtMs: statement.nowMs });
  } else if (isLatest) {
    const failed = { ...message, lastError: result.error };
    if (result.kind === 'dead') put(statement, rows, { ...failed, state: 'dead' });
    else put(statement, rows, { ...failed, dueAtMs: statement.nowMs + result.waitMs });
  }
}

/** A person has a message sent again, or lets it go. */
export function actOnOutbox(
  statement: Statement,
  { part, runId, messageId }: { readonly part: number; readonly runId: RunId; readonly messageId: string },
  { act, by, reason }: OutboxAct,
): OutboxState | null {
  const { nowMs } = statement;
  const rows = runIn(statement, part, runId);
  const message = rows?.outbox.get(messageId);
  if (rows === undefined || message === undefined) return null;
  if (!isOpen(message)) return message.state;
  const entry = rowOf(
    { actor: by, act: `outbox.${act}`, target: messageId, reason, detail: { was: message.state }, atMs: nowMs },
    ['detail'],
  );
  const noted = { ...rows, audit: [...rows.audit, entry] };
  if (act === 'drop') put(statement, noted, { ...message, state: 'dropped', dueAtMs: nowMs, settledAtMs: nowMs });
  else put(statement, noted, { ...message, state: 'waiting', attempts: 0, dueAtMs: nowMs });
  return message.state;
}

/** Open messages of a tenant, the oldest first. */
export function listOutbox(
  statement: Statement,
  ask: { readonly tenant: string; readonly states: readonly OutboxState[] | null; readonly limit: number },
): OutboxLine[] {
  const open = [...statement.runs.values()]
    .filter(({ run }) => run.tenant === ask.tenant)
    .flatMap(({ run: { part, runId }, outbox }) => [...outbox.values()].map((one) => ({ ...one, part, runId })))
    .filter((one) => isOpen(one) && (ask.states === null || ask.states.includes(one.state)));
  return inOrder(open, ({ atMs, runId, revision, ordinal }) => [atMs, runId, revision, ordinal]).slice(0, ask.limit);
}
