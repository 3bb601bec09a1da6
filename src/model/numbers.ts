/** The engine's numbers in one place (design: 3-semantics, "Numbers"); milliseconds unless named otherwise. */
export interface Numbers {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly sendMarginMs: number;
  readonly sendWithinMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly heldRunsMax: number;
}

/**
 * What becomes due within this time is hinted at; who hears hints looks for what is due at least this often
 * (5-storage: poll 20 ms busy to 1 s idle), milliseconds.
 */
export const HINT_WITHIN_MS = 1_000;

/**
 * Derives every number from the lease unless it is set.
 * @param leaseMs how long a process may be silent before others take its runs; 30 000 in production, 1 500 in tests.
 */
export function numbersFor(leaseMs: number, set: Partial<Numbers> = {}): Numbers {
  return {
    leaseMs,
    heartbeatMs: Math.floor(leaseMs / 6),
    sendMarginMs: Math.floor(leaseMs / 15),
    sendWithinMs: Math.floor(leaseMs / 6),
    statementTimeoutMs: 5_000,
    lockTimeoutMs: 1_000,
    heldRunsMax: 500,
    ...set,
  };
}
