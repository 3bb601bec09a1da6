import { describe, expect, it } from 'vitest';
import { compileSchema, tellMisfits } from '../../src/definition/schema-validator.ts';
import type { Json } from '../../src/model/json.ts';

const PAYMENT = {
  type: 'object',
  required: ['amount'],
  additionalProperties: false,
  properties: { amount: { type: 'number', minimum: 0 }, note: { type: 'string' }, mode: { enum: ['fast', 'slow'] } },
};

const first = (schema: Json, value: Json) => compileSchema(schema as never)(value)[0];

describe('a value against a JSON Schema', () => {
  it.each([
    [{ amount: null }, 'null'],
    [{ amount: '' }, 'string'],
    [{ amount: ' ' }, 'string'],
    [{ amount: false }, 'boolean'],
    [{ amount: '5' }, 'string'],
    [{ amount: [5] }, 'array'],
    [{ amount: {} }, 'object'],
  ])('%j is refused at /amount with the kind that was found', (value, kind) => {
    const before = JSON.stringify(value);
    expect(first(PAYMENT, value as Json)).toEqual({
      pointer: '/amount',
      message: `/amount must be number (found ${kind})`,
    });
    expect(JSON.stringify(value)).toBe(before);
  });

  it('is told what is missing, what is too much, and which words are allowed', () => {
    expect(first(PAYMENT, {})).toEqual({ pointer: '/amount', message: '/amount is required (found nothing)' });
    expect(first(PAYMENT, { amount: 1, extra: 'secret' })).toEqual({
      pointer: '/extra',
      message: '/extra is not allowed',
    });
    expect(first(PAYMENT, { amount: 1, mode: 'secret' })?.message).toBe(
      '/mode must be equal to one of the allowed values: ["fast","slow"] (found string)',
    );
    expect(first(PAYMENT, { amount: -1 })?.message).toBe('/amount must be >= 0 (found number)');
  });

  it('is never shown in a message', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x$' }, b: { const: 1 } } };
    expect(first(schema, { a: 'hunter2' })?.message).not.toContain('hunter2');
    expect(first(schema, { b: 'hunter2' })?.message).not.toContain('hunter2');
  });

  it('is never changed: no coercion, no defaults', () => {
    const value = { amount: 1 };
    const check = compileSchema({
      ...PAYMENT,
      properties: { ...PAYMENT.properties, note: { type: 'string', default: 'x' } },
    });
    expect(check(value)).toEqual([]);
    expect(value).toEqual({ amount: 1 });
  });

  it('counts own members only', () => {
    expect(first({ type: 'object', required: ['toString'] }, {})?.pointer).toBe('/toString');
  });

  it('takes prices that are multiples of a cent', () => {
    for (const price of [19.99, 8.29, 17.08, 37.8, 0.1])
      expect(first({ type: 'number', multipleOf: 0.01 }, price)).toBeUndefined();
    expect(first({ type: 'number', multipleOf: 0.01 }, 1.005)?.message).toMatch(/multiple/);
  });

  it('two patterns of one schema are two patterns', () => {
    const properties = { a: { type: 'string', pattern: '^x$' }, b: { type: 'string', pattern: '^y$' } };
    const schema = { type: 'object', properties };
    expect(first(schema, { a: 'x', b: 'y' })).toBeUndefined();
    expect(first(schema, { a: 'x', b: 'x' })?.pointer).toBe('/b');
  });

  it('runs patterns in time linear in the text', () => {
    const started = process.hrtime.bigint();
    expect(first({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(5_000)}!`)?.pointer).toBe('');
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });

  it.each([
    [{ type: 'string', pattern: '(?=x)' }, /not RE2/],
    [{ $ref: 'https://example.com/schema' }, /resolve reference/],
    [{ type: 'strin' }, /type/],
    [{ tipe: 'string' }, /unknown keyword/],
    [{ type: 'string', format: 'credit-card' }, /unknown format/],
  ])('%j cannot be compiled', (schema, reason) => {
    expect(() => compileSchema(schema as never)).toThrow(reason);
    expect(() => compileSchema(schema as never)).toThrow(expect.objectContaining({ code: 'PAWL_DEFINITION_INVALID' }));
  });

  it('is compiled once for one content', () => {
    expect(compileSchema({ type: 'string', maxLength: 3 })).toBe(compileSchema({ maxLength: 3, type: 'string' }));
  });

  it('true takes everything and false nothing', () => {
    expect(compileSchema(true)(null)).toEqual([]);
    expect(compileSchema(false)('x')).toEqual([{ pointer: '', message: '/ is not allowed (found string)' }]);
  });
});

describe('the misfit that is told', () => {
  it('is of `if` what its branch says, of a closed object the key that is too much, at a list its item', () => {
    const conditional = { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } };
    expect(first(conditional, { a: 1 })).toEqual({ pointer: '/b', message: '/b is required (found nothing)' });
    expect(first(conditional, { b: 1 })).toBeUndefined();
    const closed = { type: 'object', properties: { a: {} }, unevaluatedProperties: false };
    expect(first(closed, { a: 1, z: 1 })).toEqual({ pointer: '/z', message: '/z is not allowed' });
    expect(first({ type: 'array', items: { type: 'string' } }, ['a', 5])?.message).toBe(
      '/1 must be string (found number)',
    );
    expect(first({ type: 'object', properties: { 'a/b': { type: 'string' } } }, { 'a/b': null })).toEqual({
      pointer: '/a~1b',
      message: '/a~1b must be string (found null)',
    });
  });

  it('is each, in the order of the schema: every key that is missing, every value of another kind', () => {
    const schema = {
      type: 'object',
      required: ['orderId', 'amount'],
      properties: { orderId: { type: 'string' }, amount: { type: 'integer' }, lines: { items: { type: 'string' } } },
    };
    const told = (value: Json) => tellMisfits(compileSchema(schema)(value));
    expect(told({})).toBe('/orderId is required (found nothing); /amount is required (found nothing)');
    expect(told({ orderId: 5, amount: 'x', lines: [1] })).toBe(
      '/orderId must be string (found number); /amount must be integer (found string); /lines/0 must be string (found number)',
    );
    expect(told({ orderId: 5 })).toBe('/amount is required (found nothing); /orderId must be string (found number)');
  });

  it('of a choice is the choice, beside what is wrong elsewhere', () => {
    const schema = {
      type: 'object',
      required: ['b'],
      properties: { a: { anyOf: [{ type: 'object', required: ['x', 'y'] }, { type: 'string' }] } },
    };
    const messages = compileSchema(schema)({ a: {} }).map(({ message }) => message);
    expect(messages).toEqual(['/b is required (found nothing)', '/a must match a schema in anyOf (found object)']);
  });

  it('is one of a bounded number, of which a line names five', () => {
    const misfits = compileSchema({ type: 'array', items: { type: 'string' } })(Array.from({ length: 500 }, () => 1));
    expect(misfits).toHaveLength(20);
    expect(tellMisfits(misfits)).toMatch(/^\/0 must be string.*; \/4 must be string \(found number\); and 15 more$/);
  });

  it('of a schema `false` is the value itself', () => {
    expect(first(false, null)).toEqual({ pointer: '', message: '/ is not allowed (found null)' });
    expect(first(true, null)).toBeUndefined();
  });
});
