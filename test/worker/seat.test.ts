import { describe, expect, it } from 'vitest';
import type { WorkerId } from '../../src/model/ids.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createSeat } from '../../src/worker/seat.ts';

/** A monotonic clock that the test moves. */
function handClock(): Clock & { at: number } {
  return {
    at: 0,
    monotonicMs() {
      return this.at;
    },
    sleep: () => Promise.resolve(),
  };
}

const numbers = numbersFor(1_500);
const seatAt = (clock: Clock) => createSeat('w' as WorkerId, 0, clock, numbers);

describe('seat', () => {
  it('E05 gate: open while the seat has its margin and the request was decided at most sendWithin ago', () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const clock = handClock();
    const gate = seatAt(clock).gateFor(0);
    expect(gate()).toBe(true);
    clock.at = numbers.sendWithinMs;
    expect(gate()).toBe(true);
    clock.at = numbers.sendWithinMs + 1;
    expect(gate()).toBe(false);
  });

  it('E05 margin: closed as soon as the seat has less than its margin left, however young the commit is', () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const clock = handClock();
    const seat = seatAt(clock);
    clock.at = numbers.leaseMs - numbers.sendMarginMs;
    expect(seat.gateFor(clock.at)()).toBe(true);
    clock.at += 1;
    expect(seat.gateFor(clock.at)()).toBe(false);
  });

  it('E05 heartbeat: a renewed seat carries sendings beyond the first lease', () => {
    // E05: "An action's timeout may be longer than the lease: the heartbeat carries it."
    const clock = handClock();
    const seat = seatAt(clock);
    clock.at = 1_400;
    seat.extend(1_400);
    clock.at = 2_000;
    expect(seat.gateFor(1_990)()).toBe(true);
    expect(seat.lives()).toBe(true);
  });

  it('P03 a seat whose lease has passed on the monotonic clock does not live, and nothing leaves under it', () => {
    // P03: "Deliver inserts the process's seat if absent; the sweep deletes seats expired for 1 h that hold no lease."
    const clock = handClock();
    const seat = seatAt(clock);
    clock.at = numbers.leaseMs;
    expect(seat.lives()).toBe(false);
    expect(seat.gateFor(clock.at)()).toBe(false);
  });

  it('P03 an ended seat closes every gate and aborts its signal', () => {
    // P03: "A process has one row per part, `seat(part, worker_id, lease_until)`; worker ids are new at every start and after every lost seat."
    const clock = handClock();
    const seat = seatAt(clock);
    const gate = seat.gateFor(0);
    seat.end();
    expect(gate()).toBe(false);
    expect(seat.lives()).toBe(false);
    expect(seat.signal.aborted).toBe(true);
  });

  it('P03 a renewal that was asked for earlier never shortens the seat', () => {
    // P03: "Deliver inserts the process's seat if absent; the sweep deletes seats expired for 1 h that hold no lease."
    const clock = handClock();
    const seat = seatAt(clock);
    seat.extend(1_000);
    seat.extend(500);
    clock.at = 2_400;
    expect(seat.lives()).toBe(true);
  });
});
