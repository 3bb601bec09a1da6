import type { QueueRecord, TakenOffer } from '../model/offer.ts';

/** What a store does with queues that remote workers pull from. */
export interface QueueStore {
  /**
   * Takes offers of a queue that are due, longest first, for `forMs`: by then its run has been asked, or whoever took it is gone.
   * Of two who ask at once none gets what the other got. That somebody asked is noted, to the second.
   */
  takeOffers(
    part: number,
    ask: { readonly tenant: string; readonly queue: string; readonly limit: number; readonly forMs: number },
  ): Promise<readonly TakenOffer[]>;
  /** Queues of a tenant in a part that have offers, or were asked, by name. */
  queues(part: number, tenant: string): Promise<readonly QueueRecord[]>;
}
