import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../src/engine/sample.ts';
import type { JsonSchema } from '../../src/model/definition.ts';

const object = (properties: object, required = Object.keys(properties)): JsonSchema =>
  ({ type: 'object', properties, required }) as unknown as JsonSchema;

describe('the least that a schema asks for', () => {
  it.each<readonly [string, JsonSchema, string]>([
    ['nothing', true, '{}'],
    ['an object without a required field', object({ note: { type: 'string' } }, []), '{}'],
    ['a text', { type: 'string' }, '"<text>"'],
    ['a number or nothing', { type: ['number', 'null'] }, '<number>'],
    [
      'one of each',
      object({ n: { type: 'integer' }, s: { type: 'string' }, b: { type: 'boolean' }, l: { type: 'array' } }),
      '{"n": <integer>, "s": "<text>", "b": <true or false>, "l": []}',
    ],
    ['what is required only', object({ n: { type: 'integer' }, note: { type: 'string' } }, ['n']), '{"n": <integer>}'],
    ['fields in fields', object({ a: object({ b: { type: 'null' } }) }), '{"a": {"b": null}}'],
    ['one value', object({ kind: { const: 'paid' }, by: { enum: ['card'] } }), '{"kind": "paid", "by": "card"}'],
    ['one of several values', object({ by: { enum: ['card', 'cash', 1] } }), '{"by": <card or cash or 1>}'],
    ['one of several ways', { oneOf: [object({ a: { type: 'string' } }), { type: 'null' }] }, '{"a": "<text>"}'],
    [
      'a reference',
      { ...(object({ sum: { $ref: '#/$defs/money' } }) as object), $defs: { money: { type: 'integer' } } },
      '{"sum": <integer>}',
    ],
    [
      'all of several',
      { allOf: [{ $ref: '#/$defs/base' }, { required: ['b'] }], $defs: { base: object({ a: { type: 'string' } }) } },
      '{"a": "<text>", "b": <value>}',
    ],
  ])('is shown of %s', (_, schema, expected) => {
    expect(sampleOf(schema)).toBe(expected);
  });

  it.each<readonly [string, JsonSchema, readonly string[], string]>([
    [
      'a field that is asked for',
      object({ a: { type: 'string' }, b: { type: 'string' } }),
      ['b'],
      '{"a": "<text>", "b": 7}',
    ],
    ['a field that may be left out', object({ a: { type: 'string' }, b: {} }, ['a']), ['b'], '{"a": "<text>", "b": 7}'],
    ['a field in a field', object({ a: object({ b: { type: 'string' } }) }), ['a', 'b'], '{"a": {"b": 7}}'],
    ['a field of no schema', true, ['a', 'b'], '{"a": {"b": 7}}'],
    ['a field of one of several ways', { anyOf: [object({ a: {}, b: {} }), {}] }, ['b'], '{"a": <value>, "b": 7}'],
    ['the whole', object({ a: { type: 'string' } }), [], '7'],
  ])('has what is known of %s', (_, schema, path, expected) => {
    expect(sampleOf(schema, { path, value: 7 })).toBe(expected);
  });

  it('comes to an end in a schema that refers to itself', () => {
    expect(sampleOf({ $ref: '#/$defs/me', $defs: { me: { $ref: '#/$defs/me' } } })).toBe('<…>');
  });
});
