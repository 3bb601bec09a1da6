import { describe, expect, it } from 'vitest';
import { createCircuits, hostOf, OPEN_MS_MAX, OPEN_MS_MIN, OPENS_AFTER } from '../../src/engine/circuits.ts';
import type { Outlet, Pass } from '../../src/engine/outlet.ts';
import { createRecovery } from '../../src/engine/recovery.ts';
import type { SendOrder } from '../../src/model/order.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Witness } from '../../src/ports/store.ts';
import { outcome } from '../decision/support/provider.ts';
import { keepingLogger } from './support/house.ts';

const DOWN = outcome('unavailable');
const UP = outcome('rejected');
const NOTHING = outcome('unavailable', { sent: false });

function orderTo(url: string | null, key = 'a', kind = 'header'): SendOrder {
  const request = { url, function: url === null ? 'pay@1' : null };
  return {
    request,
    effect: { key },
    attempt: 1,
    contract: { idempotency: kind === '' ? null : { kind } },
  } as unknown as SendOrder;
}

const SHOP = orderTo('https://shop.test:8443/pay');

/** Circuits over a clock that only the test moves. */
function circuits() {
  const time = { ms: 0 };
  const logger = keepingLogger();
  const outlet = createCircuits({ monotonicMs: () => time.ms, sleep: () => Promise.resolve() }, logger);
  return { time, logger, outlet, events: () => logger.lines.map(({ event }) => event) };
}

function passOf(outlet: Outlet, order = SHOP): Pass {
  const pass = outlet.ask(order, 0);
  if (pass.kind !== 'pass') throw new Error(pass.reason);
  return pass;
}

function hear(outlet: Outlet, said: Outcome, times = 1): void {
  for (let time = 0; time < times; time += 1) passOf(outlet).heard(said);
}

describe('the circuit of a host', () => {
  it('E14 opens after repeated unavailable, is told, and leaves other hosts alone', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, logger } = circuits();
    hear(outlet, DOWN, OPENS_AFTER - 1);
    hear(outlet, UP);
    hear(outlet, DOWN, OPENS_AFTER - 1);
    hear(outlet, NOTHING);
    hear(outlet, outcome('unknown', { code: 'no-answer' }));
    expect(outlet.ask(SHOP, 0)).toMatchObject({
      kind: 'refusal',
      lacks: 'circuit',
      reason: expect.stringContaining('the circuit of shop.test:8443 is open'),
    });
    expect(logger.lines).toMatchObject([
      { event: 'circuit.opened', facts: { host: 'shop.test:8443', openMs: OPEN_MS_MIN } },
    ]);
    expect(outlet.ask(orderTo('https://other.test/pay'), 0).kind).toBe('pass');
    expect(outlet.ask(orderTo(null), 0).kind).toBe('pass');
  });

  it('E14 probes with one request: its failure opens for twice as long, an answer closes', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, time, events } = circuits();
    const late = passOf(outlet);
    hear(outlet, DOWN, OPENS_AFTER);
    late.heard(DOWN);
    time.ms += OPEN_MS_MIN;
    const probe = passOf(outlet);
    expect(outlet.ask(SHOP, 0).kind).toBe('refusal');
    probe.heard(NOTHING);
    passOf(outlet).heard(DOWN);
    time.ms += OPEN_MS_MIN * 2 - 1;
    expect(outlet.ask(SHOP, 0).kind).toBe('refusal');
    time.ms += 1;
    passOf(outlet).heard(UP);
    expect(outlet.ask(SHOP, 0).kind).toBe('pass');
    expect(events()).toEqual(['circuit.opened', 'circuit.opened', 'circuit.closed']);
  });

  it('E14 is never open for longer than a minute, and no two runs come back in the same moment', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, time } = circuits();
    hear(outlet, DOWN, OPENS_AFTER);
    for (let probe = 0; probe < 12; probe += 1) {
      time.ms += OPEN_MS_MAX;
      passOf(outlet).heard(DOWN);
    }
    const waits = ['a', 'b', 'c'].map((key) => {
      const refusal = outlet.ask(orderTo('https://shop.test:8443/', key), 0);
      return refusal.kind === 'refusal' ? refusal.waitMs : 0;
    });
    expect(new Set(waits).size).toBe(3);
    for (const waitMs of waits) {
      expect(waitMs).toBeGreaterThanOrEqual(OPEN_MS_MAX);
      expect(waitMs).toBeLessThanOrEqual(OPEN_MS_MAX * 2);
    }
  });

  it('a host is the host of the address, the function, or an address that is none', () => {
    expect(hostOf({ url: 'https://a.test/x', function: null })).toBe('a.test');
    expect(hostOf({ url: null, function: 'pay@1' })).toBe('function pay@1');
    expect(hostOf({ url: 'no address', function: null })).toBe('no address');
  });
});

describe('recovery mode', () => {
  it('P14 holds back everything but remembered keys, is told once, and ends when the witness says so', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const identity = { systemIdentifier: '7', timeline: 2 };
    const open = { identity, recovery: { sinceMs: 1, was: { ...identity, timeline: 1 }, lastSeenMs: 0 } };
    let now: Witness = { identity, recovery: null };
    const { outlet, logger } = circuits();
    const recovery = createRecovery({ witness: () => Promise.resolve(now) }, logger);
    const gate = recovery.over(outlet);
    const kinds = (): readonly string[] =>
      ['header', 'field', 'key', 'natural', 'none', ''].map((kind) => gate.ask(orderTo(null, 'a', kind), 0).kind);
    await recovery.look();
    expect(new Set(kinds())).toEqual(new Set(['pass']));
    now = open;
    await recovery.look();
    await recovery.look();
    expect(kinds()).toEqual(['pass', 'pass', 'pass', 'refusal', 'refusal', 'refusal']);
    expect(gate.ask(orderTo(null, 'a', 'none'), 0)).toMatchObject({
      lacks: 'recovery',
      reason: expect.stringContaining('pawl db recovered'),
    });
    now = { identity, recovery: null };
    await recovery.look();
    expect(new Set(kinds())).toEqual(new Set(['pass']));
    expect(logger.lines.map(({ event }) => event)).toEqual(['recovery.opened', 'recovery.ended']);
  });
});
