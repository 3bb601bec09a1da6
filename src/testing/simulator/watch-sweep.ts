import type { MemoryStore } from '../../store/memory/memory-store.ts';
import type { Violation } from './oracle.ts';

/** Sees to it that no lease is taken from a living seat: told to `violations` in the instant in which it happens (P03). */
export function watchSweep(store: MemoryStore, violations: Violation[]): MemoryStore['sweep'] {
  return async (part, limit) => {
    const { seats, runs } = store.peek();
    const swept = await store.sweep(part, limit);
    // A sweep may have waited for a transaction that was open, and seats expire meanwhile.
    const nowMs = await store.nowMs();
    const living = new Set(
      [...seats.values()].filter((seat) => seat.leaseUntilMs >= nowMs).map((seat) => seat.workerId),
    );
    for (const runId of swept) {
      // None: it was leased while the sweep waited, and to whom is not seen any more.
      const owner = runs.get(runId)?.lease?.workerId;
      if (owner !== undefined && living.has(owner))
        violations.push({ rule: 'sweep', runId, subject: owner, message: 'taken from a living seat' });
    }
    return swept;
  };
}
