import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRandom } from '../../src/testing/random.ts';
import { UNDO_SHAPES, undos } from '../../src/testing/simulator/scenario-undo.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const page = read('docs/reference/compensation.md');
const [tests = '', worlds = ''] = page.split('## With everything');
const rows = tests.split('\n').flatMap((line) => (line.startsWith('| R') ? [line.slice(2, -2).split(' | ')] : []));
const files = new Map(
  [...tests.matchAll(/^\| `(\w+)` \| `(\S+)` \|$/gm)].map(([, name = '', file = '']) => [name, read(file)]),
);

/** Whether a file has a test or a scenario whose name begins so. */
const has = (file: string | undefined, name: string): boolean =>
  ["'", '"', '`', 'name: '].some((before) => file?.includes(`${before}${name}`));

const RULES = Array.from({ length: 25 }, (_, at) => `R${String(at + 1).padStart(2, '0')}`);
/** Scenarios are told apart by so many seeds. */
const DRAWN = 1_000;

it('has a row for each rule and says something of each shape', () => {
  expect(rows.map(([rule]) => rule)).toEqual(RULES);
  expect(rows.map((cells) => cells.filter((cell) => cell.trim() !== '').length)).toEqual(rows.map(() => 7));
});

it('names tests that are there', () => {
  const named = [...tests.matchAll(/`(\w+)` "([^"]+)"/g)].map(([, file = '', name = '']) => ({ file, name }));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ file, name }) => !has(files.get(file), name))).toEqual([]);
  expect(has("it('R01 is so', …)", 'R02')).toBe(false);
});

/** A scenario's shapes, with its file and all that comes to its runs, as one text. */
function drawn(seed: number): { readonly shapes: readonly string[]; readonly text: string } {
  const { name, texts, outside } = undos(createRandom(seed));
  const coming = outside(createRandom(seed)).map(({ kind }) => `kind: ${kind}`);
  const [text] = texts;
  const shapes = [name.replace('undo-', ''), ...(text.includes('child: leaf@1') ? ['child'] : [])];
  return { shapes, text: [text, ...coming].join('\n') };
}

it('names what the simulator draws for each rule, in each shape', () => {
  const lines = worlds.split('\n').flatMap((line) => (line.startsWith('| R') ? [line.slice(2, -2).split(' | ')] : []));
  expect([...new Set(lines.map(([rule]) => rule))]).toEqual(RULES);
  const scenarios = Array.from({ length: DRAWN }, (_, seed) => drawn(seed));
  const isDrawn = (shape: string, words: readonly string[]): boolean =>
    scenarios.some(({ shapes, text }) => shapes.includes(shape) && words.every((word) => text.includes(word)));
  for (const [rule, what = '', cell = ''] of lines) {
    const words = [...what.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
    const shapes = cell.split(', ');
    expect(words.length, rule).toBeGreaterThan(0);
    expect(shapes.filter((shape) => !(UNDO_SHAPES as readonly string[]).includes(shape))).toEqual([]);
    expect(
      shapes.filter((shape) => !isDrawn(shape, words)),
      `${rule} ${what}`,
    ).toEqual([]);
  }
  expect(isDrawn('list', ['siblings:'])).toBe(false);
});
