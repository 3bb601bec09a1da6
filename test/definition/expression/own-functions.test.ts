import { describe, expect, it } from 'vitest';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import { evaluateSample } from './sample-definition.ts';

/** The value, or what a person reads of the fault. */
function answer(source: string): unknown {
  try {
    return evaluateSample(source);
  } catch (error) {
    if (error instanceof ExpressionFault) return `fault: ${error.summary}`;
    throw error;
  }
}

function expectAll(rows: readonly (readonly [source: string, wanted: unknown])[]): void {
  for (const [source, wanted] of rows) {
    const text = typeof wanted === 'string' && wanted.startsWith('fault: ') ? expect.stringContaining(wanted) : wanted;
    expect({ source, got: answer(source) }).toEqual({ source, got: text });
  }
}

describe('own functions refuse what the check could not see', () => {
  it('numbers: of the wrong kind, not whole, not finite, beyond 64 bits', () => {
    expectAll([
      ['int(dyn([1]))', 'fault: int() takes a number, a text of digits'],
      ['int(dyn("1.5"))', 'fault: int() takes a text of digits'],
      ['int("9223372036854775808")', 'fault: int() has 64 bits'],
      ['int(1e300)', 'fault: int() has 64 bits'],
      ['int(1.0 / 0.0)', 'fault: int() takes a finite number'],
      ['int(dyn(5))', 5],
      ['double(dyn(true))', 'fault: double() takes a number'],
      ['double(2.5)', 2.5],
      ['bool(dyn(true))', true],
      ['bool("FALSE")', false],
      ['bool("yes")', 'fault: bool() takes "true" or "false"'],
      ['decimal(dyn(true))', 'fault: decimal() takes a text'],
      ['decimal(1.0 / 0.0)', 'fault: decimal() takes a finite number'],
      ['string(dyn(1.5), 2)', 'fault: string(d, places) takes a decimal'],
      ['string(decimal("1.5"), 31)', 'fault: places is 0 to 30'],
      ['string(decimal("1.5"), -1)', 'fault: places is 0 to 30'],
      ['decimal("1.5") + dyn(true)', 'fault: `decimal + bool` is not defined'],
      ['sum(dyn({"a": 1}))', 'fault: sum() takes a list'],
      ['sum(dyn([1, "a"]))', 'fault: sum() takes a list of numbers of one kind'],
      ['range(-1)', 'fault: range() takes a size that is not negative'],
      ['range(10001)', 'fault: a list of more than 10000 elements'],
      ['range(dyn(2.5))', 'fault: takes a whole number'],
      ['range(dyn(2.0))', [0, 1]],
    ]);
  });

  it('times: no timestamp, no zone, no duration', () => {
    expectAll([
      ['timestamp(dyn(true))', 'fault: timestamp() takes an RFC 3339 text'],
      ['timestamp(timestamp("2026-01-31T12:00:00Z"))', '2026-01-31T12:00:00Z'],
      ['dur(dyn(5))', 'fault: dur() takes a text'],
      ['addDays(dyn("2026-01-31"), 1, "UTC")', 'fault: takes a timestamp; write timestamp(…)'],
      ['addDays(run.startedAt, 1, dyn(5))', 'fault: takes the name of a time zone'],
      ['timestamp("2026-01-31T12:00:00-02:30")', '2026-01-31T14:30:00Z'],
      ['timestamp("2026-01-31T12:00:00Z").getHours("-03:00")', 9],
    ]);
  });

  it('texts and lists: of the wrong kind, or beyond the end', () => {
    expectAll(
      [
        ['matches(dyn(5), "5")', 'fault: matches() takes texts'],
        ['dyn(5).trim()', 'fault: takes a text'],
        ['slice(dyn("abc"), 0, 1)', 'fault: slice() takes a list'],
        ['slice([1, 2, 3], 1, 4)', 'fault: slice() goes beyond the list'],
        ['slice([1, 2, 3], dyn(1.0), 2)', [2]],
        ['slice([1, 2, 3], dyn(1.5), 2)', 'fault: takes whole numbers as positions'],
        ['join(dyn("abc"), "-")', 'fault: join() takes a list of texts'],
        ['join(dyn([1]), "-")', 'fault: join() takes a list of texts'],
        ['"abcab".indexOf("b", 2)', 4],
        ['"abc".indexOf("b", 4)', 'fault: indexOf() starts beyond the text'],
        ['"abc".lastIndexOf("x")', -1],
        ['"1 in a list".split(" ").exists(x, x in dyn(5))', 'fault: `in` takes a list or a map'],
        ['range(10000).map(n, "0123456789abcdef").join()', 160_000],
      ].map(([source, wanted]) => (wanted === 160_000 ? [`size(${String(source)})`, wanted] : [source, wanted])) as [
        string,
        unknown,
      ][],
    );
  });

  it('results that would be too large', () => {
    const long = 'range(10000).map(n, "0123456789abcdef0123456789abcdef").join()';
    expectAll([
      [`size(${long})`, 'fault: a text of more than'],
      ['range(9000).map(n, "0123456789,").join().split("")', 'fault: a list of more than 10000 elements'],
    ]);
  });
});

describe('a source that the check has not seen', () => {
  it('is a fault that says what is wrong, never a value', () => {
    expectAll([
      ['input.name +', 'fault: this is not CEL'],
      ['nothing(1)', 'fault: there is no function `nothing`'],
      ['input.name.nothing()', 'fault: there is no function `nothing`'],
      ['or(1, 2)', 'fault: there is no function `or`'],
      ['or(input, 2)', 'fault: there is no function `or`'],
      ['or(input["extra"]["b"], 2)', 1],
      ['or(input["extra"]["zz"].c, 2)', 2],
    ]);
  });
});

describe('equality', () => {
  it('of maps and lists asks their size, their keys and their values', () => {
    expectAll([
      ['{"a": 1} == {"a": 1, "b": 2}', false],
      ['{"a": 1, "b": 2} == {"b": 2, "a": 1}', true],
      ['{"a": 1} == {"b": 1}', false],
      ['[1] == [1, 2]', false],
      ['{dyn(5): 1} == {"5": 1}', 'fault: the keys of a map are texts'],
    ]);
  });
});

describe('or()', () => {
  it('gives its default for what is missing anywhere on a path, also below a key in brackets', () => {
    for (const path of [
      'input.extra.zz.c',
      'input["extra"]["zz"]["c"]',
      'input["extra"]["zz"].c',
      'input.extra["zz"].c',
      'input["extra"].zz.c',
    ])
      expect({ path, got: answer(`or(${path}, 2)`) }).toEqual({ path, got: 2 });
    for (const path of ['input.extra.b', 'input["extra"].b', 'input.extra["b"]'])
      expect({ path, got: answer(`or(${path}, 2)`) }).toEqual({ path, got: 1 });
  });
});
