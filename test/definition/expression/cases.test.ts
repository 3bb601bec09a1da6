import { describe, expect, it } from 'vitest';
import {
  checkExpression,
  checkTemplate,
  type ExpressionProblem,
  typesOf,
} from '../../../src/definition/check-expression.ts';
import { createEvaluator } from '../../../src/definition/evaluator.ts';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import { parseTemplate } from '../../../src/definition/parse-template.ts';
import type { JsonSchema, Template } from '../../../src/model/definition.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { findUnstorable } from '../../../src/model/storable.ts';
import { definitionOf, expressionOf, scopeOf } from './sample-definition.ts';

const FLOW = { kind: 'flow' } as const;

function evaluate(source: string, schema: JsonSchema, input: JsonObject): Json | string {
  try {
    return createEvaluator(definitionOf({ input: schema })).evaluate(expressionOf(source), FLOW, scopeOf(input));
  } catch (error) {
    if (error instanceof ExpressionFault) return `fault: ${error.summary}`;
    throw error;
  }
}

function templateOf(text: string): Template {
  const parsed = parseTemplate(text, '/with');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.template;
}

function problemsOf(source: string, schema: JsonSchema): readonly ExpressionProblem[] {
  return checkExpression(expressionOf(source), FLOW, typesOf(definitionOf({ input: schema })), 'any');
}

function warnings(source: string, schema: JsonSchema): readonly string[] {
  return problemsOf(source, schema).map((problem) => `${problem.severity} ${problem.kind}`);
}

describe('case 10: missing is not unequal', () => {
  const schema = { type: 'object', properties: { status: { type: 'string' } } };

  it('a guard on a missing key is an error that names the key, never a silent false', () => {
    expect(evaluate('input.status != "blocked"', schema, {})).toMatch(/^fault: `status` is missing/);
    expect(evaluate('!(input.status == "blocked")', schema, {})).toMatch(/^fault: `status` is missing/);
    expect(evaluate('or(input.status, "none") != "blocked"', schema, {})).toBe(true);
    expect(evaluate('input.status != "blocked"', schema, { status: 'open' })).toBe(true);
  });

  it('the check warns that the schema does not require the key, unless the guard asks or has a default', () => {
    expect(warnings('input.status != "blocked"', schema)).toEqual(['warning missing']);
    for (const guarded of [
      'has(input.status) && input.status != "blocked"',
      'input.status != "blocked" && has(input.status)',
      '!has(input.status) || input.status != "blocked"',
      '!has(input.status) || input.status == "open" || input.status != "blocked"',
      'has(input.status) ? input.status != "blocked" : true',
      'or(input.status, "") != "blocked"',
    ]) {
      expect({ guarded, found: warnings(guarded, schema) }).toEqual({ guarded, found: [] });
    }
    expect(warnings('has(input.status) || input.status != "blocked"', schema)).toEqual(['warning missing']);
    expect(warnings('input.status != "blocked"', { ...schema, required: ['status'] })).toEqual([]);
  });
});

describe('case 11: null, missing and empty text', () => {
  const schema = { type: 'object', properties: { coupon: { type: ['string', 'null'] } } };
  const inputs: readonly JsonObject[] = [{}, { coupon: null }, { coupon: '' }];

  it('three inputs have three answers to each question', () => {
    const ask = (source: string): readonly Json[] => inputs.map((input) => evaluate(source, schema, input));
    expect(ask('has(input.coupon)')).toEqual([false, true, true]);
    expect(ask('or(input.coupon, "none")')).toEqual(['none', null, '']);
    expect(ask('has(input.coupon) && input.coupon != null')).toEqual([false, false, true]);
    expect(ask('has(input.coupon) && input.coupon != null && input.coupon != ""')).toEqual([false, false, false]);
    expect(ask('input.coupon')).toEqual([expect.stringMatching(/^fault: `coupon` is missing/), null, '']);
  });

  it('an output that copies them keeps null null, missing missing and empty empty', () => {
    for (const input of inputs) {
      expect(evaluate('input', schema, input)).toEqual(input);
      expect(evaluate('{"copy": input}', schema, input)).toEqual({ copy: input });
      expect(evaluate('dyn(input)', schema, input)).toEqual(input);
    }
  });

  it('a comparison with null where the schema has no null is refused with the right question', () => {
    const strict = { type: 'object', required: ['coupon'], properties: { coupon: { type: 'string' } } };
    expect(warnings('input.coupon == null', strict)).toEqual(['error type']);
  });
});

describe('case 13: integers beyond 2^53', () => {
  const schema = { type: 'object', required: ['account'], properties: { account: { type: 'string' } } };

  it('are exact in literals and comparisons, and refused as results', () => {
    expect(evaluate('9007199254740993 == 9007199254740992', schema, {})).toBe(false);
    expect(evaluate('int(input.account) == 9007199254740992', schema, { account: '9007199254740993' })).toBe(false);
    expect(evaluate('dyn(100000000000000001) == 1e17', schema, {})).toBe(false);
    expect(evaluate('int(input.account)', schema, { account: '9007199254740993' })).toMatch(/^fault: .*2\^53/);
  });

  it('are refused at the door when they come as a JSON number, with the pointer', () => {
    expect(findUnstorable(JSON.parse('{"input": {"account": 9007199254740993}}'))).toEqual({
      pointer: '/input/account',
      reason: 'a whole number beyond 2^53 cannot be kept exactly; send it as text',
    });
  });

  it('compared with a double literal are different types', () => {
    expect(warnings('100000000000000001 == 1e17', schema)).toEqual(['error type']);
  });
});

describe('case 15: a price in cents', () => {
  const asNumber = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
  const asText = { type: 'object', required: ['amount'], properties: { amount: { type: 'string' } } };
  const cents = 'int(decimal(input.amount) * 100)';

  it('is exact for every price up to 100.00, given as number and as text', () => {
    const evaluator = {
      number: createEvaluator(definitionOf({ input: asNumber })),
      text: createEvaluator(definitionOf({ input: asText })),
    };
    for (let price = 0; price <= 10_000; price += 1) {
      const text = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
      const got = [
        evaluator.number.evaluate(expressionOf(cents), FLOW, scopeOf({ amount: Number(text) })),
        evaluator.text.evaluate(expressionOf(cents), FLOW, scopeOf({ amount: text })),
      ];
      if (got[0] !== price || got[1] !== price) expect({ text, got }).toEqual({ text, got: [price, price] });
    }
    expect(evaluate(cents, asNumber, { amount: 19.99 })).toBe(1999);
  });

  const lines = {
    type: 'array',
    items: { type: 'object', required: ['price'], properties: { price: asNumber.properties.amount } },
  };
  const order = {
    type: 'object',
    required: ['price', 'qty', 'lines'],
    properties: { price: { type: 'number' }, qty: { type: 'integer' }, lines },
  };
  const cart = { price: 19.99, qty: 100, lines: [{ price: 10.1 }, { price: 9.89 }] };

  it('cut by int() out of arithmetic on doubles is an error, and what its help offers gives 1999 for 19.99', () => {
    const rows = [
      ['int(input.price * 100.0)', 'int(decimal(input.price) * 100)'],
      ['int(input.price * double(input.qty))', 'int(decimal(input.price) * decimal(input.qty))'],
      ['int(100.0 * (input.price - 0.0))', 'int(100 * (decimal(input.price) - 0))'],
      ['int(-(input.price * -100.0))', 'int(-decimal(input.price) * -100)'],
      ['int(dyn(input.price * 100.0))', 'int(decimal(input.price) * 100)'],
      ['int(or(input.price, 0.0) * 100.0)', 'int(decimal(or(input.price, 0.0)) * 100)'],
      ['int(sum(input.lines.map(l, l.price)) * 100.0)', 'int(sum(input.lines.map(l, decimal(l.price))) * 100)'],
      ['int(input.lines.map(l, l.price * 100.0).sum())', 'int(sum(input.lines.map(l, decimal(l.price) * 100)))'],
      ['int(input.price / 0.01)', 'int(string(decimal(input.price / 0.01), 0))'],
      ['int(-(input.price / 0.01) * -1.0)', 'int(string(-decimal(input.price / 0.01) * -1, 0))'],
    ] as const;
    for (const [source, mend] of rows) {
      const found = problemsOf(source, order);
      expect({ source, found: found.map(({ severity, kind }) => `${severity} ${kind}`) }).toEqual({
        source,
        found: ['error cut'],
      });
      expect(found[0]?.help).toContain(`write ${mend}`);
      expect(warnings(mend, order)).toEqual([]);
      expect({ mend, value: evaluate(mend, order, cart) }).toEqual({ mend, value: 1999 });
    }
    for (const source of [
      'int(input.flag ? input.price * 100.0 : 0.0)',
      'int(sum(input.list))',
      'int(input.a * input.b)',
    ])
      expect({ source, found: warnings(source, true) }).toEqual({ source, found: ['error cut'] });
  });

  it('computed with doubles and sent as it is gets a warning, whose help sends 0.3 for 0.1 + 0.2', () => {
    const parts = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    };
    const hole = (source: string): string => `${'$'}{${source}}`;
    const told = (text: string): readonly (readonly [string, string])[] =>
      checkTemplate(templateOf(text), FLOW, typesOf(definitionOf({ input: parts })), {
        schema: true,
        pointer: '/with',
      }).map(({ severity, kind, help }) => [`${severity} ${kind}`, help ?? '']);
    const send = (text: string): Json =>
      createEvaluator(definitionOf({ input: parts })).render(templateOf(text), FLOW, scopeOf({ a: 0.1, b: 0.2 }));
    expect(send(hole('input.a + input.b'))).toBe(0.30000000000000004);
    const rows = [
      [hole('input.a + input.b'), hole('double(string(decimal(input.a) + decimal(input.b)))'), 0.3],
      [`${hole('input.a + input.b')} EUR`, `${hole('string(decimal(input.a) + decimal(input.b))')} EUR`, '0.3 EUR'],
    ] as const;
    for (const [text, mended, value] of rows) {
      const [inner = ''] = /(?<=\$\{).*(?=\})/.exec(mended) ?? [];
      expect({ text, found: told(text) }).toEqual({
        text,
        found: [['warning inexact', expect.stringContaining(`write ${inner}`)]],
      });
      expect(told(mended)).toEqual([]);
      expect(send(mended)).toBe(value);
    }
    expect(told(`${hole('input.a')} of ${hole('input.a + input.b > 0.2')}, ${hole('input.a / 3.0')} each`)).toEqual([]);
  });

  it('is no error where nothing was computed with doubles: a whole double of JSON, ints, decimals, times', () => {
    for (const source of [
      'int(input.price)',
      'int(input.qty * 100)',
      'int(decimal(input.price) * 100)',
      'int(run.startedAt)',
      'int("5")',
    ])
      expect({ source, found: warnings(source, order) }).toEqual({ source, found: [] });
  });

  it('rounded in words gives 1999 too', () => {
    const help = problemsOf('int(input.price * 100.0)', order)[0]?.help ?? '';
    const rounded = 'int(string(decimal(input.price) * 100, 0))';
    expect(help).toContain(`or ${rounded}, which rounds`);
    expect(evaluate(rounded, order, { ...cart, price: 19.99 })).toBe(1999);
    expect(evaluate(rounded, order, { ...cart, price: 1.005 })).toBe(101);
  });

  it('multiplied by an int is led to the exact form, not to a double', () => {
    const rows = [
      [
        'input.price * 100',
        'write 100.0: int and double do not mix; for money write decimal(input.price) * 100, which is exact',
        'decimal(input.price) * 100',
      ],
      [
        'input.price * input.qty',
        'int and double do not mix: write double(input.qty); for money write decimal(input.price) * decimal(input.qty), which is exact',
        'decimal(input.price) * decimal(input.qty)',
      ],
    ] as const;
    for (const [source, help, mend] of rows) {
      expect(problemsOf(source, order)[0]?.help).toBe(help);
      expect(evaluate(`int(${mend})`, order, cart)).toBe(1999);
    }
    expect(problemsOf('input.price / 100', order)[0]?.help).toBe('write 100.0: int and double do not mix');
  });

  it('with a third decimal is an error; rounding is written out and goes away from zero at a half', () => {
    expect(evaluate(cents, asText, { amount: '1.005' })).toMatch(/^fault: the decimal is not a whole number/);
    expect(evaluate('string(decimal(input.amount), 2)', asText, { amount: '1.005' })).toBe('1.01');
    expect(evaluate('string(decimal(input.amount), 2)', asText, { amount: '-1.005' })).toBe('-1.01');
    expect(evaluate('string(decimal(input.amount), 2)', asText, { amount: '1.00499' })).toBe('1.00');
  });

  it('adds 0.10 and 0.20 to 0.30, and ten thousand parts of 0.01 to 100.00', () => {
    expect(evaluate('decimal("0.10") + decimal("0.20")', asText, {})).toBe('0.30');
    expect(evaluate('sum(range(10000).map(n, decimal("0.01")))', asText, {})).toBe('100.00');
  });
});

describe('case 16: nothing becomes something else', () => {
  const schema = { type: 'object', properties: { amount: { type: 'number' } } };

  it('null, empty text, blank, false and "5" are no numbers in an expression either', () => {
    for (const amount of [null, '', ' ', false, '5'] as const) {
      expect(evaluate('input.amount + 1.0', schema, { amount })).toMatch(/^fault: /);
      expect(evaluate('input.amount == 0.0', schema, { amount })).toBe(false);
      expect(evaluate('input.amount', schema, { amount })).toBe(amount);
    }
    for (const amount of ['', ' ', 'false', '0x5', '5 ']) {
      expect(evaluate('int(dyn(input.amount))', schema, { amount })).toMatch(/^fault: /);
      expect(evaluate('double(dyn(input.amount))', schema, { amount })).toMatch(/^fault: /);
    }
  });
});
