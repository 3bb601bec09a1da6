import type { FastifyReply } from 'fastify';
import { ApiError } from './api-error.ts';

/** Calls in hand at a time, waiting ones among them; more are told to come again. */
export const CALLS_MAX = 256;

/** The calls of one server: how many are in hand, and whether it is leaving. */
export class Calls {
  #inHand = 0;
  readonly #leaving = new AbortController();

  /** Takes a call until its answer is sent or its caller has gone. @throws PAWL_API_OVERLOADED. */
  take({ raw }: FastifyReply): void {
    if (this.#leaving.signal.aborted) throw new ApiError('PAWL_API_OVERLOADED', 'the server is stopping');
    if (this.#inHand >= CALLS_MAX) throw new ApiError('PAWL_API_OVERLOADED', `${CALLS_MAX} calls are in hand`);
    this.#inHand += 1;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.#inHand -= 1;
      isOver = true;
    };
    raw.once('finish', end);
    raw.once('close', end);
  }

  /** Ends what a call waits for when its caller has gone, or the server goes. */
  leavingOf({ raw }: FastifyReply): AbortSignal {
    const gone = new AbortController();
    raw.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, this.#leaving.signal]);
  }

  /** Takes no more, and ends the waiting. */
  leave(): void {
    this.#leaving.abort();
  }
}
