import type { DatabaseIdentity, Witness } from '../../ports/store.ts';

/** The witness row of a store in memory (P14). */
export interface MemoryWitness {
  /** @param identity which database this is now. @param nowMs the database's time. */
  look(identity: DatabaseIdentity, nowMs: number): Witness;
  end(): boolean;
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
    end: () => {
      if (seen === null || seen.recovery === null) return false;
      seen = { ...seen, recovery: null };
      return true;
    },
  };
}
