/** Most that is counted of one kind: a count that has come so far says "at least", and so does its age. */
export const GAUGE_COUNT_MAX = 10_000;

/** What is counted: runs that have not ended, what people are needed for, effects that are open, and what waits. */
export type GaugeMeasure = 'runs' | 'needs' | 'effects' | 'doubt' | 'timers' | 'inbox' | 'outbox' | 'batches';

/** How much of one kind is stored now. */
export interface Gauge {
  readonly measure: GaugeMeasure;
  /** A status, a kind of incident, a state; null where the measure has none. */
  readonly label: string | null;
  /** At least 1, at most `GAUGE_COUNT_MAX`. */
  readonly count: number;
  /** Since when the oldest of them has waited, milliseconds by the database's clock; null where nobody waits for it by the clock. */
  readonly ageMs: number | null;
}
