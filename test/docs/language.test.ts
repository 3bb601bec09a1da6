import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { invariant } from '../../src/model/errors.ts';
// @ts-expect-error: a script without types
import { languagePage } from '../../scripts/language-page.mjs';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const PAGE = read('docs/reference/language.md');

interface KeySchema {
  readonly 'x-since': number;
  readonly default?: unknown;
}
type Keys = Readonly<Record<string, KeySchema>>;

/** Every map of keys of a schema, wherever it stands. */
function mapsOf(schema: unknown): readonly Keys[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => [
    ...(name === 'properties' ? [value as Keys] : []),
    ...mapsOf(value),
  ]);
}

const MAPS = ['workflow', 'catalogue'].flatMap((name) =>
  mapsOf(JSON.parse(read(`schemas/${name}.schema.json`)) as unknown),
);

/** The rows of every table between markers, by its name: key, and the cells behind it. */
const TABLES = new Map(
  [...PAGE.matchAll(/<!-- keys: (\S+) -->\n([\s\S]*?)<!-- \/keys -->/g)].map(([, name = '', text = '']) => [
    name,
    text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.slice(2, -2).split(/(?<!\\) \| /)),
  ]),
);
const keyOf = ([cell = '']: readonly string[]): string => cell.replaceAll('`', '');
/** The tables of a step are three: keys of any verb, verbs, and options of verbs. */
const STEP = ['step', 'verbs', 'options'];
const rowsOf = (name: string): readonly (readonly string[])[] =>
  (name === 'step' ? STEP : [name]).flatMap((one) => TABLES.get(one) ?? []);
const NAMES = [...TABLES.keys()].filter((name) => !['verbs', 'options'].includes(name));

/** The tables of a map: those with just its keys, else those that have them among others, as where a map has two forms. */
function tablesWith(keys: Keys): readonly string[] {
  const wanted = Object.keys(keys);
  const having = NAMES.filter((name) => {
    const shown = rowsOf(name).map(keyOf);
    return wanted.every((key) => shown.includes(key));
  });
  const same = having.filter((name) => rowsOf(name).length === wanted.length);
  return same.length > 0 ? same : having;
}

describe('docs/reference/language.md', () => {
  it('has every key of every map of the schemas', () => {
    expect(MAPS.length).toBeGreaterThan(25);
    expect(MAPS.filter((keys) => tablesWith(keys).length === 0).map((keys) => Object.keys(keys))).toEqual([]);
  });

  it('has no key that the schemas do not have', () => {
    for (const name of NAMES) {
      const known = MAPS.filter((keys) => tablesWith(keys).includes(name)).flatMap((keys) => Object.keys(keys));
      expect(
        rowsOf(name)
          .map(keyOf)
          .filter((key) => !known.includes(key)),
        name,
      ).toEqual([]);
    }
  });

  it('says of each key its type, its default and what it is for', () => {
    for (const [name, rows] of TABLES)
      for (const row of rows) {
        expect(row.length, `${name} ${row[0]}`).toBe(name === 'options' ? 5 : 4);
        for (const cell of row) expect(cell.trim(), `${name} ${row[0]}`).not.toBe('');
        expect(row.join(' '), name).not.toMatch(/undefined|\[object/);
      }
  });

  it('marks what this release refuses, and nothing else', () => {
    for (const name of NAMES)
      for (const row of rowsOf(name)) {
        const known = MAPS.filter((keys) => tablesWith(keys).includes(name)).flatMap((keys) => keys[keyOf(row)] ?? []);
        const isLater = known.every((key) => key['x-since'] > 1);
        expect(row.at(-1)?.startsWith('*Not yet.* '), `${name} ${keyOf(row)}`).toBe(isLater);
      }
  });

  it('says the defaults that a schema says', () => {
    for (const keys of MAPS)
      for (const [key, { default: value }] of Object.entries(keys)) {
        const shown = tablesWith(keys).flatMap((name) => rowsOf(name).filter((row) => keyOf(row) === key));
        if (typeof value === 'string')
          expect(
            shown.some((row) => row.at(-2)?.includes(value)),
            key,
          ).toBe(true);
      }
  });

  it('says the defaults that are computed as they are', () => {
    const text = `pawl: 1\nworkflow: a\nversion: 1\nactions:\n  w: { http: { method: POST, url: x }, idempotency: natural, timeout: 10s }\n  r: { http: { method: GET, url: x }, effect: read }\nsteps:\n  - { id: ask, approve: ok, from: ['role:a'] }\n  - { id: w, call: w, compensate: none }\n  - { id: r, call: r }\n`;
    const { definition } = validateWorkflow(text, 'a');
    invariant(definition !== null, 'the sample is valid');
    const [ask] = definition.steps;
    const [reading, writing] = definition.actions;
    const cell = (name: string, key: string): string =>
      rowsOf(name)
        .find((row) => keyOf(row) === key)
        ?.at(-2) ?? '';
    expect([cell('action', 'settlesWithin'), writing?.settlesWithinMs]).toEqual(['`timeout` + 1m', 70_000]);
    expect([
      cell('retry', 'attempts'),
      writing?.retry.attempts,
      reading?.retry.attempts,
      definition.compensation.retry.attempts,
    ]).toEqual(['1; of a read 5, of a compensation 10', 1, 5, 10]);
    expect([
      cell('retry', 'cap'),
      writing?.retry.capMs,
      reading?.retry.capMs,
      definition.compensation.retry.capMs,
    ]).toEqual(['none; of a read 10s, of a compensation 1m', null, 10_000, 60_000]);
    expect([cell('retry', 'delay'), writing?.retry.delayMs, reading?.retry.delayMs]).toEqual([
      '1s; of a read 500ms',
      1_000,
      500,
    ]);
    expect([
      cell('retry', 'factor'),
      writing?.retry.factor,
      reading?.retry.factor,
      definition.compensation.retry.factor,
    ]).toEqual(['1; of a read and of a compensation 2', 1, 2, 2]);
    expect([cell('step', 'except'), ask?.verb === 'approve' && ask.except]).toMatchObject([
      'whoever started the run',
      [{ kind: 'expression', expression: { source: 'run.startedBy' } }],
    ]);
  });

  it('links only to tables that it has', () => {
    const links = [...PAGE.matchAll(/\]\(#keys-([\w.]+)\)/g)].map(([, name = '']) => name);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((name) => !PAGE.includes(`<a id="keys-${name}"></a>`))).toEqual([]);
  });
});

describe('the generator of its tables', () => {
  const schemas = (file: string): unknown => JSON.parse(read(`schemas/${file}.schema.json`));
  const made = (page: string): string =>
    languagePage(page, { workflow: schemas('workflow'), catalogue: schemas('catalogue') }, 1) as string;

  it('keeps what is written by hand, and adds a table that has no place yet at the end', () => {
    const without = PAGE.replace(/<!-- keys: lock -->[\s\S]*?<!-- \/keys -->/, 'prose');
    const page = made(without);
    expect(page).toContain('prose');
    expect(page.slice(page.indexOf('### `lock`'))).toContain('| `limit` | whole number 1 to 10000 | `1` |');
    expect(made(page)).toBe(page);
  });

  it('refuses markers for what no schema has', () => {
    expect(() => made(`${PAGE}<!-- keys: lcok -->\n<!-- /keys -->\n`)).toThrow('lcok');
  });
});
