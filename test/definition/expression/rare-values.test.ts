import { describe, expect, it } from 'vitest';
import { bindValue } from '../../../src/definition/expression/bind-value.ts';
import { isZone } from '../../../src/definition/expression/calendar.ts';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import { recordedValue } from '../../../src/definition/expression/recorded-value.ts';
import { DYN, type ValueType } from '../../../src/definition/expression/value-type.ts';
import { evaluateSample } from './sample-definition.ts';

const TIME: ValueType = { kind: 'timestamp' };
const NULL: ValueType = { kind: 'null' };
const times = (item: ValueType): ValueType => ({ kind: 'list', item });

function answer(source: string): unknown {
  try {
    return evaluateSample(source);
  } catch (error) {
    if (error instanceof ExpressionFault) return `fault: ${error.summary}`;
    throw error;
  }
}

describe('a recorded value', () => {
  it('shows the times of a list, of maps and of what can be several things', () => {
    const shown = '1970-01-01T00:00:01Z';
    expect(recordedValue([1000], times(TIME))).toEqual([shown]);
    expect(recordedValue([{ a: 1000 }], times({ kind: 'map', value: TIME }))).toEqual([{ a: shown }]);
    expect(recordedValue([1000], { kind: 'union', options: [NULL, times(TIME)] })).toEqual([shown]);
    expect(recordedValue({ a: 1000 }, { kind: 'object', fields: new Map(), rest: TIME })).toEqual({ a: shown });
    expect(recordedValue([1000], times({ kind: 'int' }))).toEqual([1000]);
    expect(recordedValue([1000], { kind: 'map', value: TIME })).toEqual([1000]);
  });
});

describe('a bound value', () => {
  it('is an instant where a text or number stands for a recorded time, and a text where it may be another', () => {
    const text = '1970-01-01T00:00:01Z';
    expect(bindValue(text, { kind: 'union', options: [TIME, NULL] }, true)).toEqual(new Date(1000));
    expect(bindValue(1000, TIME, true)).toEqual(new Date(1000));
    expect(bindValue(text, { kind: 'union', options: [TIME, { kind: 'string' }] }, true)).toBe(text);
    expect(bindValue({ a: { b: 1, c: 2 } }, DYN, new Map([['a', new Map([['b', true as const]])]]))).toEqual(
      new Map([['a', new Map([['b', 1]])]]),
    );
  });
});

describe('a time zone', () => {
  it('is a name or a distance from UTC', () => {
    expect(['UTC', 'Europe/Zurich', '+02:00', 'Nowhere/Land'].map(isZone)).toEqual([true, true, true, false]);
  });
});

describe('rare operands', () => {
  it.each([
    ['decimals are ordered with each other', 'decimal("1.5") < decimal("2")', true],
    ['decimals are ordered up to equality', 'decimal("2.0") <= decimal("2") && decimal("2.0") >= decimal("2")', true],
    ['decimals are ordered the other way', 'decimal("3") > decimal("2")', true],
    ['decimals go with whole numbers on either side', 'string(3 - decimal("0.5") * 2, 1)', '2.0'],
    ['decimals in lists are equal by value', '[decimal("1.0")] == [decimal("1")]', true],
    ['durations in lists are equal by value', '[dur("1m")] == [dur("60s")]', true],
    [
      'instants in lists are equal by value',
      '[timestamp("2026-01-01T00:00:00Z")] == [timestamp("2026-01-01T01:00:00+01:00")]',
      true,
    ],
    ['maps of another size are not equal', '{"a": dyn([1])} == {"a": dyn([1]), "b": dyn([1])}', false],
    ['maps with another value are not equal', '{"a": dyn([1])} == {"a": dyn([2])}', false],
    ['the hour of an instant, in UTC', 'timestamp("2026-01-31T12:34:56.789Z").getHours()', 12],
    ['minutes', 'timestamp("2026-01-31T12:34:56.789Z").getMinutes()', 34],
    ['seconds', 'timestamp("2026-01-31T12:34:56.789Z").getSeconds()', 56],
    ['milliseconds', 'timestamp("2026-01-31T12:34:56.789Z").getMilliseconds()', 789],
    ['the weekday, from Sunday', 'timestamp("2026-01-31T12:34:56Z").getDayOfWeek()', 6],
    ['the day, from 1', 'timestamp("2026-01-31T12:34:56Z").getDate()', 31],
    ['the day of the month, from 0', 'timestamp("2026-01-31T12:34:56Z").getDayOfMonth()', 30],
    ['the day of the year, from 0', 'timestamp("2026-02-01T12:34:56Z").getDayOfYear()', 31],
    ['the month, from 0', 'timestamp("2026-02-01T12:34:56Z").getMonth()', 1],
    ['whole hours of a duration', 'dur("90m").getHours()', 1],
    ['a list as long as the bound adds up', 'sum(range(10000).map(n, n)) == 49995000', true],
    ['a comprehension over what is no list', 'dyn(5).all(x, x > 1)', expect.stringContaining('fault: ')],
    ['a key that is no text', '{dyn(1): 2}', expect.stringContaining('fault: ')],
    ['a key twice', '{"a": 1, "a": 2}', expect.stringContaining('fault: ')],
    ['something in what is no list', '1 in dyn(5)', expect.stringContaining('fault: ')],
  ])('%s', (_, source, wanted) => {
    expect({ source, got: answer(source) }).toEqual({ source, got: wanted });
  });
});
