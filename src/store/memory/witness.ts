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
      seen = { identity, recovery: opened, seenMs: nowMs };
      return { identity, recovery: opened };
    },
    begin: (identity, nowMs, sinceMs) => {
      const { recovery, identity: was, seenMs } = seen ?? { recovery: null, identity, seenMs: nowMs };
      if (recovery !== null) return null;
      const lastSeenMs = sinceMs ?? seenMs;
      seen = { identity: was, recovery: { sinceMs: nowMs, was, lastSeenMs }, seenMs };
      return lastSeenMs;
    },
    end: () => {
      if (seen === null || seen.recovery === null) return null;
      const { sinceMs, lastSeenMs } = seen.recovery;
      seen = { ...seen, recovery: null };
      return { sinceMs, lastSeenMs };
    },
  };
}
