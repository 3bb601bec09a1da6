import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../src/model/json-fault.ts';

describe('where a text stops being JSON', () => {
  it.each([
    ['', 1, 1, 'a value is expected and it ends there'],
    ['{"id":x}', 1, 7, 'a value is expected and there is "x"'],
    ['{\n  "id": 1,\n}', 3, 1, 'a name in double quotes is expected and there is "}"'],
    ["{'id': 1}", 1, 2, 'a name in double quotes or "}" is expected and there is "\'"'],
    ['{"id" 1}', 1, 7, '":" is expected and there is "1"'],
    ['{"id":1 "b":2}', 1, 9, '"," or "}" is expected and there is "\\""'],
    ['[1 2]', 1, 4, '"," or "]" is expected and there is "2"'],
    ['[,]', 1, 2, 'a value or "]" is expected and there is ","'],
    ['{} {}', 1, 4, 'the end is expected and there is "{"'],
    ['{"a":[1,{"b":', 1, 14, 'a value is expected and it ends there'],
    ['{"a":01}', 1, 7, '"," or "}" is expected and there is "1"'],
    ['{"a":"x\ty"}', 1, 6, 'a value is expected and there is "\\""'],
    ['[😀]', 1, 2, 'a value or "]" is expected and there is "😀"'],
  ])('%j stops at line %i, column %i', (text, line, column, reason) => {
    expect(findJsonFault(text)).toEqual({ line, column, reason });
  });

  it('is nowhere exactly in the texts that JSON.parse takes', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '{', ']', ':', '0', 'x', '\\', ' '))
      .map(
        ([text, at, put]) =>
          `${text.slice(0, at % (text.length + 1))}${put}${text.slice((at % (text.length + 1)) + 1)}`,
      );
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonFault(text) === null).toBe(isJson);
      }),
      { numRuns: 2_000 },
    );
  });
});
