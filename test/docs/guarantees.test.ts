import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CommandLine, openCommandLine } from '../cli/support/command-line.ts';
import { commandsOf, filesOf, follow, wordsOf } from './support/follow-guide.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const GUIDE = read('docs/guides/guarantees.md');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

describe('docs/guides/guarantees.md', () => {
  it('answers the five questions, in the words of the README', () => {
    const questions = [
      ...read('README.md')
        .replaceAll('\n', ' ')
        .matchAll(/(\d\.) \*([^*]+\?)\*/g),
    ];
    expect(questions.length).toBe(5);
    for (const [, no, question] of questions) expect(GUIDE).toContain(`### ${no} ${question}`);
  });

  it('names only scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const named = [...GUIDE.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it('links only to what is there', () => {
    const links = [...GUIDE.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(1);
    expect(links.filter((path) => !existsSync(new URL(path, new URL('docs/guides/', ROOT))))).toEqual([]);
  });

  it('every verb and option of `pawl` that its text names is one of the command line', async () => {
    const named = [...GUIDE.matchAll(/`pawl ([^`]+)`/g)].map(([, words = '']) => wordsOf(words));
    expect(named.length).toBeGreaterThan(5);
    for (const [verb = '', ...rest] of named) {
      const sub = verb === 'db' || verb === 'receipt' ? rest.slice(0, 1) : [];
      const { code, out } = await shell.call([verb, ...sub, '--help']);
      expect(code, verb).toBe(0);
      for (const option of rest.filter((word) => word.startsWith('--'))) expect(out, verb).toContain(option);
    }
  });

  it('every command does what it says, and the card is charged once', async () => {
    for (const [name, text] of filesOf(GUIDE))
      shell.file(name, text.replaceAll('http://127.0.0.1:4171', shell.provider.url));
    const told = commandsOf(GUIDE);
    expect(told.length).toBeGreaterThan(12);
    for (const one of told) {
      // A word about what was sent counts only when it can no longer take effect, as the guide says.
      const isEarly = one.command.includes(' resolve ');
      if (isEarly) await vi.waitFor(() => follow(shell, one), { timeout: 30_000, interval: 250 });
      else await follow(shell, one);
    }
    expect(shell.provider.effects()).toEqual(['card/charge']);
  }, 120_000);
});
