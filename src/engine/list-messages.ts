import { NotFoundError, RefusedError } from '../model/errors.ts';
import { isOutward, type OutboxAct, type OutboxLine, type OutboxRecord, type OutboxState } from '../model/outbox.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** Messages of one list. */
const MESSAGES_MAX = 1_000;

/** A message as people and programs see it; times RFC 3339 UTC. */
export interface MessageView {
  readonly id: string;
  /** `event`, `reminder`, or what goes to another run. */
  readonly topic: string;
  /** The name of the event; null for what stays in the house. */
  readonly event: string | null;
  readonly key: string | null;
  readonly step: string | null;
  readonly state: OutboxState;
  /** Sendings so far. */
  readonly attempts: number;
  readonly at: string;
  /** Not sent before; null once it is delivered, given up or dropped. */
  readonly dueAt: string | null;
  readonly lastError: string | null;
}

/** A message of a list, with its run. */
export interface MessageLineView extends MessageView {
  readonly run: string;
}

/** A message of a run. */
export function messageView(message: OutboxRecord): MessageView {
  const { messageId, topic, key, step, state, attempts, atMs, dueAtMs, lastError, body } = message;
  return {
    id: messageId,
    topic,
    event: isOutward(topic) ? (JSON.parse(body) as { readonly type: string }).type : null,
    key,
    step,
    state,
    attempts,
    at: new Date(atMs).toISOString(),
    dueAt: state === 'waiting' ? new Date(dueAtMs).toISOString() : null,
    lastError,
  };
}

function lineView(line: OutboxLine): MessageLineView {
  return { run: displayRunId(line.runId), ...messageView(line) };
}

/** Messages that are on their way or were given up, the oldest first. @param dead only those that were given up. Transaction: none. */
export async function listMessages(engine: Engine, dead: boolean): Promise<readonly MessageLineView[]> {
  return (await engine.store.listOutbox(engine.tenant, dead ? ['dead'] : null, MESSAGES_MAX)).map(lineView);
}

/**
 * A person has an undelivered message sent again, or lets it go; recorded with who and why. What goes to another run of the
 * house cannot be let go: that run would wait for ever, but for the start of a child that nobody waits for and that was given up.
 * @throws PAWL_MESSAGE_NOT_FOUND; PAWL_USAGE for one that is delivered or dropped. Transaction: the store's own.
 */
export async function actOnMessage(engine: Engine, run: RunIdentity, id: string, act: OutboxAct): Promise<void> {
  for (const [what, value] of Object.entries({ id, by: act.by, reason: act.reason }))
    refuseUnstorable(`the ${what}`, value);
  const message = (await engine.store.outbox(run.part, run.runId)).find(({ messageId }) => messageId === id);
  if (message === undefined)
    throw new NotFoundError('PAWL_MESSAGE_NOT_FOUND', `run ${displayRunId(run.runId)} has no message ${id}`, {
      runId: run.runId,
      messageId: id,
    });
  if (act.act === 'drop' && !isOutward(message.topic) && message.state !== 'dead')
    throw new RefusedError('PAWL_USAGE', `message ${id} goes to another run, which would wait for it for ever`, {
      messageId: id,
    });
  const was = await engine.store.actOnOutbox(run.part, run.runId, id, act);
  if (was === 'waiting' || was === 'dead') return;
  throw new RefusedError('PAWL_USAGE', `message ${id} is ${String(was)}: nothing can be done about it`, {
    messageId: id,
  });
}
