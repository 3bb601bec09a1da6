import { describe, expect, it } from 'vitest';
import { TROUBLES } from '../../../src/testing/simulator/fault-plan.ts';
import { remote } from '../../../src/testing/simulator/scenario-remote.ts';
import { shrink } from '../../../src/testing/simulator/shrink.ts';
import { simulate, type SimulationResult, wholeSeed } from '../../../src/testing/simulator/simulate.ts';

/** A different stretch than CI's 300 seeds, small enough for every test run. */
const SEEDS = Array.from({ length: 12 }, (_, index) => 1_001 + index);

describe('the simulator', () => {
  it('plays a seed twice to the same byte', async () => {
    for (const seed of SEEDS.slice(0, 4)) {
      const first = await simulate(wholeSeed(seed));
      const second = await simulate(wholeSeed(seed));
      expect(second.journal).toBe(first.journal);
      expect(second.figures).toEqual(first.figures);
    }
  }, 60_000);

  it('finds no broken promise in a stretch of seeds, and puts them through every kind of trouble', async () => {
    const results: SimulationResult[] = [];
    for (const seed of SEEDS) results.push(await simulate(wholeSeed(seed)));
    expect(results.flatMap(({ seed, violations }) => violations.map((found) => ({ seed, ...found })))).toEqual([]);
    const sum = (name: 'crashes' | 'pauses' | 'fenced' | 'lost' | 'runs'): number =>
      results.reduce((total, { figures }) => total + figures[name], 0);
    for (const name of ['crashes', 'pauses', 'fenced', 'lost', 'runs'] as const)
      expect(sum(name), name).toBeGreaterThan(0);
  }, 60_000);

  it('E03 E08 finds no broken promise where remote workers die, are late and say things twice', async () => {
    // E03: "REQUESTED … is committed before the first byte leaves"; E08: late answers "never overwrite".
    const violations: unknown[] = [];
    const states = new Set<string>();
    for (const seed of SEEDS) {
      const result = await simulate({ ...wholeSeed(seed), draw: remote });
      violations.push(...result.violations.map((found) => ({ seed, ...found })));
      for (const word of ['lease-lapsed', 'late-answer', 'CONFIRMED'])
        if (result.journal.includes(word)) states.add(word);
    }
    expect(violations).toEqual([]);
    expect([...states].sort()).toEqual(['CONFIRMED', 'late-answer', 'lease-lapsed']);
  }, 60_000);

  it('plays the same seed without a trouble, and without any', async () => {
    const calm = await simulate({ ...wholeSeed(SEEDS[0] ?? 1), without: new Set(TROUBLES), runsMax: 1 });
    expect(calm.figures).toMatchObject({ crashes: 0, pauses: 0, fenced: 0, lost: 0, runs: 1 });
    expect(calm.violations).toEqual([]);
  });
});

describe('shrinking', () => {
  it('leaves out every trouble, run and second without which the same promise still breaks', async () => {
    const ask = { ...wholeSeed(7), stormMs: 4_000 };
    const result = await simulate(ask);
    const broken = { rule: 'play', runId: null, subject: 'planted', message: 'breaks in every world' };
    const small = await shrink({ ask, result: { ...result, violations: [broken] } }, (smaller) =>
      Promise.resolve({ ...result, seed: smaller.seed, violations: smaller.without.has('words') ? [] : [broken] }),
    );
    expect(small.ask).toEqual({
      seed: 7,
      stormMs: 1_000,
      runsMax: 1,
      without: new Set(TROUBLES.filter((trouble) => trouble !== 'words')),
    });
  });
});
