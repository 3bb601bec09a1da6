import { describe, expect, it } from 'vitest';
import { createEvaluator } from '../../../src/definition/evaluator.ts';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import { parseTemplate } from '../../../src/definition/parse-template.ts';
import type { Json } from '../../../src/model/json.ts';
import { definitionOf, evaluateSample, expressionOf, FULL_INPUT, scopeOf } from './sample-definition.ts';

const HOLE = '$'.concat('{');
const evaluator = createEvaluator(definitionOf());
const scope = scopeOf(FULL_INPUT);

function render(value: Json): Json {
  const parsed = parseTemplate(value, '/with');
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return evaluator.render(parsed.template, { kind: 'flow' }, scope);
}

function faultOf(run: () => unknown): ExpressionFault {
  try {
    run();
  } catch (error) {
    if (error instanceof ExpressionFault) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('rendering', () => {
  it('gives a path its own value, the very same as an expression', () => {
    for (const path of ['input', 'input.lines', 'input.price', 'input.coupon', 'steps.pay', 'steps', 'run', 'vars']) {
      expect(render(`=${path}`)).toEqual(render(`${HOLE} dyn(${path}) }`));
    }
    expect(render('=input.lines')).toBe(FULL_INPUT['lines']);
  });

  it('shows recorded times as RFC 3339 text in UTC, read by path or by expression', () => {
    expect(render('=run.startedAt')).toBe('2026-01-01T00:00:00Z');
    expect(render(`${HOLE} run.startedAt }`)).toBe('2026-01-01T00:00:00Z');
    expect(render('=steps.pay.at')).toBe('2026-01-01T00:00:00Z');
    expect(render('=steps.pause.at')).toBeNull();
    expect(render(`at ${HOLE} steps.pay.at }`)).toBe('at 2026-01-01T00:00:00Z');
  });

  it('binds times that a wait or an event recorded as timestamps', () => {
    const more = {
      ...scope,
      steps: { pause: { output: { firedAt: 60_000, late: false }, skipped: false, attempts: 0, code: null, at: 1 } },
    };
    expect(evaluator.evaluate(expressionOf('steps.pause.output.firedAt + dur("1m")'), { kind: 'flow' }, more)).toBe(
      '1970-01-01T00:02:00Z',
    );
    const event = { id: 'e', name: 'paid', data: { total: 3 }, source: 's', receivedAt: 1_500, sequence: null };
    const site = { kind: 'event', event: 'paid' } as const;
    expect(evaluator.evaluate(expressionOf('event.receivedAt'), site, { ...scope, event })).toBe(
      '1970-01-01T00:00:01.500Z',
    );
    expect(evaluator.evaluate(expressionOf('event.data.total * 2'), site, { ...scope, event })).toBe(6);
  });

  it('writes durations and decimals as text', () => {
    expect(render(`${HOLE} dur("7d") }`)).toBe('604800s');
    expect(render(`${HOLE} dur("1500ms") }`)).toBe('1500ms');
    expect(render(`${HOLE} decimal("1.10") + decimal("2.20") }`)).toBe('3.30');
  });

  it('joins text parts and refuses null, lists and maps in a text', () => {
    expect(render(`n=${HOLE} input.amount }, p=${HOLE}input.price}, f=${HOLE}input.flag}`)).toBe('n=5, p=2.5, f=true');
    for (const source of ['input.coupon', 'input.lines', 'input.extra', 'or(input.coupon, "x")']) {
      expect(faultOf(() => render(`a ${HOLE} ${source} }`)).summary).toMatch(/cannot be part of a text/);
    }
  });

  it('goes through lists and maps, and keeps a key __proto__ as data', () => {
    const rendered = render(
      JSON.parse('{"__proto__": "=input.name", "list": ["=input.amount", 2], "lit": {"x": null}}'),
    );
    expect(JSON.stringify(rendered)).toBe('{"__proto__":"Zoë 😀","list":[5,2],"lit":{"x":null}}');
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
  });
});

describe('a result', () => {
  it('is an error beyond 2^53, as int, as double and inside a list', () => {
    expect(evaluateSample('9007199254740991')).toBe(9_007_199_254_740_991);
    for (const source of [
      '9007199254740991 + 1',
      '-9007199254740992',
      '1e17',
      '[1, 9007199254740993]',
      '{"a": 1e300}',
    ]) {
      expect(faultOf(() => evaluateSample(source)).summary).toMatch(/beyond 2\^53/);
    }
    expect(evaluateSample('9007199254740993 > 9007199254740992')).toBe(true);
  });

  it('is an error when it is NaN, infinite, a type, or a whole number beyond 64 bits on the way', () => {
    expect(faultOf(() => evaluateSample('1.0 / 0.0')).summary).toMatch(/finite/);
    expect(faultOf(() => evaluateSample('0.0 / 0.0')).summary).toMatch(/finite/);
    expect(faultOf(() => evaluateSample('type(1)')).summary).toMatch(/not a value/);
    expect(faultOf(() => evaluateSample('9223372036854775807 + 1 > 0')).summary).toMatch(/64 bits/);
  });

  it('has zero without a sign, as JSON has', () => {
    expect(Object.is(evaluateSample('-0.0'), 0)).toBe(true);
  });

  it('of a condition is true or false and nothing else', () => {
    const holds = (source: string): boolean => evaluator.holds(expressionOf(source), { kind: 'flow' }, scope);
    expect([holds('input.amount == 5'), holds('input.flag'), holds('!input.flag')]).toEqual([true, true, false]);
    for (const source of ['input.amount', 'input.coupon', '"true"']) {
      expect(faultOf(() => holds(source)).summary).toBe('a condition must be true or false');
    }
  });
});

describe('equality', () => {
  it('is by value for decimals, times and durations too, alone and inside lists and maps', () => {
    for (const source of [
      'decimal("1.0") == decimal("1.00")',
      '[decimal("1.0")] == [decimal("1.00")]',
      'decimal("2") in [decimal("2.0")]',
      '{"a": decimal("1.0")} == {"a": decimal("1.00")}',
      '[run.startedAt] == [timestamp("2026-01-01T00:00:00Z")]',
      '[dur("60s")] == [duration("1m")]',
      'decimal("1") != decimal("1.01")',
    ]) {
      expect({ source, value: evaluateSample(source) }).toEqual({ source, value: true });
    }
  });
});

describe('a fault', () => {
  it('has the code, the pointer, and a caret under the place in the source', () => {
    const fault = faultOf(() => evaluateSample('input.amount + input.extra.zip.code'));
    expect(fault.code).toBe('PAWL_EXPRESSION_FAULT');
    expect(fault.pointer).toBe('/when');
    expect(fault.message).toBe(
      '`zip` is missing; write or(…, default) or ask has(…) first\n  input.amount + input.extra.zip.code\n                             ^^^',
    );
  });

  it('of a path shows the name that is missing', () => {
    const fault = faultOf(() => evaluateSample('steps.heard.output'));
    expect(fault.message).toBe(
      '`heard` is missing; write or(…, default) or ask has(…) first\n  steps.heard.output\n        ^^^^^',
    );
    expect(faultOf(() => evaluateSample('input.coupon.code')).summary).toMatch(/`code` is missing/);
  });

  it('points into the line of a source of several lines', () => {
    const fault = faultOf(() => evaluateSample('input.flag &&\n\tinput.amount / 0 == 1'));
    expect(fault.message).toBe('division by zero\n  \tinput.amount / 0 == 1\n  \t^^^^^^^^^^^^^^^^');
  });

  it('of a rewritten call points at the author’s own text', () => {
    const fault = faultOf(() => evaluateSample('input.flag && or(input.extra.n, 1) in 5'));
    expect(fault.span).toEqual({ start: 14, end: 39 });
    const second = faultOf(() => evaluateSample('"a" == "b" || int("x") == 3'));
    expect('"a" == "b" || int("x") == 3'.slice(second.span.start, second.span.end)).toBe('int("x")');
  });

  it('says what to write when an int meets a double', () => {
    expect(faultOf(() => evaluateSample('input.price * 2')).summary).toMatch(/write 2\.0 instead of 2/);
  });

  it('never holds a value, whatever fails', () => {
    const secret = 'c4n4ry';
    const input = { ...FULL_INPUT, name: secret, extra: { [secret]: secret, key: secret } };
    const sources = [
      'int(input.name)',
      'double(input.name)',
      'bool(input.name)',
      'timestamp(input.name)',
      'duration(input.name)',
      'dur(input.name)',
      'decimal(input.name)',
      'input.extra[input.name + "x"]',
      'input.name + 1',
      'input.name * input.name',
      '-input.name',
      '!input.name',
      'input.name ? 1 : 2',
      'input.name && true',
      'input.name.substring(99)',
      'input.numbers[99]',
      'input.name < 1',
      'input.extra.key.more',
      'input.name.map(x, x)',
      'size(input.amount)',
      'addDays(run.startedAt, 1, input.name)',
      'sum([input.name])',
      'input.name in input.name',
      '{input.name: 1, input.name: 2}',
      'input.name.join()',
      'has(input.name.x.y)',
      'input.name.matches("(")',
    ];
    for (const source of sources) {
      const fault = faultOf(() => evaluateSample(source, input));
      expect({
        source,
        leak: fault.message.includes(secret) || JSON.stringify(fault.details).includes(secret),
      }).toEqual({ source, leak: false });
    }
  });

  it('says that a root cannot be read here when the scope has none of it', () => {
    expect(faultOf(() => evaluateSample('failure.code')).summary).toBe('`failure` cannot be read here');
    expect(faultOf(() => evaluateSample('failure.code == "x"')).summary).toBe('`failure` cannot be read here');
    expect(faultOf(() => evaluateSample('nope + 1')).summary).toMatch(/cannot be read here/);
  });
});

describe('prototypes', () => {
  const hostile: Json = JSON.parse('{"__proto__": {"admin": true}, "constructor": "data", "toString": 1}');

  it('are out of reach, by path and by expression', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length']) {
      for (const root of [
        'input',
        'input.extra',
        'input.lines',
        'input.name',
        'input.price',
        'run.startedAt',
        'decimal("1")',
        'dur("1s")',
        '{"a": 1}',
        '[1]',
        'type(1)',
      ]) {
        faultOf(() => evaluateSample(`dyn(${root}).${name}`));
        expect(() => evaluateSample(`dyn(${root})["${name}"]`)).toThrow(ExpressionFault);
      }
      faultOf(() => evaluateSample(`input.extra.${name}`));
      faultOf(() => evaluateSample(name));
      faultOf(() => evaluateSample(`${name}.x`));
      expect(evaluateSample(`"${name}" in input.extra`)).toBe(false);
      expect(evaluateSample(`or(input.extra["${name}"], "none")`)).toBe('none');
    }
  });

  it('are shadowed by data of the same name, which stays plain data', () => {
    const input = { ...FULL_INPUT, extra: hostile };
    expect(evaluateSample('input.extra.constructor', input)).toBe('data');
    expect(evaluateSample('dyn(input.extra).constructor + "!"', input)).toBe('data!');
    expect(JSON.stringify(evaluateSample('dyn(input.extra)', input))).toBe(
      '{"__proto__":{"admin":true},"constructor":"data","toString":1}',
    );
    expect(evaluateSample('input.extra.__proto__.admin', input)).toBe(true);
    expect(evaluateSample('{"constructor": 1, "__proto__": 2} == {"__proto__": 2, "constructor": 1}')).toBe(true);
  });
});

describe('cost', () => {
  const thousands = (length: number): Json => ({ ...FULL_INPUT, numbers: Array.from({ length }, (_, at) => at) });

  it('refuses a list of more than 10 000 elements before it is walked', () => {
    expect(evaluateSample('input.numbers.all(n, n >= 0)', thousands(10_000) as typeof FULL_INPUT)).toBe(true);
    for (const source of ['input.numbers.all(n, n >= 0)', 'size(input.numbers)', 'sum(input.numbers)']) {
      expect(faultOf(() => evaluateSample(source, thousands(10_001) as typeof FULL_INPUT)).summary).toMatch(
        /10000 elements/,
      );
    }
    for (const source of [
      'range(10001)',
      'range(9000) + range(9000)',
      '(range(9000) + range(9000)).exists(n, n == 1)',
    ]) {
      expect(faultOf(() => evaluateSample(source)).summary).toMatch(/10000 elements/);
    }
  });

  it('refuses nested comprehensions whose sizes multiply to more than 1 000 000', () => {
    expect(evaluateSample('range(1000).all(a, range(1000).all(b, b >= 0))')).toBe(true);
    expect(faultOf(() => evaluateSample('range(1000).all(a, range(1001).all(b, b >= 0))')).summary).toMatch(/1000000/);
    expect(faultOf(() => evaluateSample('range(5000).map(a, range(5000).map(b, a * b))')).summary).toMatch(/1000000/);
  });

  it('refuses many nests one after the other, and begins anew at each evaluation', () => {
    const nest = 'range(1000).all(a, range(1000).all(b, b >= 0))';
    expect(faultOf(() => evaluateSample(`${nest} && ${nest} && ${nest}`)).summary).toMatch(/1000000/);
    expect(evaluateSample(nest)).toBe(true);
  });

  it('refuses a text that functions blow up', () => {
    const source = 'range(5000).map(n, "aaaaaaaaaa").join().replace("a", range(100).map(n, "b").join())';
    expect(faultOf(() => evaluateSample(source)).summary).toMatch(/characters/);
  });
});
