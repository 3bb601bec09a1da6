import { PawlError, StoreError } from '../model/errors.ts';
import { type ClaimedMessage, isOutward, type OutboxTopic, type SendingResult } from '../model/outbox.ts';
import type { Engine } from './engine.ts';
import { relayInside } from './relay-children.ts';

/** Messages taken at once. */
const MESSAGES_MAX = 20;
/** How long a claim keeps others from sending the same: longer than any sending takes, milliseconds. */
const CLAIM_MS = 30_000;
/** Waits between sendings: each twice the one before, up to the longest, milliseconds. */
const WAIT_MS_MIN = 1_000;
const WAIT_MS_MAX = 3_600_000;
/** Sendings after which a message that leaves the house is put aside for a person: within about ten hours. */
export const SENDINGS_MAX = 20;

/** Between runs of the house nothing is given up, and nothing waits for long, milliseconds. */
const INSIDE_WAIT_MS_MAX = 10_000;

/** What a relay needs of its lane. */
export interface RelayDesk {
  readonly part: number;
  /** The database's time, epoch milliseconds. */
  nowMs(): number;
  /** Something was put where a run of this house may find it at once. */
  nudge(): void;
  /** Aborts when nothing more is to be sent from here. */
  readonly signal: AbortSignal;
}

/** The wait before the next sending. @param attempt how many there were. */
export function relayWaitMs(attempt: number): number {
  return Math.min(WAIT_MS_MIN * 2 ** (attempt - 1), WAIT_MS_MAX);
}

function resultOf(error: string | null, attempt: number): SendingResult {
  if (error === null) return { kind: 'delivered' };
  if (attempt >= SENDINGS_MAX) return { kind: 'dead', error };
  return { kind: 'failed', error, waitMs: relayWaitMs(attempt) };
}

/** A start that nobody waits for and that can never be is a person's affair; nothing else between runs is given up. */
function resultOfFault(error: PawlError, topic: OutboxTopic, attempt: number): SendingResult {
  const told = `${error.code}: ${error.message}`;
  const isForGood = error.retry === 'never' && !(error instanceof StoreError);
  if (isForGood && topic === 'child.start') return { kind: 'dead', error: told };
  return { kind: 'failed', error: told, waitMs: Math.min(relayWaitMs(attempt), INSIDE_WAIT_MS_MAX) };
}

/** Brings a message to another run of the house. */
async function relayToRun(
  engine: Engine,
  desk: RelayDesk,
  { address, message, attempt }: ClaimedMessage,
): Promise<void> {
  let result: SendingResult = { kind: 'delivered' };
  try {
    await relayInside(engine, address.runId, message, desk.nowMs());
    desk.nudge();
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    result = resultOfFault(error, message.topic, attempt);
    engine.logger.warn({ runId: address.runId, topic: message.topic, attempt, code: error.code }, 'message.failed');
  }
  await engine.store.settleOutbox(address, attempt, result);
}

async function relayOne(engine: Engine, desk: RelayDesk, claimed: ClaimedMessage): Promise<void> {
  const { address, message, attempt } = claimed;
  const { publisher, logger } = engine;
  if (!isOutward(message.topic)) {
    await relayToRun(engine, desk, claimed);
    return;
  }
  if (publisher === undefined) return;
  const error = await publisher.send({ id: message.messageId, body: message.body, atMs: desk.nowMs() }, desk.signal);
  const result = resultOf(error, attempt);
  const facts = { runId: address.runId, messageId: message.messageId, attempt, error };
  if (result.kind === 'failed') logger.warn(facts, 'message.failed');
  if (result.kind === 'dead') logger.error(facts, 'message.dead');
  await engine.store.settleOutbox(address, attempt, result);
}

/**
 * Sends messages of a part that are due, at least once each (V09): a claim whose process dies is over by itself, and what
 * was sent then is sent again under the same id. Transaction: one for the claims, one per message.
 * @returns how many were tried.
 */
export async function relayMessages(engine: Engine, desk: RelayDesk): Promise<number> {
  const { store } = engine;
  const ask = { outward: engine.publisher !== undefined, limit: MESSAGES_MAX, forMs: CLAIM_MS };
  const claimed = await store.claimOutbox(desk.part, ask);
  const relayed = await Promise.allSettled(claimed.map((one) => relayOne(engine, desk, one)));
  for (const { reason } of relayed.filter((one) => one.status === 'rejected'))
    if (!(reason instanceof PawlError)) throw reason;
  return claimed.length;
}
