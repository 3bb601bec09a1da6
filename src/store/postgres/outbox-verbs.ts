import type { Frame } from '../../model/effect.ts';
import type { RunId } from '../../model/ids.ts';
import type { OutboxMessage, OutboxRecord, OutboxState, OutboxTopic } from '../../model/outbox.ts';
import { isOutward } from '../../model/outbox.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { parse, textOf, type Travelling } from './rows.ts';
import type { OUTBOX } from './sql/columns.ts';
import { ACT_ON_OUTBOX, CLAIM_OUTBOX, LIST_OUTBOX, OUTBOX_ROWS, SETTLE_OUTBOX } from './sql/outbox.ts';

/** A message as it travels with its commit. */
export function messageToRow(message: OutboxMessage): Travelling<typeof OUTBOX> {
  return {
    revision: message.revision,
    ordinal: message.ordinal,
    message_id: message.messageId,
    topic: message.topic,
    outward: isOutward(message.topic),
    key: message.key,
    step: message.step,
    frames: textOf(message.frames),
    body: message.body,
    at: message.atMs,
  };
}

function messageFromRow(row: Row): OutboxMessage {
  return {
    revision: row['revision'] as number,
    ordinal: row['ordinal'] as number,
    messageId: row['message_id'] as string,
    topic: row['topic'] as OutboxTopic,
    key: row['key'] as string | null,
    step: row['step'] as string | null,
    frames: parse<readonly Frame[]>(row['frames']),
    body: row['body'] as string,
    atMs: row['at'] as number,
  };
}

/** Reads a message with how far it has come. */
export function recordFromRow(row: Row): OutboxRecord {
  return {
    ...messageFromRow(row),
    state: row['state'] as OutboxState,
    attempts: row['attempts'] as number,
    dueAtMs: row['due_at'] as number,
    lastError: row['last_error'] as string | null,
    settledAtMs: row['settled_at'] as number | null,
  };
}

/** The verbs of the outbox. */
export function outboxVerbs({
  run,
}: Connections): Pick<Store, 'claimOutbox' | 'settleOutbox' | 'actOnOutbox' | 'outbox' | 'listOutbox'> {
  return {
    claimOutbox: async (part, { outward, limit, forMs }) =>
      (await run(CLAIM_OUTBOX, [part, outward ? [false, true] : [false], limit, forMs])).map((row) => {
        const message = messageFromRow(row);
        const { revision, ordinal } = message;
        const address = { part, runId: row['run_id'] as RunId, revision, ordinal };
        return { address, message, attempt: row['attempts'] as number };
      }),
    settleOutbox: async ({ part, runId, revision, ordinal }, attempt, result) => {
      const state = result.kind === 'failed' ? 'waiting' : result.kind;
      const waitMs = result.kind === 'failed' ? result.waitMs : 0;
      const error = result.kind === 'delivered' ? null : result.error;
      await run(SETTLE_OUTBOX, [part, runId, revision, ordinal, attempt, state, waitMs, error]);
    },
    actOnOutbox: async (part, runId, messageId, { act, by, reason }) =>
      ((await run(ACT_ON_OUTBOX, [part, runId, messageId, act, by, reason]))[0]?.['state'] as
        | OutboxState
        | undefined) ?? null,
    outbox: async (part, runId) => (await run(OUTBOX_ROWS, [part, runId])).map(recordFromRow),
    listOutbox: async (tenant, states, limit) =>
      (await run(LIST_OUTBOX, [tenant, states, limit])).map((row) => ({
        ...recordFromRow(row),
        part: row['part'] as number,
        runId: row['run_id'] as RunId,
      })),
  };
}
