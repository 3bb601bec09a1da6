import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const page = read('docs/reference/compensation.md');
const rows = page.split('\n').flatMap((line) => (line.startsWith('| R') ? [line.slice(2, -2).split(' | ')] : []));
const files = new Map(
  [...page.matchAll(/^\| `(\w+)` \| `(\S+)` \|$/gm)].map(([, name = '', file = '']) => [name, read(file)]),
);

/** Whether a file has a test or a scenario whose name begins so. */
const has = (file: string | undefined, name: string): boolean =>
  ["'", '"', '`', 'name: '].some((before) => file?.includes(`${before}${name}`));

it('has a row for each rule and says something of each shape', () => {
  expect(rows.map(([rule]) => rule)).toEqual(
    Array.from({ length: 25 }, (_, at) => `R${String(at + 1).padStart(2, '0')}`),
  );
  expect(rows.map((cells) => cells.filter((cell) => cell.trim() !== '').length)).toEqual(rows.map(() => 7));
});

it('names tests that are there', () => {
  const named = [...page.matchAll(/`(\w+)` "([^"]+)"/g)].map(([, file = '', name = '']) => ({ file, name }));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ file, name }) => !has(files.get(file), name))).toEqual([]);
  expect(has("it('R01 is so', …)", 'R02')).toBe(false);
});
