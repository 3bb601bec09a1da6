import type { Json, JsonObject } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { DECISION_WAIT_MS, type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import type { Order } from './order.ts';
import { whoWasFirst } from './who-was-first.ts';

/** An order with its idempotency key; left out: a new one is made, and the same order sent again counts twice. */
export type OrderAsk = Order & { readonly eventId?: string | undefined };

/**
 * Gives a person's order to a run; it travels the road of events and is accepted or refused by the commit that consumes
 * it (R18). Whoever comes too late is told who was first. No worker is needed. Transaction: opens its own.
 * @throws PAWL_RUN_NOT_FOUND; PAWL_EVENT_CONFLICT.
 */
export async function orderRun(engine: Engine, door: Door, run: RunIdentity, ask: OrderAsk): Promise<Delivered> {
  const { eventId, ...order } = ask;
  const delivered = await deliverEvent(engine, door, {
    run,
    source: `person:${order.by}`,
    eventId: eventId ?? engine.ids.newEventId(),
    payload: order,
    waitMs: DECISION_WAIT_MS,
  });
  if (delivered.outcome !== 'refused' || !TOO_LATE.has(delivered.code ?? '')) return delivered;
  const first = await whoWasFirst(engine, run, order);
  return { ...delivered, detail: { ...asObject(delivered.detail), first } };
}

/** Answers that somebody else's act may explain. */
const TOO_LATE: ReadonlySet<string> = new Set([
  'not-in-doubt',
  'not-held',
  'compensating',
  'finally',
  'cancel-waits',
  'ended',
  'paused',
  'not-paused',
]);

function asObject(detail: Json): JsonObject {
  return typeof detail === 'object' && detail !== null && !Array.isArray(detail) ? (detail as JsonObject) : {};
}
