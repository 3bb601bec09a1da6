import { describe, expect, it } from 'vitest';
import { fillDefaults } from '../../src/definition/fill-defaults.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    amount: { type: 'number' },
    note: { type: 'string', default: 'none' },
    nothing: { type: 'null', default: null },
    address: { type: 'object', properties: { country: { type: 'string', default: 'CH' } } },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    more: { allOf: [{ type: 'object', properties: { b: { default: 2 } } }] },
    either: { anyOf: [{ type: 'object', properties: { c: { default: 3 } } }] },
  },
  additionalProperties: { type: 'object', properties: { d: { default: 4 } } },
  $defs: { line: { type: 'object', properties: { count: { type: 'integer', default: 1 } } } },
};

describe('defaults of a schema', () => {
  it.each([
    ['a missing key', {}, { note: 'none', nothing: null }],
    ['what is there stays, null and "" too', { note: '', nothing: 'x' }, { note: '', nothing: 'x' }],
    ['inside an object that is there', { address: {} }, { address: { country: 'CH' } }],
    ['in each item, through a reference', { lines: [{}, { count: 3 }] }, { lines: [{ count: 1 }, { count: 3 }] }],
    ['along allOf', { more: { a: 1 } }, { more: { a: 1, b: 2 } }],
    ['not inside a choice', { either: {} }, { either: {} }],
    ['for keys that no property names', { other: {} }, { other: { d: 4 } }],
    ['a key __proto__ is data', JSON.parse('{"__proto__": {}}') as Json, JSON.parse('{"__proto__": {"d": 4}}') as Json],
  ])('are written in where they are missing and nowhere else: %s', (_why, sent, filled) => {
    const always = { note: 'none', nothing: null };
    const before = JSON.stringify(sent);
    expect(fillDefaults(SCHEMA, sent)).toEqual({ ...always, ...(filled as JsonObject) });
    expect(JSON.stringify(sent)).toBe(before);
  });

  it.each([[null], ['text'], [false], [3], [[]], [{ amount: null }], [{ amount: '' }], [{ amount: ' ' }]])(
    'never turn one value into another: %j',
    (sent) => {
      const filled = fillDefaults({ type: 'object', properties: { amount: { type: 'number', default: 7 } } }, sent);
      expect(filled).toBe(sent);
    },
  );

  it('leave what lacks nothing as it is, lists and what a pattern may name included', () => {
    const whole = { note: 'x', nothing: null, lines: [{ count: 1 }] };
    expect(fillDefaults(SCHEMA, whole)).toBe(whole);
    const named = { x1: {} };
    expect(fillDefaults({ ...SCHEMA, properties: {}, patternProperties: { '^x': {} } }, named)).toBe(named);
  });

  it('are written inside a default too', () => {
    const inner = { type: 'object', default: {}, properties: { n: { default: 1 } } };
    expect(fillDefaults({ properties: { inner } }, {})).toEqual({ inner: { n: 1 } });
  });

  it('that do not come to an end are refused instead of filling the memory', () => {
    const node = { properties: { a: { $ref: '#/$defs/n', default: {} }, b: { $ref: '#/$defs/n', default: {} } } };
    expect(() => fillDefaults({ $ref: '#/$defs/n', $defs: { n: node } }, {})).toThrow('do not come to an end');
  });

  it.each([
    ['input: { type: object, properties: { n: { type: integer, default: five } } }', '/input/properties/n/default'],
    [
      'input: { type: object, properties: { o: { type: object, required: [x], default: {} } } }',
      '/input/properties/o/default',
    ],
    ['vars: { v: { type: integer, default: 1.5 } }', '/vars/v/default'],
  ])('that their own schema refuses are found when the file is validated: %s', (line, pointer) => {
    const text = (part: string): string =>
      `pawl: 1\nworkflow: w\nversion: 1\ntimeout: 1d\n${part}\nsteps:\n  - { id: e, end: done }\n`;
    const found = validateWorkflow(text(line), 'x').problems;
    expect(found.map((problem) => [problem.severity, problem.pointer])).toEqual([['error', pointer]]);
    const right = line
      .replace('five', '5')
      .replace('1.5', '1')
      .replace('required: [x]', 'required: [x], properties: { x: { default: 1 } }');
    expect(validateWorkflow(text(right), 'x').problems).toEqual([]);
  });
});
