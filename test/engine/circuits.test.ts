import { describe, expect, it } from 'vitest';
import { createCircuits, hostOf, OPEN_MS_MAX, OPEN_MS_MIN, OPENS_AFTER } from '../../src/engine/circuits.ts';
import { depart } from '../../src/engine/depart.ts';
import type { Departure, Outlet, Pass } from '../../src/engine/outlet.ts';
import { createRecovery } from '../../src/engine/recovery.ts';
import type { Touch } from '../../src/engine/touch.ts';
import type { AttemptReport, Outcome } from '../../src/model/outcome.ts';
import type { Witness } from '../../src/ports/witness-store.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { outcome } from '../decision/support/provider.ts';
import { keepingLogger } from './support/house.ts';

/** What came back, and what was made of it. */
type Heard = readonly [AttemptReport, Outcome];
const BROKEN: AttemptReport = { kind: 'broken', byteWritten: true, reason: 'reset' };
const DOWN: Heard = [answered(503, {}), outcome('unavailable')];
const UP: Heard = [answered(402, {}), outcome('rejected')];
const NOTHING: Heard = [{ kind: 'unsent', reason: 'too late' }, outcome('unavailable', { sent: false })];

const DAY_MS = 24 * 3_600_000;
/** After recovery mode has begun. */
const BEGUN_MS = 5_000;
function orderTo(url: string | null, seed = 'a', kind = 'header'): Departure {
  const request = { url, function: url === null ? 'pay@1' : null };
  const idempotency = kind === '' ? null : { kind, remembersMs: DAY_MS };
  return {
    request,
    contract: { idempotency } as Departure['contract'],
    acts: true,
    begunAtMs: BEGUN_MS,
    seed,
    turn: 1,
  };
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

function hear(outlet: Outlet, said: Heard, times = 1): void {
  for (let time = 0; time < times; time += 1) passOf(outlet).heard(...said);
}

describe('the circuit of a host', () => {
  it('E14 opens after repeated unavailable, is told, and leaves other hosts alone', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, logger } = circuits();
    hear(outlet, DOWN, OPENS_AFTER - 1);
    hear(outlet, UP);
    hear(outlet, DOWN, OPENS_AFTER - 1);
    hear(outlet, NOTHING);
    hear(outlet, [BROKEN, outcome('unknown', { code: 'no-answer' })]);
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

  it('E14 the fifth request in a row that finds nobody opens it: sendings, questions and reads of a host count together', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, …"
    const { outlet } = circuits();
    const question: Departure = { ...SHOP, acts: false };
    const nobody: readonly Heard[] = [
      DOWN,
      [BROKEN, outcome('unknown', { code: 'query-failed' })],
      [answered(502, undefined), outcome('unknown', { code: 'query-failed' })],
      [{ kind: 'declared', outcome: 'unavailable', code: null, afterMs: null, data: null }, outcome('unknown')],
    ];
    for (const heard of nobody) passOf(outlet, question).heard(...heard);
    passOf(outlet).heard(...DOWN);
    expect([outlet.ask(SHOP, 0).kind, outlet.ask(question, 0).kind]).toEqual(['refusal', 'refusal']);
    const other = circuits().outlet;
    for (const heard of nobody) passOf(other, question).heard(...heard);
    expect(other.ask(SHOP, 0).kind).toBe('pass');
    // A lookup that answers, even that it cannot tell, shows a host that is there.
    passOf(other, question).heard(answered(500, {}), outcome('unknown', { code: 'query-failed' }));
    hear(other, DOWN, 4);
    expect(other.ask(SHOP, 0).kind).toBe('pass');
  });

  it('E14 probes with one request: its failure opens for twice as long, an answer closes', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, time, events } = circuits();
    const late = passOf(outlet);
    hear(outlet, DOWN, OPENS_AFTER);
    late.heard(...DOWN);
    time.ms += OPEN_MS_MIN;
    const probe = passOf(outlet);
    expect(outlet.ask(SHOP, 0).kind).toBe('refusal');
    probe.heard(...NOTHING);
    passOf(outlet).heard(...DOWN);
    time.ms += OPEN_MS_MIN * 2 - 1;
    expect(outlet.ask(SHOP, 0).kind).toBe('refusal');
    time.ms += 1;
    passOf(outlet).heard(...UP);
    expect(outlet.ask(SHOP, 0).kind).toBe('pass');
    expect(events()).toEqual(['circuit.opened', 'circuit.opened', 'circuit.closed']);
  });

  it('E14 is never open for longer than a minute, and no two runs come back in the same moment', () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const { outlet, time } = circuits();
    hear(outlet, DOWN, OPENS_AFTER);
    for (let probe = 0; probe < 12; probe += 1) {
      time.ms += OPEN_MS_MAX;
      passOf(outlet).heard(...DOWN);
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
    const open = { identity, recovery: { sinceMs: 1, was: { ...identity, timeline: 1 }, lastSeenMs: 0 }, window: null };
    let now: Witness = { identity, recovery: null, window: null };
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
    expect(gate.ask({ ...orderTo(null, 'a', 'none'), acts: false }, 0).kind).toBe('pass');
    now = { identity, recovery: null, window: { sinceMs: 1, lastSeenMs: 0 } };
    await recovery.look();
    expect(new Set(kinds())).toEqual(new Set(['pass']));
    expect(logger.lines.map(({ event }) => event)).toEqual(['recovery.opened', 'recovery.ended']);
  });

  it('P14 a no in recovery mode speaks of this sending alone, unless the action names it: it may have been sent before', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const identity = { systemIdentifier: '7', timeline: 2 };
    const open: Witness = { identity, recovery: { sinceMs: 1, was: identity, lastSeenMs: 0 }, window: null };
    let now: Witness = { identity, recovery: null, window: null };
    const { outlet, logger } = circuits();
    const recovery = createRecovery({ witness: () => Promise.resolve(now) }, logger);
    const touch = { outlet: recovery.over(outlet), nowMs: () => 0 } as unknown as Touch;
    const cameTo = async (kind: Outcome['kind'], set: Partial<Outcome> & { acts?: boolean } = {}): Promise<string> => {
      const { acts = true, ...rest } = set;
      const judge = (): Outcome => outcome(kind, rest);
      return (await depart(touch, { ...SHOP, acts }, { leave: () => Promise.resolve(BROKEN), judge })).kind;
    };
    const noes = ['rejected', 'throttled', 'unavailable'] as const;
    for (const no of noes) expect(await cameTo(no)).toBe(no);
    now = open;
    await recovery.look();
    for (const no of noes) expect(await cameTo(no)).toBe('unknown');
    expect(await cameTo('rejected', { named: true })).toBe('rejected');
    expect(await cameTo('unavailable', { sent: false })).toBe('unavailable');
    expect(await cameTo('rejected', { acts: false })).toBe('rejected');
    expect(await cameTo('confirmed')).toBe('confirmed');
  });

  it('P14 a key counts as remembered as long as the provider would know the first one that may be forgotten', async () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const identity = { systemIdentifier: '7', timeline: 2 };
    const witness: Witness = { identity, recovery: { sinceMs: 1_000, was: identity, lastSeenMs: 0 }, window: null };
    const { outlet, logger } = circuits();
    const recovery = createRecovery({ witness: () => Promise.resolve(witness) }, logger);
    await recovery.look();
    const at = (nowMs: number): string => recovery.over(outlet).ask(SHOP, nowMs).kind;
    expect([at(DAY_MS * 0.9), at(DAY_MS * 0.9 + 1)]).toEqual(['pass', 'refusal']);
  });

  it('P14 what a run from before it would do blindly is in doubt, during it and after it, until it is found not to have happened', async () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const identity = { systemIdentifier: '7', timeline: 2 };
    let now: Witness = { identity, recovery: { sinceMs: 1_000, was: identity, lastSeenMs: 500 }, window: null };
    const { outlet, logger } = circuits();
    const recovery = createRecovery({ witness: () => Promise.resolve(now) }, logger);
    const KINDS = ['header', 'natural', 'none', ''];
    const said = (past: Partial<Departure>, nowMs = 2_000): readonly string[] =>
      KINDS.map((kind) => {
        const answer = recovery.over(outlet).ask({ ...orderTo(null, 'a', kind), ...past }, nowMs);
        return answer.kind === 'pass' ? answer.kind : answer.lacks;
      });
    const old = { begunAtMs: 700 };
    await recovery.look();
    expect(said(old)).toEqual(['pass', 'recovery', 'word', 'word']);
    expect(said({ begunAtMs: 1_001 })).toEqual(['pass', 'recovery', 'recovery', 'recovery']);
    expect(said({ ...old, clearedAtMs: 1_000 })).toEqual(['pass', 'recovery', 'recovery', 'recovery']);
    expect(said({ ...old, clearedAtMs: 999 })).toEqual(['pass', 'recovery', 'word', 'word']);
    expect(said({ ...old, acts: false })).toEqual(['pass', 'pass', 'pass', 'pass']);
    // Before its run began nothing was sent under its key.
    expect(said(old, 700 + DAY_MS * 0.9)[0]).toBe('pass');
    expect(said(old, 701 + DAY_MS * 0.9)[0]).toBe('word');
    now = { identity, recovery: null, window: { sinceMs: 1_000, lastSeenMs: 500 } };
    await recovery.look();
    expect(said(old)).toEqual(['pass', 'pass', 'word', 'word']);
    expect(said({ begunAtMs: 1_001 })).toEqual(['pass', 'pass', 'pass', 'pass']);
    expect(said({ ...old, clearedAtMs: 1_000 })).toEqual(['pass', 'pass', 'pass', 'pass']);
    // Lost again: what was found then may have been sent since, and the first loss still counts.
    now = { identity, recovery: { sinceMs: 3_000, was: identity, lastSeenMs: 2_500 }, window: now.window };
    await recovery.look();
    expect(said({ ...old, clearedAtMs: 1_000 })).toEqual(['pass', 'recovery', 'word', 'word']);
    expect(said({ begunAtMs: 100 }, 501 + DAY_MS * 0.9)[0]).toBe('word');
  });
});
