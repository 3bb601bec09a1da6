import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** A test that is called after a rule of the semantics. */
const RULE = /^([EPWRAV]\d\d[a-c]?)\b/;

/** What the chain of a call begins with: `it` of `it.each(…)(…)`. */
function rootOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  const inner =
    ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression)
      ? expression.expression
      : ts.isTaggedTemplateExpression(expression)
        ? expression.tag
        : null;
  return inner === null ? '' : rootOf(inner);
}

function nameOf(argument: ts.Expression | undefined): string {
  if (argument === undefined) return '';
  if (ts.isStringLiteralLike(argument)) return argument.text;
  return ts.isTemplateExpression(argument) ? argument.head.text : '';
}

/** The names of the tests of a text that are called after a rule, with the first line of each. */
function ruleTests(text: string): readonly { readonly name: string; readonly rule: string; readonly first: string }[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const found: { name: string; rule: string; first: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && rootOf(node.expression) === 'it') {
      const name = nameOf(node.arguments[0]);
      const rule = RULE.exec(name)?.[1];
      const act = node.arguments.find((argument) => ts.isArrowFunction(argument));
      if (rule !== undefined && act !== undefined) {
        const body = text.slice(act.body.getStart() + (ts.isBlock(act.body) ? 1 : 0));
        found.push({ name, rule, first: body.trimStart().split('\n')[0] ?? '' });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const lacks = (text: string): readonly string[] =>
  ruleTests(text)
    .filter(({ rule, first }) => !first.startsWith(`// ${rule}: `))
    .map(({ name }) => name);

it('the first line of every test that is called after a rule says that rule', () => {
  const folder = new URL('../', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  const texts = files.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);
  expect(texts.flatMap(([, text]) => ruleTests(text)).length).toBeGreaterThan(300);
  expect(texts.flatMap(([name, text]) => lacks(text).map((test) => `${name}: ${test}`))).toEqual([]);
});

it('a test without that line is found, however it is written', () => {
  expect(lacks("it('E01 x', () => {\n  // E01: \"The effect key is\"\n});\nit('says', () => {});")).toEqual([]);
  expect(
    lacks(
      "it('E01 x', () => {\n  const a = 1;\n});\nit.each([1])('P02b y %i', () => {\n  // P02: z\n});\nit(`V01 ${1}`, () => {});",
    ),
  ).toEqual(['E01 x', 'P02b y %i', 'V01 ']);
});
