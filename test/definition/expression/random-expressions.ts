import { fc } from '../../support/fast-check.ts';

type Source = fc.Arbitrary<string>;

const small = fc.integer({ min: -20, max: 20 });
const literalInt = small.map((value) => (value < 0 ? `(${value})` : String(value)));
const literalDouble = fc
  .tuple(small, fc.integer({ min: 0, max: 99 }))
  .map(([whole, part]) => (whole < 0 ? `(${whole}.${part})` : `${whole}.${part}`));
const literalText = fc.constantFrom('"a"', '"b"', '"ab"', '"Zoë 😀"', '""', '"O-1"', "'it'", 'r"a\\b"');

const COMPREHENSION = /\.(?:map|filter|all|exists|exists_one)$/;

/** How many comprehensions lie inside each other at most; no literal here has a parenthesis in it. */
function nesting(source: string): number {
  const open: boolean[] = [];
  let deepest = 0;
  for (const [at, letter] of [...source].entries()) {
    if (letter === '(') open.push(COMPREHENSION.test([...source].slice(0, at).join('')));
    if (letter === ')') open.pop();
    deepest = Math.max(deepest, open.filter(Boolean).length);
  }
  return deepest;
}

/** Expressions that are right by construction, over the sample's schemas; ints, doubles, texts and bools. */
export const expressions = fc
  .letrec<{
    int: string;
    double: string;
    text: string;
    bool: string;
    ints: string;
    any: string;
  }>((tie) => {
    const { int, double, text, bool, ints } = {
      int: tie('int'),
      double: tie('double'),
      text: tie('text'),
      bool: tie('bool'),
      ints: tie('ints'),
    };
    const infix = (left: Source, operators: readonly string[], right: Source): Source =>
      fc
        .tuple(left, fc.constantFrom(...operators), right)
        .map(([one, operator, other]) => `(${one} ${operator} ${other})`);
    const chosen = (of: Source): Source =>
      fc.tuple(bool, of, of).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`);
    const orMissing = (path: string, of: Source): Source => of.map((fallback) => `or(${path}, ${fallback})`);
    const shallow = { maxDepth: 4, depthIdentifier: 'expression' } as const;
    return {
      int: fc.oneof(
        shallow,
        literalInt,
        fc.constantFrom(
          'input.amount',
          'steps.pay.output.count',
          'constants.limit',
          'vars.count',
          'input.lines[0].qty',
        ),
        infix(int, ['+', '-', '*', '/', '%'], int),
        chosen(int),
        orMissing('steps.heard.output.total', int),
        orMissing('steps.pay.output.count', int),
        ints.map((list) => `size(${list})`),
        ints.map((list) => `sum(${list})`),
        text.map((one) => `size(${one})`),
        double.map((one) => `int(${one})`),
        int.map((one) => `(-${one})`),
        fc.tuple(ints, int).map(([list, at]) => `${list}[${at}]`),
        fc.tuple(fc.constantFrom('"abab"', 'run.key', '""'), text).map(([one, other]) => `${one}.indexOf(${other})`),
      ),
      double: fc.oneof(
        shallow,
        literalDouble,
        fc.constantFrom('input.price', 'constants.rate', 'steps.pay.output.fee'),
        infix(double, ['+', '-', '*', '/'], double),
        chosen(double),
        int.map((one) => `double(${one})`),
      ),
      text: fc.oneof(
        shallow,
        literalText,
        fc.constantFrom('input.name', 'run.key', 'steps.pay.output.id', 'input.lines[1].sku'),
        infix(text, ['+'], text),
        chosen(text),
        orMissing('input.extra.zip', text),
        int.map((one) => `string(${one})`),
        fc
          .tuple(text, fc.constantFrom('"a"', '"-"', '"😀"'), text)
          .map(([one, from, to]) => `${one}.replace(${from}, ${to})`),
        text.map((one) => `${one}.upperAscii()`),
        text.map((one) => `${one}.split("a").join("-")`),
        ints.map((list) => `${list}.map(n, string(n)).join(",")`),
      ),
      bool: fc.oneof(
        shallow,
        fc.constantFrom(
          'true',
          'false',
          'input.flag',
          'has(input.coupon)',
          'has(input.extra.zip)',
          '(input.extra == input.anything)',
        ),
        infix(int, ['==', '!=', '<', '<=', '>', '>='], int),
        infix(double, ['==', '!=', '<', '<=', '>', '>='], double),
        infix(int, ['<', '>='], double),
        infix(text, ['==', '!=', '<', '>'], text),
        infix(bool, ['&&', '||', '==', '!='], bool),
        infix(ints, ['==', '!='], ints),
        infix(int, ['in'], ints),
        bool.map((one) => `!${one}`),
        chosen(bool),
        fc.tuple(text, text).map(([one, other]) => `${one}.contains(${other})`),
        fc
          .tuple(text, fc.constantFrom('^a', 'b$', '[0-9]+', 'O-[0-9]', '.'))
          .map(([one, pattern]) => `${one}.matches("${pattern}")`),
        fc
          .tuple(ints, fc.constantFrom('all', 'exists', 'exists_one'), small)
          .map(([list, macro, than]) => `${list}.${macro}(n, n > ${than})`),
      ),
      ints: fc.oneof(
        shallow,
        fc.constantFrom('input.numbers', '[1, 2, 3]', 'input.lines.map(line, line.qty)', 'range(3)'),
        fc.array(int, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
        infix(ints, ['+'], ints),
        int.map((one) => `input.numbers.map(n, n + ${one})`),
        int.map((one) => `input.numbers.filter(n, n > ${one})`),
        chosen(ints),
      ),
      any: fc.oneof(int, double, text, bool, ints),
    };
  })
  .any.filter((source) => nesting(source) <= 2);
