import type { InboxPayload } from '../model/inbox-event.ts';
import type { RunIdentity } from '../model/run.ts';
import { DECISION_WAIT_MS, type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';

/** What a person may order of a run beside votes and signals. */
export type Order = Extract<
  InboxPayload,
  { type: 'cancel' | 'terminate' | 'compensate' | 'retry' | 'resolve' | 'reconcile' }
>;

/** An order with its idempotency key; left out: a new one is made, and the same order sent again counts twice. */
export type OrderAsk = Order & { readonly eventId?: string | undefined };

/**
 * Gives a person's order to a run; it travels the road of events and is accepted or refused by the commit that consumes
 * it (R18). No worker is needed. Transaction: opens its own.
 * @throws PAWL_RUN_NOT_FOUND; PAWL_EVENT_CONFLICT.
 */
export async function orderRun(engine: Engine, door: Door, run: RunIdentity, ask: OrderAsk): Promise<Delivered> {
  const { eventId, ...order } = ask;
  return deliverEvent(engine, door, {
    run,
    source: `person:${order.by}`,
    eventId: eventId ?? engine.ids.newEventId(),
    payload: order,
    waitMs: DECISION_WAIT_MS,
  });
}
