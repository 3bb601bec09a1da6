import { describe, expect, it } from 'vitest';
import { checkExpression, inferExpression, typesOf } from '../../../src/definition/check-expression.ts';
import { typeKey } from '../../../src/definition/expression/value-type.ts';
import { definitionOf, expressionOf } from './sample-definition.ts';

const types = typesOf(definitionOf());
const typeOf = (source: string): string => typeKey(inferExpression(expressionOf(source), { kind: 'flow' }, types).type);

/** Errors only, as `kind: message → help`. */
function told(source: string): readonly string[] {
  return checkExpression(expressionOf(source), { kind: 'flow' }, types, 'any')
    .filter(({ severity }) => severity === 'error')
    .map(({ kind, message, help }) => `${kind}: ${message} → ${help}`);
}

describe('the type of', () => {
  it.each([
    ['input.numbers[0]', 'int'],
    ['input.extra[input.name]', 'dyn'],
    ['input.address[input.name]', 'dyn'],
    ['input.anything[0]', 'dyn'],
    ['input.numbers.slice(0, 1)', 'list<int>'],
    ['dyn(input.numbers).slice(0, 1)', 'list<dyn>'],
    ['sum(dyn(input.numbers))', 'dyn'],
    ['input.numbers + [1]', 'list<int>'],
    ['input.numbers + input.anything', 'list<dyn>'],
    ['input.anything + 1', 'int|decimal'],
    ['1.5 * input.anything', 'double'],
    ['input.numbers.map(n, n > 1, string(n))', 'list<string>'],
    ['input.numbers.filter(n, n > 1)', 'list<int>'],
    ['input.extra.map(key, key)', 'list<string>'],
    ['[]', 'list<dyn>'],
    ['-input.price', 'double'],
    ['type(1)', 'type'],
    ['{"a": 1, input.name: 2}', '{a:int,*:dyn}'],
    ['input.flag ? 1 : null', 'int|null'],
    ['matches(input.name, "a")', 'bool'],
  ])('%s is %s', (source, wanted) => {
    expect(told(source)).toEqual([]);
    expect(typeOf(source)).toBe(wanted);
  });
});

describe('what cannot be', () => {
  it.each([
    ['input.name.first', 'type: a value of type string has no key `first` → read the value itself: leave out `first`'],
    ['input.numbers["a"]', 'type: a value of type list of int has no key `a` → read the value itself: leave out `a`'],
    [
      'input.numbers[input.name]',
      'type: a value of type list of int cannot be indexed with string → a list has positions, x[0], and a map has texts, x["name"]',
    ],
    [
      'input.extra[5]',
      'type: a value of type map cannot be indexed with int → a list has positions, x[0], and a map has texts, x["name"]',
    ],
    [
      'input.address[5]',
      'type: a value of type map cannot be indexed with int → a list has positions, x[0], and a map has texts, x["name"]',
    ],
    ['{}.a', 'unknown-name: unknown name `a` → leave it out: the value has no keys'],
    [
      'input.name.map(c, c)',
      'type: map() walks a list or a map, this is string → name a list or a map before it, for example input.lines',
    ],
    [
      'input.name.filter(c, true)',
      'type: filter() walks a list or a map, this is string → name a list or a map before it, for example input.lines',
    ],
    [
      'input.numbers - input.anything',
      'type: `-` is not defined between list of int and any → bring both sides to one type: string(…), int(…), double(…), decimal(…), timestamp(…)',
    ],
    [
      'input.flag + input.anything',
      'type: `+` is not defined between bool and any → bring both sides to one type: string(…), int(…), double(…), decimal(…), timestamp(…)',
    ],
    ['input.numbers.map(n, n, n)', 'guard: the filter of map() must be bool, this is int → compare it with something'],
    [
      'input.numbers.map(input, input)',
      'unknown-name: `input` cannot be the name of an item: it means something else → choose another name',
    ],
    ['{a: 1}', 'type: the keys of a map are texts, in quotes → write "a" for a key of that name'],
    ['{5: 1}', 'type: the keys of a map are texts, this is int → write it in quotes, or string(…) around it'],
    ['{"a": 1, "a": 2}', 'type: the same key twice in a map → keep one of the two'],
    ['b"a"', 'type: bytes are not part of the language → write a text: "…"'],
    ['5u', 'type: unsigned integers are not part of the language → write it without the u'],
    [
      'has(input)',
      'type: has() takes a path of names and dots → write has(input.coupon); for a key that is no name, write "the-key" in input',
    ],
    ['or()', 'type: or() takes a path and a default → write or(steps.x.output.total, 0)'],
    ['or(1, 2)', 'type: or() takes a path and a default → write or(steps.x.output.total, 0)'],
    ['input.name.matches()', 'type: there is no `string.matches()` → write string.matches(string)'],
    [
      'null == input.name',
      'type: null and string are compared, which are different types → the schema does not allow null here; to ask whether it is there, write has(input.name)',
    ],
    [
      'decimal("1") == 1.5',
      'type: decimal and double are compared, which are different types → write decimal(…) around the other side',
    ],
    [
      '(input.amount + 1) * 2.0',
      'type: `*` is not defined between int and double → int and double do not mix: write double(…); for money write (decimal(input.amount) + 1) * 2, which is exact',
    ],
    ['[] ? 1 : 2', 'guard: what stands before `?` must be bool, this is list → compare it with something'],
    ['input.?name', 'syntax: unexpected `?` → for a value that may be missing write or(path, default)'],
    ['"a\nb"', 'syntax: a line break inside a text → write \\n, or """ around a text of several lines'],
    ['"a', 'syntax: a text without its closing quote → close it with the quote that it begins with'],
    ['-input.flag', 'type: `-` is not defined for bool → write int(…), double(…) or decimal(…) around what follows'],
    [
      '5 in input.name',
      'type: `in` takes a list or a map on its right, this is string → name a list, or write one: [ … ]',
    ],
    [
      '"a" in input.numbers',
      'type: a value of type string is never in list of int → look for a value of the type that it holds',
    ],
  ])('%s', (source, ...wanted) => {
    expect(told(source)).toEqual(wanted);
  });
});
