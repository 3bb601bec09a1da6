import { describe, expect, it } from 'vitest';
import { resolveReference, typeOfSchema, typeOfValue } from '../../../src/definition/expression/schema-type.ts';
import { typeKey } from '../../../src/definition/expression/value-type.ts';
import type { JsonSchema } from '../../../src/model/definition.ts';
import type { Json } from '../../../src/model/json.ts';

const typeOf = (schema: JsonSchema): string => typeKey(typeOfSchema(schema));

describe('the type of a schema', () => {
  it.each<readonly [JsonSchema, string]>([
    [true, 'dyn'],
    [{}, 'dyn'],
    [{ type: 'nothing' }, 'dyn'],
    [{ type: ['integer', 'null'] }, 'int|null'],
    [{ const: 'a' }, 'string'],
    [{ const: null }, 'null'],
    [{ enum: ['a', 5, 1.5, true, null] }, 'string|int|double|bool|null'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string|double'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'dyn'],
    [{ type: 'string', anyOf: [{ minLength: 1 }] }, 'string'],
    [{ type: 'array' }, 'list<dyn>'],
    [{ type: 'array', items: { type: 'integer' } }, 'list<int>'],
    [{ type: 'array', prefixItems: [{ type: 'integer' }] }, 'list<dyn>'],
    [{ type: 'object' }, 'map<dyn>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map<string>'],
    [{ type: 'object', patternProperties: {}, additionalProperties: { type: 'string' } }, 'map<dyn>'],
    [{ properties: { a: { type: 'integer' } } }, '{a?:int,}'],
    [{ type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer' } } }, '{a:int,b:dyn,}'],
    [{ type: 'object', properties: { a: { default: 1 } } }, '{a:dyn,}'],
    [{ type: 'object', properties: {}, additionalProperties: false }, '{}'],
    [{ type: 'object', properties: {}, additionalProperties: { type: 'string' } }, '{*:string}'],
    [{ type: 'object', properties: {}, unevaluatedProperties: { type: 'string' } }, '{*:dyn}'],
  ])('%j is %s', (schema, wanted) => {
    expect(typeOf(schema)).toBe(wanted);
  });

  it('has no defaults where the value is taken as it came', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', default: 1 } } };
    expect(typeKey(typeOfSchema(schema, 'received'))).toBe('{a?:int,}');
    expect(typeKey(typeOfSchema(schema, 'filled'))).toBe('{a:int,}');
  });

  it('of `allOf` is what all parts say together', () => {
    const part = (name: string, more: object = {}) => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      ...more,
    });
    expect(typeOf({ allOf: [part('a', { required: ['a'] }), part('b')] })).toBe('{a:string,b?:string,}');
    expect(typeOf({ ...part('a'), allOf: [part('a', { required: ['a'] })] })).toBe('{a:string,}');
    expect(typeOf({ type: 'object', allOf: [part('a')] })).toBe('{a?:string,}');
    expect(typeOf({ ...part('a'), allOf: [{ type: 'object' }] })).toBe('{a?:string,}');
    expect(typeOf({ ...part('a'), allOf: [{}] })).toBe('{a?:string,}');
    expect(typeOf({ ...part('a', { additionalProperties: true }), allOf: [part('b')] })).toBe(
      '{a?:string,b?:string,*:dyn}',
    );
  });

  it('follows references in the file, and knows nothing of others or of what goes round', () => {
    const $defs = {
      'a/b': { type: 'integer' },
      loop: { $ref: '#/$defs/loop' },
      tree: { type: 'array', items: { $ref: '#' } },
    };
    expect(typeOf({ $ref: '#/$defs/a~1b', $defs })).toBe('int');
    expect(typeOf({ $ref: '#/$defs/none', $defs })).toBe('dyn');
    expect(typeOf({ $ref: 'https://x.example/schema', $defs })).toBe('dyn');
    expect(typeOf({ $ref: '#/$defs/loop', $defs })).toBe('dyn');
    expect(typeOf({ type: 'array', items: { $ref: '#' } })).toMatch(/^(list<){5,}dyn>+$/);
    expect(resolveReference('#', { a: 1 })).toEqual({ a: 1 });
    expect(resolveReference('#/a/b', { a: 1 })).toBeUndefined();
  });
});

describe('the type of a constant', () => {
  it.each<readonly [Json, string]>([
    [true, 'bool'],
    [[], 'list<dyn>'],
    [[1, 2], 'list<int>'],
    [{ a: 1.5 }, '{a:double,}'],
  ])('%j is %s', (value, wanted) => {
    expect(typeKey(typeOfValue(value))).toBe(wanted);
  });
});
