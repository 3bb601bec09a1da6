import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../../src/definition/parse-template.ts';
import type { Template } from '../../../src/model/definition.ts';
import type { Json } from '../../../src/model/json.ts';

const HOLE = '$'.concat('{');

/** `§{` stands for the opening of an expression, so that these sources are plain texts. */
function hole(text: string): string {
  return text.replaceAll('§{', HOLE);
}

function templateOf(value: Json): Template {
  const parsed = parseTemplate(value, '/with');
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.template;
}

function problemsOf(value: Json): readonly unknown[] {
  const parsed = parseTemplate(value, '/with');
  return parsed.ok ? [] : parsed.problems.map(({ kind, pointer, start, end }) => ({ kind, pointer, start, end }));
}

describe('a template', () => {
  it('is a path with its type when it is exactly =path', () => {
    expect(templateOf('=steps.cart.output.total')).toEqual({
      kind: 'expression',
      expression: { source: 'steps.cart.output.total', pointer: '/with', offset: 1 },
    });
  });

  it('is a literal that begins with = when it is written ==', () => {
    expect(templateOf('==5')).toEqual({ kind: 'literal', value: '=5' });
    expect(templateOf('===x')).toEqual({ kind: 'literal', value: '==x' });
  });

  it('refuses an = before anything but names and dots', () => {
    expect(problemsOf('= a.b')).toEqual([{ kind: 'path', pointer: '/with', start: 0, end: 5 }]);
    expect(problemsOf('=a + b')).toEqual([{ kind: 'path', pointer: '/with', start: 0, end: 6 }]);
    expect(problemsOf('=')).toEqual([{ kind: 'path', pointer: '/with', start: 0, end: 1 }]);
  });

  it('is typed when the whole text is one expression, with the offset of its source', () => {
    expect(templateOf(hole('§{  input.a + 1 }'))).toEqual({
      kind: 'expression',
      expression: { source: 'input.a + 1', pointer: '/with', offset: 4 },
    });
  });

  it('is text when expressions stand inside a text, each with its own offset', () => {
    const text = hole('a §{ x } b §{y}');
    const template = templateOf(text);
    expect(template).toEqual({
      kind: 'text',
      parts: ['a ', { source: 'x', pointer: '/with', offset: 5 }, ' b ', { source: 'y', pointer: '/with', offset: 13 }],
    });
    expect([text.slice(5, 6), text.slice(13, 14)]).toEqual(['x', 'y']);
  });

  it('keeps blanks around a single expression as text', () => {
    expect(templateOf(hole(' §{ x }'))).toEqual({
      kind: 'text',
      parts: [' ', { source: 'x', pointer: '/with', offset: 4 }],
    });
  });

  it('has a literal opening when it is written with two dollars', () => {
    expect(templateOf(hole('cost $§{ x }'))).toEqual({ kind: 'literal', value: hole('cost §{ x }') });
    expect(templateOf(hole('$§{a} §{ b }'))).toEqual({
      kind: 'text',
      parts: [hole('§{a} '), { source: 'b', pointer: '/with', offset: 9 }],
    });
  });

  it('finds the closing brace behind braces of maps and of texts', () => {
    for (const source of ['{"a": {"b": 1}}["a"]', '"}" + \'}\'', '"\\"}" + "x"', '"""a}"b""" + "c"', "r'}'"]) {
      expect(templateOf(`${HOLE} ${source} }`)).toEqual({
        kind: 'expression',
        expression: { source, pointer: '/with', offset: 3 },
      });
    }
  });

  it('refuses an opening without a closing brace, and an empty expression, with the place', () => {
    expect(problemsOf(hole('ab §{ x'))).toEqual([{ kind: 'unclosed', pointer: '/with', start: 3, end: 7 }]);
    expect(problemsOf(hole('§{ "x }'))).toEqual([{ kind: 'unclosed', pointer: '/with', start: 0, end: 7 }]);
    expect(problemsOf(hole('§{  }'))).toEqual([{ kind: 'empty', pointer: '/with', start: 0, end: 5 }]);
  });

  it('goes into lists and maps, with the pointer of each value', () => {
    expect(templateOf({ 'a/b': ['=x.y', 1], '~': { c: 'plain' } })).toEqual({
      kind: 'map',
      entries: [
        [
          'a/b',
          {
            kind: 'list',
            items: [
              { kind: 'expression', expression: { source: 'x.y', pointer: '/with/a~1b/0', offset: 1 } },
              { kind: 'literal', value: 1 },
            ],
          },
        ],
        ['~', { kind: 'literal', value: { c: 'plain' } }],
      ],
    });
    expect(problemsOf({ a: [hole('§{')], b: '= ' })).toEqual([
      { kind: 'unclosed', pointer: '/with/a/0', start: 0, end: 2 },
      { kind: 'path', pointer: '/with/b', start: 0, end: 2 },
    ]);
  });

  it('keeps a key __proto__ as plain data', () => {
    const value: Json = JSON.parse('{"__proto__": {"x": 1}}');
    const template = templateOf(value);
    expect(JSON.stringify(template)).toBe('{"kind":"literal","value":{"__proto__":{"x":1}}}');
  });

  it('is one literal when nothing in it is an expression', () => {
    expect(templateOf({ a: [1, null, true, 'x'] })).toEqual({ kind: 'literal', value: { a: [1, null, true, 'x'] } });
  });
});
