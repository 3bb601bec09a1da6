import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';
import { createAlone } from '../../src/worker/alone.ts';

function setUp() {
  const clock: Clock & { at: number } = { at: 0, monotonicMs: () => clock.at, sleep: () => Promise.resolve() };
  const hands = { held: 0 };
  return { clock, hands, alone: createAlone({ clock, patienceMs: 1_000, heldCount: () => hands.held }) };
}

describe('a suspect', () => {
  it('P06 alone: it is held only while this process holds nothing else in any part, and nothing else is claimed beside it', () => {
    // P06: "only crashes while it is held alone count towards the three that park it (`poison`)."
    const { hands, alone } = setUp();
    hands.held = 1;
    expect(alone.admit()).toBe(false);
    hands.held = 0;
    expect(alone.admit()).toBe(true);
    expect(alone.mayClaim()).toBe(false);
    expect(alone.admit()).toBe(false);
    alone.release();
    expect(alone.mayClaim()).toBe(true);
  });

  it('P06 patience: after it has waited for a lease, nothing new is claimed until the hands are empty', () => {
    // P06: "A run taken over from a dead worker is suspect and is claimed alone."
    const { clock, hands, alone } = setUp();
    hands.held = 3;
    expect(alone.admit()).toBe(false);
    clock.at = 999;
    expect(alone.mayClaim()).toBe(true);
    clock.at = 1_000;
    expect(alone.mayClaim()).toBe(false);
    hands.held = 0;
    expect(alone.mayClaim()).toBe(true);
    expect(alone.admit()).toBe(true);
  });
});
