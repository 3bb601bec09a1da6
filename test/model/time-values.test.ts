import { describe, expect, it } from 'vitest';
import { durationOf, instantOf } from '../../src/model/time-values.ts';
import type { Json } from '../../src/model/json.ts';

describe('a computed duration', () => {
  it.each<[Json, number]>([
    ['1h30m', 5_400_000],
    ['PT1S', 1_000],
    ['0s', 0],
  ])('%j is %i ms', (value, ms) => {
    expect(durationOf(value)).toEqual({ ms });
  });

  it.each<[Json, string]>([
    [0.5, '0.5 is not a duration: it has no unit'],
    [5, '5 is not a duration: it has no unit; write text with one, as "5s" or "1h30m"'],
    [0, '0 is not a duration: it has no unit'],
    [-5, '-5 is not a duration: it has no unit'],
    ['5', '"5" is not a duration: the unit is missing'],
    ['2027-01-01', '"2027-01-01" is not a duration: it is a date; write wait: { until: … } for an instant'],
    ...['-5s', '-5ms', '-1.5s', '- 5s', '+5s', '-1h', '-PT5M', 'P-1D'].map((text): [Json, string] => [
      text,
      `"${text}" is not a duration: it is negative or has a sign`,
    ]),
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
    ['1970-01-01T00:00:00.250Z', 250],
  ])('%j is %i', (value, ms) => {
    expect(instantOf(value)).toEqual({ ms });
  });

  it.each<[Json]>([[-1], [0], [5], [1_767_225_600_000], ['2030-01-31'], ['2030-13-41T00:00:00Z'], [null], [['now']]])(
    '%j is none, and it is said',
    (value) => {
      const shown = JSON.stringify(value);
      expect(instantOf(value)).toMatchObject({ why: expect.stringContaining(`${shown} is not an instant`) as string });
    },
  );
});
