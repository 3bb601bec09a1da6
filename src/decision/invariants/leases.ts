import type { RowCheck } from './check.ts';

/** A seat that is gone so long has been looked past by every sweep, milliseconds: at a lease of 30 s, two of them. */
const GONE_MS = 60_000;

/**
 * P03, P16: who holds a run is said twice, by the head (whom claims read) and by the lease (where sweeps begin), under one
 * fence. Legal in between: a lease whose seat has just expired; an ended run that is still held, by whoever waits for what
 * is in flight or empties its inbox (W05).
 */
export const LEASE: RowCheck = {
  name: 'lease',
  rule: 'P03, P16',
  promise:
    "Head and lease name the same holder under the same fence, and the holder's seat lives, or died a moment ago.",
  mend: 'a worker frees runs of dead ones by itself: start one; a head without a lease nobody frees: set its owner to NULL and add a wake-up',
  find: ({ head, lease }, nowMs) => {
    if (lease === null)
      return head.owner === null
        ? []
        : [{ row: 'head', what: `${head.owner} holds it, and there is no lease: no claim and no sweep finds it` }];
    const row = `lease ${lease.workerId}`;
    const aliveUntilMs = lease.seatUntilMs ?? lease.claimedAtMs;
    return [
      ...(head.owner === lease.workerId
        ? []
        : [{ row, what: `the head names ${head.owner ?? 'nobody'} as its holder` }]),
      ...(head.fence === lease.fence ? [] : [{ row, what: `its fence is ${lease.fence}, the head's ${head.fence}` }]),
      ...(aliveUntilMs + GONE_MS >= nowMs ? [] : [{ row, what: 'its worker is gone, and nobody has taken over' }]),
    ];
  },
};
