import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callCli } from '../cli/support/command-line.ts';
import { commandsOf, wordsOf } from './support/follow-guide.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const FILES = 'docs/guides/files';
const TESTS = readdirSync(new URL(FILES, ROOT)).filter((name) => name.endsWith('.test.yaml'));
const PATTERNS = TESTS.map((name) => name.replace('.test.yaml', ''));

describe('the guides to patterns', () => {
  it('are these, and the README names each', () => {
    expect(PATTERNS).toEqual([
      'approvals',
      'callbacks',
      'catalogues',
      'children',
      'fan-out',
      'links',
      'locks',
      'long-waits',
      'machines',
      'remote-workers',
      'retries',
      'saga',
      'scheduled',
      'sharing',
      'sql',
      'unknown-outcomes',
    ]);
    for (const name of PATTERNS) expect(read('README.md')).toContain(`docs/guides/${name}.md`);
  });

  it.each(PATTERNS)('%s shows its files as they are', (name) => {
    const blocks = [...read(`docs/guides/${name}.md`).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    expect(blocks.at(-1)).toBe(read(`${FILES}/${name}.pawl.yaml`));
    const files = readdirSync(new URL(FILES, ROOT)).map((file) => read(`${FILES}/${file}`));
    for (const text of blocks) expect(files).toContain(text);
  });

  it.each(PATTERNS)('%s links only to what is there', (name) => {
    const links = [...read(`docs/guides/${name}.md`).matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links).toContain(`files/${name}.test.yaml`);
    expect(links.filter((path) => !existsSync(new URL(path, new URL('docs/guides/', ROOT))))).toEqual([]);
  });

  it.each(PATTERNS)('%s: its command ends and says as the guide does, and every step is seen', async (name) => {
    const told = commandsOf(read(`docs/guides/${name}.md`));
    expect(told.length).toBe(1);
    for (const { command, exit, lines } of told) {
      const { code, out } = await callCli(wordsOf(command).slice(2), fileURLToPath(ROOT));
      expect(code, out).toBe(exit);
      for (const line of lines) expect(out).toContain(line);
      expect(out).not.toContain('never visited');
    }
  });
});
