import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const load = (name: string): unknown => JSON.parse(readFileSync(`${root}schemas/${name}.schema.json`, 'utf8'));

/** Every key that a schema of ours declares, with its own schema. */
function keysOf(schema: unknown, path = ''): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const own =
      name === 'properties'
        ? Object.entries(value as object).map(([key, inner]) => [`${path}/${key}`, inner] as const)
        : [];
    return [...own, ...keysOf(value, `${path}/${name}`)];
  });
}

describe('the schemas', () => {
  it.each(['workflow', 'catalogue', 'config', 'receipt', 'scenario'])(
    '%s: each key says since when it works and what it is for',
    (name) => {
      for (const [key, schema] of keysOf(load(name))) {
        expect(schema['x-since'], key).toEqual(expect.any(Number));
        expect(schema['description'], key).toEqual(expect.stringMatching(/\S/));
      }
    },
  );

  it.each(['workflow', 'config', 'receipt', 'scenario'])('%s: each pattern is said in words, too', (name) => {
    const wordless: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ('pattern' in schema && typeof schema.pattern === 'string' && !('x-form' in schema)) wordless.push(path);
      for (const [key, inner] of Object.entries(schema)) look(inner, `${path}/${key}`);
    };
    look(load(name), '');
    expect(wordless).toEqual([]);
  });

  it('are what the generated types and validators say', () => {
    expect(execFileSync(process.execPath, ['scripts/generate.mjs', '--check'], { cwd: root, encoding: 'utf8' })).toBe(
      '',
    );
  }, 90_000);
});
