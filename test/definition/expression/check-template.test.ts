import { describe, expect, it } from 'vitest';
import { checkTemplate, typesOf } from '../../../src/definition/check-expression.ts';
import { parseTemplate } from '../../../src/definition/parse-template.ts';
import type { JsonSchema } from '../../../src/model/definition.ts';
import type { Json } from '../../../src/model/json.ts';
import { definitionOf } from './sample-definition.ts';

const HOLE = '$'.concat('{');
const types = typesOf(definitionOf());

const SCHEMA: JsonSchema = {
  type: 'object',
  required: ['amount', 'currency'],
  properties: {
    amount: { type: 'integer' },
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    rate: { type: 'number' },
    due: { type: 'string', format: 'date-time' },
    note: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { type: 'string', default: 'fast' },
    buyer: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  },
};

function check(value: Json, schema: JsonSchema = SCHEMA): readonly string[] {
  const parsed = parseTemplate(value, '/with');
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return checkTemplate(parsed.template, { kind: 'flow' }, types, { schema, pointer: '/with' }).map(
    ({ pointer, kind, message }) => `${pointer} ${kind}: ${message}`,
  );
}

const GOOD = { amount: '=input.amount', currency: 'EUR' };

describe('a template against a schema', () => {
  it('is right when keys and types fit', () => {
    expect(check(GOOD)).toEqual([]);
    expect(
      check({
        ...GOOD,
        rate: '=input.amount',
        due: '=run.startedAt',
        note: '=input.coupon',
        tags: ['a', '=input.name'],
      }),
    ).toEqual([
      '/with/note missing: `input.coupon` may be missing: the schema does not require it, and reading what is missing is a fault',
    ]);
    expect(
      check({
        ...GOOD,
        due: `${HOLE} run.startedAt + dur("1d") }`,
        note: null,
        rate: 1.5,
        buyer: { name: `x ${HOLE} input.name }` },
      }),
    ).toEqual([]);
    expect(
      check({ ...GOOD, note: '=input.anything', rate: '=steps.pay.output.fee' }).filter((text) =>
        text.includes('template'),
      ),
    ).toEqual([]);
  });

  it('tells a missing required key at the map, and not one that has a default', () => {
    expect(check({ amount: 1 })).toEqual(['/with template-key: the key `currency` is missing: the schema requires it']);
    expect(check({ ...GOOD, buyer: {} })).toEqual([
      '/with/buyer template-key: the key `name` is missing: the schema requires it',
    ]);
    expect(check({}, { type: 'object', required: ['x'] })).toEqual([]);
    expect(check({}, { type: 'object', required: ['x'], properties: { y: {} } })).toEqual([
      '/with template-key: the key `x` is missing: the schema requires it',
    ]);
  });

  it('tells an unknown key, unless the schema is open', () => {
    expect(check({ ...GOOD, amuont: 1 })).toEqual(['/with/amuont template-key: the schema has no key `amuont`']);
    expect(check({ ...GOOD, more: 1 }, { ...SCHEMA, additionalProperties: true })).toEqual([]);
  });

  it('tells a value of the wrong type at its place', () => {
    expect(check({ ...GOOD, amount: '=input.price' })).toEqual([
      '/with/amount template-value: the schema wants int, this is double',
    ]);
    expect(check({ ...GOOD, amount: `${HOLE} input.amount }.` })).toEqual([
      '/with/amount template-value: the schema wants int, this is string',
    ]);
    expect(check({ ...GOOD, amount: '5' })).toEqual([
      '/with/amount template-value: the schema wants int, this is string',
    ]);
    expect(check({ ...GOOD, note: '=input.amount' })).toEqual([
      '/with/note template-value: the schema wants string or null, this is int',
    ]);
    expect(check({ ...GOOD, tags: ['a', '=input.amount'] })).toEqual([
      '/with/tags/1 template-value: the schema wants string, this is int',
    ]);
    expect(check({ ...GOOD, tags: '=input.lines' })).toEqual([
      '/with/tags template-value: the schema wants list of string, this is list of map',
    ]);
    expect(check({ ...GOOD, buyer: '=input.name' })).toEqual([
      '/with/buyer template-value: the schema wants map, this is string',
    ]);
    expect(check({ ...GOOD, buyer: ['x'] })).toEqual([
      '/with/buyer template-value: the schema wants map, this is list',
    ]);
    expect(check(`${HOLE} input.lines[0] }`)).toEqual([
      '/with template-value: this map does not fit the schema: `amount`, `currency` is missing or of another type',
    ]);
  });

  it('tells a literal that is not in the list of the schema', () => {
    expect(check({ ...GOOD, currency: 'EURO' })).toEqual([
      '/with/currency template-value: not one of the values that the schema lists',
    ]);
    expect(check({ ...GOOD, currency: '=input.name' })).toEqual([]);
  });

  it('tells the mistakes of its expressions with their own pointer and offsets', () => {
    const parsed = parseTemplate({ ...GOOD, note: `a ${HOLE} input.nam }` }, '/with');
    if (!parsed.ok) throw new Error('a template');
    const [problem, ...others] = checkTemplate(parsed.template, { kind: 'flow' }, types, {
      schema: SCHEMA,
      pointer: '/with',
    });
    expect(others).toEqual([]);
    expect([problem?.pointer, problem?.kind, problem?.start, problem?.end, problem?.expression?.offset]).toEqual([
      '/with/note',
      'unknown-name',
      6,
      9,
      5,
    ]);
  });

  it('wants nothing where the schema says nothing', () => {
    for (const schema of [true, {}, { type: 'object' }] as const)
      expect(check({ a: 1, b: ['=input.amount'] }, schema)).toEqual([]);
  });
});
