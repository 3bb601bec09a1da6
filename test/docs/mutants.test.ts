import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

interface Planted {
  readonly file: string;
  readonly find: string;
  readonly test?: { readonly file: string };
}

function plantedOf(file: string): readonly Planted[] {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Planted[];
}

/** A landing plants only a share of them: one that no longer fits its file would go unnoticed for many landings. */
function misfits(file: string): readonly string[] {
  return plantedOf(file)
    .filter(({ file: source, find }) => readFileSync(path.join(root, source), 'utf8').split(find).length !== 2)
    .map(({ file: source, find }) => `${source}: ${find}`);
}

describe('mutants', () => {
  const areas = readdirSync(path.join(root, 'test/mutants')).map((file) => `test/mutants/${file}`);

  it.each([...areas, 'test/simulation/mutants.json'])('each mutant of %s fits its file in one place', (file) => {
    expect(misfits(file)).toEqual([]);
  });

  it.each(areas)('each mutant of %s names a file of tests that is there', (file) => {
    const lost = plantedOf(file).filter(({ test }) => test === undefined || !existsSync(path.join(root, test.file)));
    expect(lost).toEqual([]);
  });
});
