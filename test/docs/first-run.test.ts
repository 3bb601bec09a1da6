import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from '../cli/support/command-line.ts';
import { commandsOf, filesOf, follow } from './support/follow-guide.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/first-run.md', import.meta.url), 'utf8');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

it('every command of docs/guides/first-run.md does what the guide says', async () => {
  const files = filesOf(GUIDE);
  expect(files.map(([name]) => name)).toEqual(['order.pawl.yaml', 'order-2.pawl.yaml']);
  for (const [name, text] of files) shell.file(name, text.replaceAll('http://127.0.0.1:4171', shell.provider.url));
  const told = commandsOf(GUIDE);
  expect(told.length).toBeGreaterThan(15);
  for (const one of told) await follow(shell, one);
  expect(shell.provider.effects().filter((operation) => operation === 'card/charge').length).toBe(3);
}, 120_000);
