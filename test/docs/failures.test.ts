import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** What the chain of a call begins with: `it` of `it.each(…)(…)`. */
function rootOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression))
    return rootOf(expression.expression);
  return '';
}

const TESTS = new Set(['it', 'test', 'describe']);
const namesByFile = new Map<string, readonly string[]>();

/** The names of the tests of a file, placeholders of `each` as they are written. */
function testNames(file: string): readonly string[] {
  const known = namesByFile.get(file);
  if (known !== undefined) return known;
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) && TESTS.has(rootOf(node.expression)) ? node.arguments : [];
    if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text);
    if (name !== undefined && ts.isTemplateExpression(name)) names.push(name.head.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  namesByFile.set(file, names);
  return names;
}

/** The tests that a text names: `path` "beginning of the name". */
function namedTests(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/`((?:test|src)\/[^`]+\.ts)` "([^"]+)"/g)].map(([, file = '', name = '']) => [file, name]);
}

const missing = (text: string): readonly string[] =>
  namedTests(text)
    .filter(([file, name]) => !testNames(file).some((known) => known.startsWith(name)))
    .map(([file, name]) => `${file} has no test that begins with: ${name}`);

/** The rows of a case that the scenarios of a file are: `A3 …`, `2 and 7 …`. */
function rowsPlayed(text: string): readonly number[] {
  const { scenarios } = parse(text) as { readonly scenarios: readonly { readonly name: string }[] };
  return scenarios.flatMap(({ name }) =>
    [...(/^[A-E]?\d+(?: and \d+)*/.exec(name)?.[0] ?? '').matchAll(/\d+/g)].map(Number),
  );
}

describe('docs/reference/failures.md', () => {
  const rows = read('docs/reference/failures.md')
    .split('\n')
    .filter((line) => /^\| F\d/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

  it('has F1 to F45, each once and in order, each with what happened, what Pawl does and what shows it', () => {
    expect(rows.map(([id]) => id)).toEqual(Array.from({ length: 45 }, (_, no) => `F${no + 1}`));
    for (const row of rows) {
      expect(row.length, row[0]).toBe(4);
      for (const cell of row.slice(1)) expect(cell.length, row[0]).toBeGreaterThan(20);
    }
  });

  it('names for each a test that exists, or says that it is not yet there', () => {
    expect(rows.flatMap(([, , , shown = '']) => missing(shown))).toEqual([]);
    for (const [id, , , shown = ''] of rows)
      expect(namedTests(shown).length > 0 || shown.startsWith('Not yet: '), id).toBe(true);
  });
});

describe('test/cases/README.md', () => {
  const page = read('test/cases/README.md');
  const rows = page
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

  it('names for each case the tests that play it, and each exists', () => {
    expect(rows.length).toBe(49);
    expect(rows.flatMap(([, , tests = '']) => missing(tests))).toEqual([]);
    for (const [id, , tests = ''] of rows) expect(namedTests(tests).length, id).toBeGreaterThan(0);
  });

  it('each row of each case is a scenario whose name begins with its number, or a test that is named', () => {
    const cases = page
      .split('\n')
      .filter((line) => /^\| case \d/.test(line))
      .map((line) => /^\| case (\d\d) +\| (\d+) +\|[^|]*\|(.*)\|$/.exec(line)?.slice(1) ?? []);
    expect(cases.length).toBe(21);
    const files = readdirSync(new URL('test/cases/workflows', ROOT)).filter((name) => name.endsWith('.test.yaml'));
    const unplayed = cases.flatMap(([no = '', count, elsewhere = '']) => {
      const own = files.filter((file) => file.startsWith(`${no}-`)).map((file) => read(`test/cases/workflows/${file}`));
      const played = new Set(own.flatMap(rowsPlayed));
      expect(missing(elsewhere)).toEqual([]);
      for (const [, row] of elsewhere.matchAll(/\d+\/(\d+): `test/g)) played.add(Number(row));
      expect(Math.max(...played), `case ${no}`).toBeLessThanOrEqual(Number(count));
      return Array.from({ length: Number(count) }, (_, at) => at + 1)
        .filter((row) => !played.has(row))
        .map((row) => `${no}/${row}`);
    });
    expect(unplayed).toEqual([]);
    expect(files.filter((file) => !cases.some(([no = '']) => file.startsWith(`${no}-`)))).toEqual([]);
  });

  it('every test file of the folder is named in it', () => {
    const files = readdirSync(new URL('test/cases', ROOT)).filter((name) => name.endsWith('.test.ts'));
    for (const file of files) expect(page).toContain(`test/cases/${file}`);
  });
});

it('a name that no test has is found', () => {
  expect(missing('`test/docs/failures.test.ts` "a name that no test has"')).toEqual([]);
  expect(missing('`test/docs/failures.test.ts` "a test of another name"').length).toBe(1);
});
