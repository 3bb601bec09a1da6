import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';

const folder = new URL('./golden/', import.meta.url);
const samples = readdirSync(folder).filter((name) => name.endsWith('.pawl.yaml'));
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

describe('the samples of the whole language', () => {
  it.each(samples)('%s: is YAML without a mistake', (name) => {
    expect(readYamlFile(read(name), name).problems).toEqual([]);
  });

  it.each(samples)('%s: validates, and is told exactly what it is', (name) => {
    const problems = validateWorkflow(read(name), name).problems.map(
      ({ code, range, pointer, message }) => `${range.line}:${range.column} ${code} ${pointer} ${message}`,
    );
    expect(problems).toEqual(JSON.parse(read(name.replace('.pawl.yaml', '.problems.json'))));
  });
});
