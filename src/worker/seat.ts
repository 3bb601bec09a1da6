import type { WorkerId } from '../model/ids.ts';
import type { Numbers } from '../model/numbers.ts';
import type { SendGate } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';

/** One life of a process's claim to work in a part (P03): its name, its end, and what it allows. */
export interface Seat {
  readonly workerId: WorkerId;
  /** Aborts when the seat is lost or left: sockets close, results become observations. */
  readonly signal: AbortSignal;
  /** The store has renewed it; `askedAtMs` is the monotonic time before the asking. */
  extend(askedAtMs: number): void;
  /** Whether it still lives by the monotonic clock. */
  lives(): boolean;
  end(): void;
  /** E05: open while the seat has its margin and the REQUESTED row was decided less than `sendWithinMs` ago (monotonic). */
  gateFor(decidedAtMs: number): SendGate;
}

/**
 * @param takenAtMs monotonic time before the store was asked for the seat; its life is counted from there.
 */
export function createSeat(workerId: WorkerId, takenAtMs: number, clock: Clock, numbers: Numbers): Seat {
  const life = new AbortController();
  let endsAtMs = takenAtMs + numbers.leaseMs;
  return {
    workerId,
    signal: life.signal,
    extend: (askedAtMs) => {
      endsAtMs = Math.max(endsAtMs, askedAtMs + numbers.leaseMs);
    },
    lives: () => !life.signal.aborted && clock.monotonicMs() < endsAtMs,
    end: () => life.abort(),
    gateFor: (decidedAtMs) => () => {
      const nowMs = clock.monotonicMs();
      return (
        !life.signal.aborted && endsAtMs - nowMs >= numbers.sendMarginMs && nowMs - decidedAtMs <= numbers.sendWithinMs
      );
    },
  };
}
