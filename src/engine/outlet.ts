import type { SendOrder } from '../model/order.ts';
import type { Outcome } from '../model/outcome.ts';

/** Leave to send one request, to be given back with what it found. */
export interface Pass {
  readonly kind: 'pass';
  heard(outcome: Outcome): void;
}

/** Nothing is sent there for now; the row waits, and the attempt does not count. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly lacks: 'circuit' | 'recovery';
  readonly reason: string;
  /** How long to wait before asking again, milliseconds. */
  readonly waitMs: number;
}

/** What decides whether a request may leave this process now, beside the gate of its seat. */
export interface Outlet {
  /** @param nowMs the database's time, for what is said. */
  ask(order: SendOrder, nowMs: number): Pass | Refusal;
}
