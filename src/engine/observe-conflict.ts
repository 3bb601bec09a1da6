import { invariant } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Delivery, DeliveryAnswer } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** An event concerns a run, not a row of its ledger. */
const NO_EFFECT = '' as EffectKey;

/**
 * Files that an event id came again with another payload (V02): who sent it, its digest and that of the event that counts,
 * and when; never the payload. The same conflict again is the same observation. Transaction: the store's own.
 */
export async function observeConflict(engine: Engine, delivery: Delivery, answer: DeliveryAnswer): Promise<void> {
  const { part, runId, source, eventId, payloadHash } = delivery;
  const first = (await engine.store.inbox(part, runId)).find(
    (event) => event.source === source && event.eventId === eventId,
  );
  invariant(first !== undefined, 'the event that counts is not in its inbox', { runId, source, eventId });
  const detail = {
    source,
    eventId,
    refused: payloadHash,
    counts: first.payloadHash,
    atMs: answer.nowMs,
  };
  await engine.store.observe([
    {
      part,
      runId,
      effectKey: NO_EFFECT,
      source: 'event-conflict',
      sourceId: `${source}/${eventId}:${payloadHash}`,
      detail,
    },
  ]);
  engine.logger.warn({ runId, source, eventId }, 'event.conflict');
}
