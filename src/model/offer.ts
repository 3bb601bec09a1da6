import type { EffectKey, RunId } from './ids.ts';

/**
 * That the next attempt of an effect may be handed out to whoever pulls from its queue. Only a hint, like a wake-up: whether it
 * still may, the run's ledger says when it is pulled.
 */
export interface Offer {
  readonly effectKey: EffectKey;
  readonly queue: string;
  /** Not before this database time, epoch milliseconds; null = it is offered no more. */
  readonly dueAtMs: number | null;
}

/** An offer that a puller has taken, for a moment, to ask its run. */
export interface TakenOffer {
  readonly runId: RunId;
  readonly effectKey: EffectKey;
}

/** How a queue stands in one part. */
export interface QueueRecord {
  readonly part: number;
  readonly queue: string;
  /** Offers that may be taken now, or are being taken. */
  readonly offered: number;
  /** When the longest of them could be taken first; null = there is none. */
  readonly sinceMs: number | null;
  /** When somebody last asked for attempts; null = nobody ever has. */
  readonly askedAtMs: number | null;
}

/** One attempt that was handed out to a remote worker, and the numbers by which every word about it is known again. */
export interface HandOut {
  readonly runId: RunId;
  readonly effectKey: EffectKey;
  readonly attempt: number;
  readonly fence: number;
}
