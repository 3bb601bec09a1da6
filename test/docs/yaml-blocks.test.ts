import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

function filesOf(folder: string, end: string): readonly string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** Every YAML block of the pages: page and line where it begins, and its text. */
const BLOCKS = ['README.md', ...filesOf('docs', '.md')].flatMap((page) => {
  const text = read(page);
  return [...text.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(
    (match) => [`${page}:${text.slice(0, match.index).split('\n').length + 1}`, match[1] ?? ''] as const,
  );
});

/** Other YAML that is shown is a scenario of the crash lab: its guide's test plays it. */
function isWorkflow([, text]: readonly [string, string]): boolean {
  return /^pawl:/m.test(text);
}

function errorsOf(text: string, file: string): readonly string[] {
  return validateWorkflow(text, file)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, message, range }) => `${file}:${range.line} ${code} ${message}`);
}

describe('YAML that we show', () => {
  it('is there at all', () => {
    expect(BLOCKS.length).toBeGreaterThan(2);
  });

  it.each(BLOCKS.filter(isWorkflow))('%s has no error', (place, text) => {
    expect(errorsOf(text, place)).toEqual([]);
  });

  it.each(filesOf('workflows', '.pawl.yaml'))('%s has neither error nor warning', (file) => {
    expect(validateWorkflow(read(file), file).problems).toEqual([]);
  });

  it('the first workflow of the guide is the one of the README', () => {
    const of = (page: string): string | undefined => BLOCKS.find(([place]) => place.startsWith(page))?.[1];
    expect(of('docs/guides/first-run.md')).toBe(of('README.md'));
  });
});
