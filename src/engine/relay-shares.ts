import { effectKey } from '../decision/effect-key.ts';
import { beforeNext, closedShare, turnShare, type TurnedShare } from '../decision/turn-share.ts';
import { StoreError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { RunId } from '../model/ids.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { OutboxMessage } from '../model/outbox.ts';
import { type SharedEffect, type ShareMessage, type ShareNews, sharePart } from '../model/shared-effect.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Engine } from './engine.ts';

/** Turns at one row that others may take first before the message is brought again later. */
const TRIES_MAX = 8;

/**
 * Brings what a run says of a shared act to the act's own row, and what follows from it to its users (E11): the row changes in a
 * statement of its own, and each user hears once. @throws PAWL_STORE_* what may go better later. Transaction: the store's own.
 */
export async function relayShare(engine: Engine, from: RunId, message: OutboxMessage, nowMs: number): Promise<void> {
  const told = JSON.parse(message.body) as ShareMessage;
  const standing = told.saying.say === 'ask' ? await openGeneration(engine, told) : null;
  const tell = standing === null ? await turn(engine, { from, message, told, nowMs }) : [{ to: from, news: standing }];
  for (const { to, news } of tell) await post(engine, to, news);
}

interface Relayed {
  readonly from: RunId;
  readonly message: OutboxMessage;
  readonly told: ShareMessage;
  readonly nowMs: number;
}

async function turn({ store }: Engine, { from, message, told, nowMs }: Relayed): Promise<TurnedShare['tell']> {
  const part = sharePart(told.effectKey, store.parts);
  const at = [message.revision, message.ordinal] as const;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await store.sharedEffect(part, told.effectKey);
    const { after, tell } = turnShare(before, { part, from, at, atMs: nowMs, message: told });
    if (after === null || (await store.putSharedEffect(after))) return tell;
  }
  throw new StoreError('PAWL_STORE_UNAVAILABLE', 'others have changed the shared act meanwhile');
}

/** @returns what its asker is told where the generation before stands; null = this one may begin. @throws while that is open. */
async function openGeneration(
  { store }: Engine,
  { tenant, effectKey: key, ingredients }: ShareMessage,
): Promise<ShareNews | null> {
  if (ingredients.generation === 0) return null;
  const earlier: SharedEffect['ingredients'] = { ...ingredients, generation: ingredients.generation - 1 };
  const about = { tenant, effectKey: effectKey(earlier), ingredients: earlier };
  const part = sharePart(about.effectKey, store.parts);
  const previous = await store.sharedEffect(part, about.effectKey);
  const next = beforeNext(previous);
  if (next === 'go') return null;
  if (next === 'stands')
    return { effectKey: key, word: 'stands', undoKey: null, of: previous?.owner ?? null, outcome: null };
  if (next === 'close' && (await store.putSharedEffect(closedShare(previous, { part, ...about })))) return null;
  throw new StoreError('PAWL_STORE_UNAVAILABLE', 'the generation before is not over');
}

async function post({ store }: Engine, to: RunId, news: ShareNews): Promise<void> {
  const part = partOf(to, store.parts);
  const payload: InboxPayload = { type: 'share.told', news };
  const eventId = news.undoKey === null ? news.effectKey : `${news.undoKey}:undo`;
  const payloadHash = hashJson(payload as unknown as Json);
  await store.deliver(part, [{ part, runId: to, source: 'share', eventId, payload, payloadHash }]);
}
