import type { DatabaseIdentity, Witness } from '../../ports/witness-store.ts';

/** The witness row of a store in memory (P14). */
export interface MemoryWitness {
  /** @param identity which database this is now. @param nowMs the database's time. */
  look(identity: DatabaseIdentity, nowMs: number): Witness;
  /** @returns what was done after when may be forgotten; null = recovery mode is open already. */
  begin(identity: DatabaseIdentity, nowMs: number, sinceMs: number | null): number | null;
  /** @returns since when it was open, and what was done after when may be forgotten; null = it was not. */
  end(): { readonly sinceMs: number; readonly lastSeenMs: number } | null;
}

/** Nothing was seen yet. */
export function createMemoryWitness(): MemoryWitness {
  let seen: (Witness & { readonly seenMs: number }) | null = null;
  return {
    look: (identity, nowMs) => {
      const before = seen;
      const isSame =
        before === null ||
        (before.identity.systemIdentifier === identity.systemIdentifier &&
          before.identity.timeline === identity.timeline);
      const recovery = before?.recovery ?? null;
      const opened =
        recovery !== null || isSame ? recovery : { sinceMs: nowMs, was: before.identity, lastSeenMs: before.seenMs };
      const now = { identity, recovery: opened, window: before?.window ?? null };
      seen = { ...now, seenMs: nowMs };
      return now;
    },
    begin: (identity, nowMs, sinceMs) => {
      const before = seen ?? { recovery: null, window: null, identity, seenMs: nowMs };
      if (before.recovery !== null) return null;
      const { identity: was, seenMs } = before;
      const lastSeenMs = sinceMs ?? seenMs;
      seen = { ...before, recovery: { sinceMs: nowMs, was, lastSeenMs } };
      return lastSeenMs;
    },
    end: () => {
      if (seen === null || seen.recovery === null) return null;
      const { recovery, window } = seen;
      const lastSeenMs = Math.min(recovery.lastSeenMs, window?.lastSeenMs ?? recovery.lastSeenMs);
      seen = { ...seen, recovery: null, window: { lastSeenMs, sinceMs: recovery.sinceMs } };
      return { sinceMs: recovery.sinceMs, lastSeenMs: recovery.lastSeenMs };
    },
  };
}
