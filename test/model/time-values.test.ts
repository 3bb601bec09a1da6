import { describe, expect, it } from 'vitest';
import { durationOf, instantOf } from '../../src/model/time-values.ts';
import type { Json } from '../../src/model/json.ts';

describe('a computed duration', () => {
  it.each<[Json, number]>([
    ['1h30m', 5_400_000],
    ['PT1S', 1_000],
    [250, 250],
    [-250, 0],
    ['-1.5s', 0],
  ])('%j is %i ms', (value, ms) => {
    expect(durationOf(value)).toEqual({ ms });
  });

  it.each<[Json, string]>([
    [0.5, '0.5 is not a duration'],
    [true, 'true is not a duration'],
    ['9999999d', '"9999999d" is not a duration: it is longer than 100 years'],
    [['x'.repeat(99)], '["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is not a duration'],
  ])('%j is none, and it is said why', (value, why) => {
    expect(durationOf(value)).toMatchObject({ why: expect.stringContaining(why) as string });
  });
});

describe('a computed instant', () => {
  it.each<[Json, number]>([
    ['2030-01-31T12:00:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:00+02:00', Date.UTC(2030, 0, 31, 10)],
    [0, 0],
    [253_402_300_799_999, 253_402_300_799_999],
  ])('%j is %i', (value, ms) => {
    expect(instantOf(value)).toEqual({ ms });
  });

  it.each<[Json]>([[-1], [0.5], [253_402_300_800_000], ['2030-01-31'], ['2030-13-41T00:00:00Z'], [null], [['now']]])(
    '%j is none, and it is said',
    (value) => {
      const shown = JSON.stringify(value);
      expect(instantOf(value)).toMatchObject({ why: expect.stringContaining(`${shown} is not an instant`) as string });
    },
  );
});
