/** The process clock: only for sleeping and for the monotonic self-fence; the database's time decides everything else. */
export interface Clock {
  /** Monotonic milliseconds. */
  monotonicMs(): number;
  /** Resolves after `ms` (delays over 24 days are waited in parts), or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
