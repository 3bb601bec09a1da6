import { describe, expect, it } from 'vitest';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { askOracle } from './oracle.ts';
import { evaluateSample, FULL_INPUT, sampleTypes, scopeOf } from './sample-definition.ts';

function ours(source: string, input: JsonObject): Json | 'fault' {
  try {
    return evaluateSample(source, input);
  } catch (error) {
    if (error instanceof ExpressionFault) return 'fault';
    throw error;
  }
}

function theirs(source: string, input: JsonObject): Json | 'fault' {
  const answer = askOracle(source, scopeOf(input), sampleTypes());
  return answer.ok ? answer.value : 'fault';
}

/** Each row: source, value; `fault` = both refuse. */
function bothSay(rows: readonly (readonly [source: string, value: Json])[], input: JsonObject = FULL_INPUT): void {
  const seen = rows.map(([source, value]) => ({
    source,
    value,
    ours: ours(source, input),
    theirs: theirs(source, input),
  }));
  expect(seen).toEqual(rows.map(([source, value]) => ({ source, value, ours: value, theirs: value })));
}

describe('where the oracle departs from the specification', () => {
  it('ours follows it: positions count code points, no text is a number by looseness, timestamps count seconds, matches has a global form, texts are cut between characters only', () => {
    const rows: readonly (readonly [source: string, ours: Json, theirs: Json])[] = [
      ['int("")', 'fault', 0],
      ['int(" 1")', 'fault', 1],
      ['int("0x10")', 'fault', 16],
      ['double("")', 'fault', 0],
      ['timestamp(60)', '1970-01-01T00:01:00Z', '1970-01-01T00:00:00.060Z'],
      ['matches("abc", "b")', true, 'fault'],
      ['"é😀".split("")', ['é', '😀'], ['é', '\ud83d', '\ude00']],
      ['"😀a".substring(1)', 'a', '\ude00a'],
      ['"😀a".indexOf("a")', 1, 2],
      ['"😀a".lastIndexOf("a")', 1, 2],
      ['"ab".replace("", "-")', '-a-b-', '--ab'],
    ];
    const seen = rows.map(([source]) => [source, ours(source, FULL_INPUT), theirs(source, FULL_INPUT)]);
    expect(seen).toEqual(rows);
  });
});

describe('both engines', () => {
  it('bind an integer of the schema as int and a number as double', () => {
    bothSay([
      ['input.amount * 2', 10],
      ['input.amount / 2', 2],
      ['input.price * 2.0', 5],
      ['input.price * 2', 'fault'],
      ['type(input.amount) == int', true],
      ['type(input.price) == double', true],
      ['type(steps.pay.output.fee) == double', true],
      ['steps.pay.output.count % 4', 3],
      ['type(constants.limit) == int', true],
      ['type(constants.rate) == double', true],
    ]);
  });

  it('bind numbers without a schema as double, whatever their value', () => {
    bothSay([
      ['type(input.anything.b) == double', true],
      ['input.anything.b + 1', 'fault'],
      ['input.anything.b + 1.0', 2],
      ['input.anything.b == 1', true],
    ]);
  });

  it('take ints of 64 bits and no others', () => {
    bothSay([
      ['9223372036854775807 > 0', true],
      ['-9223372036854775808 < 0', true],
      ['9223372036854775808 > 0', 'fault'],
      ['-9223372036854775809 < 0', 'fault'],
      ['0xFFFFFFFFFFFFFFFF > 0', 'fault'],
      ['1 + 2.0', 'fault'],
    ]);
  });

  it('take a literal with a dot or an exponent as double', () => {
    bothSay([
      ['type(2.0) == double', true],
      ['type(2e3) == double', true],
      ['type(2) == int', true],
      ['1e3', 1000],
      ['0x10', 16],
    ]);
  });

  it('say that has is true for null and false for a missing key', () => {
    bothSay([
      ['has(input.coupon)', true],
      ['input.coupon == null', true],
      ['has(input.extra.n)', true],
      ['has(input.extra.zip)', false],
      ['input.extra.zip', 'fault'],
      ['input.extra.n == null', true],
    ]);
  });

  it('give the default of or() for what is missing anywhere on the path, and null for what is null', () => {
    bothSay([
      ['or(input.extra.zip, "none")', 'none'],
      ['or(input.extra.zip.code.x, "none")', 'none'],
      ['or(input.coupon, "none")', null],
      ['or(steps.pause.output.firedAt, "not yet")', 'not yet'],
      ['or(steps.heard.output.total, 0)', 0],
      ['or(input.extra["b"], 7.0)', 1],
      ['or(input.extra["c-d"], 7.0)', 7],
      ['or(steps.pay.output.id, "x") + "!"', 'p-1!'],
      ['or(input.extra.zip, or(input.extra.zap, 3))', 3],
    ]);
  });

  it('compare numbers by value across int and double, exactly beyond 2^53', () => {
    bothSay([
      ['9007199254740993 == 9007199254740992', false],
      ['100000000000000001 == dyn(1e17)', false],
      ['100000000000000000 == dyn(1e17)', true],
      ['input.amount < 5.5', true],
      ['input.amount >= 5.0', true],
    ]);
  });

  it('compare maps by key whatever their order, and lists by element', () => {
    bothSay([
      ['input.extra == input.anything', true],
      ['{"a": 1, "b": "x"} == {"b": "x", "a": 1}', true],
      ['[1, 2] == dyn([1.0, 2.0])', true],
      ['[1, "a", null] == [1, "a", null]', true],
      ['[[1], {"a": [2]}] == [[1], {"a": [3]}]', false],
      ['input.numbers == [3, 1, 2]', true],
      ['dyn(1) == dyn("1")', false],
    ]);
  });

  it('look for an element in a list and a key in a map', () => {
    bothSay([
      ['2 in input.numbers', true],
      ['5 in input.numbers', false],
      ['"b" in input.extra', true],
      ['"n" in input.extra', true],
      ['"constructor" in input.extra', false],
      ['dyn(2.0) in input.numbers', true],
      ['{"a": 1} in [{"a": 1}]', true],
    ]);
  });

  it('absorb an error when the other side decides', () => {
    bothSay([
      ['input.extra.zip == 1 || true', true],
      ['true || input.extra.zip == 1', true],
      ['input.extra.zip == 1 && false', false],
      ['input.extra.zip == 1 || false', 'fault'],
      ['input.flag ? 1 : input.extra.zip', 1],
    ]);
  });

  it('walk lists and maps', () => {
    bothSay([
      ['input.lines.map(line, line.qty * 2)', [4, 2]],
      ['input.lines.filter(line, line.qty > 1).map(line, line.sku)', ['a']],
      ['input.numbers.all(n, n > 0)', true],
      ['input.numbers.exists(n, n == 2)', true],
      ['input.numbers.exists_one(n, n > 1)', false],
      ['input.numbers.map(n, n > 1, n)', [3, 2]],
      ['input.extra.exists(key, key == "n")', true],
      [
        'input.lines.map(line, input.numbers.map(n, n * line.qty))',
        [
          [6, 2, 4],
          [3, 1, 2],
        ],
      ],
      ['[].map(x, x)', []],
    ]);
  });

  it('convert numbers and texts, and refuse what is none', () => {
    bothSay([
      ['int("42")', 42],
      ['int("-7")', -7],
      ['int("1.5")', 'fault'],
      ['int(2.9)', 2],
      ['int(-2.9)', -2],
      ['double("2.5")', 2.5],
      ['double("abc")', 'fault'],
      ['double(3)', 3],
      ['bool("true")', true],
      ['bool("yes")', 'fault'],
      ['string(5)', '5'],
      ['string(2.5)', '2.5'],
      ['string(true)', 'true'],
    ]);
  });

  it('count texts in code points', () => {
    bothSay([
      ['size(input.name)', 5],
      ['input.name.size()', 5],
      ['input.name.substring(4)', '😀'],
      ['input.name.substring(0, 3)', 'Zoë'],
      ['input.name.indexOf("😀")', 4],
      ['input.name.lastIndexOf("o")', 1],
      ['"a,b,c".split(",")', ['a', 'b', 'c']],
      ['"ÄÖü A".lowerAscii()', 'ÄÖü a'],
      ['"straße".upperAscii()', 'STRAßE'],
      ['" x ".trim()', 'x'],
      ['"abc".substring(2, 9)', 'fault'],
      ['"hello".replace("l", "L")', 'heLLo'],
      ['["a", "b"].join("-")', 'a-b'],
      ['["a", "b"].join()', 'ab'],
      ['"hello".contains("ell") && "hello".startsWith("he") && "hello".endsWith("lo")', true],
    ]);
  });

  it('match patterns in the RE2 syntax', () => {
    bothSay([
      ['"O-123".matches("^O-[0-9]+$")', true],
      ['"xO-123".matches("^O-[0-9]+$")', false],
      ['"a.b".matches(r"a\\.b")', true],
      ['"É".matches("(?i)é")', true],
      ['"ab".matches("(a)\\\\1")', 'fault'],
    ]);
  });

  it('compute with times', () => {
    bothSay([
      ['run.startedAt == timestamp("2026-01-01T00:00:00Z")', true],
      ['run.startedAt + duration("36h")', '2026-01-02T12:00:00Z'],
      ['timestamp(input.at) - run.startedAt > duration("1000h")', true],
      ['run.startedAt.getHours("Europe/Berlin")', 1],
      ['run.startedAt.getFullYear()', 2026],
      ['timestamp("2026-03-29T00:30:00Z").getHours("Europe/Berlin")', 1],
      ['timestamp("2026-03-29T01:30:00Z").getHours("Europe/Berlin")', 3],
      ['timestamp("2026-03-29T01:30:00Z").getDayOfYear()', 87],
      ['timestamp("2026-03-29T01:30:00Z").getDayOfMonth()', 28],
      ['timestamp("2026-03-29T01:30:00Z").getDayOfWeek()', 0],
      ['timestamp("2026-03-29T01:30:00Z").getMonth()', 2],
      ['timestamp("2026-03-29 01:30:00")', 'fault'],
      ['timestamp("2026-03-29T01:30:00.123")', 'fault'],
      ['int(timestamp("1970-01-01T00:01:00Z"))', 60],
      ['string(timestamp("2026-03-29T01:30:00Z"))', '2026-03-29T01:30:00Z'],
      ['string(duration("90s"))', '90s'],
      ['duration("1h30m").getMinutes()', 90],
      ['duration("90s") == duration("1m30s")', true],
    ]);
  });

  it('run the own functions alike', () => {
    bothSay([
      ['run.startedAt + dur("7d")', '2026-01-08T00:00:00Z'],
      ['addDays(timestamp("2026-03-28T11:00:00Z"), 1, "Europe/Berlin")', '2026-03-29T10:00:00Z'],
      ['addMonths(timestamp("2026-01-31T11:00:00Z"), 1, "Europe/Berlin")', '2026-02-28T11:00:00Z'],
      ['sum(input.numbers)', 6],
      ['input.numbers.sum()', 6],
      ['sum([0.5, 0.25])', 0.75],
      ['sum([])', 0],
      ['range(3)', [0, 1, 2]],
      ['slice(input.numbers, 1, 3)', [1, 2]],
      ['input.numbers.slice(0, 1)', [3]],
      ['join(["a", "b"], ", ")', 'a, b'],
      ['replace("a-b", "-", "+")', 'a+b'],
      ['json(input.extra)', '{"a":"x","b":1,"n":null}'],
      ['hash(input.extra) == hash(input.anything)', true],
      ['string(decimal("19.99") * 100)', '1999.00'],
      ['int(decimal("19.99") * 100)', 1999],
      ['string(decimal("0.10") + decimal("0.20"))', '0.30'],
      ['string(decimal("1.005"), 2)', '1.01'],
      ['string(decimal("-1.005"), 2)', '-1.01'],
      ['decimal("1.0") < decimal("1.01")', true],
      ['decimal("2.0") >= 2', true],
      ['decimal("1e400")', 'fault'],
    ]);
  });
});
