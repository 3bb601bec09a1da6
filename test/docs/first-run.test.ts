import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from '../cli/support/command-line.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/first-run.md', import.meta.url), 'utf8');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

interface Told {
  readonly command: string;
  /** What the guide says that it ends with. */
  readonly exit: number;
  /** Lines that the guide shows of its output. */
  readonly lines: readonly string[];
}

/** Every command of the guide, in order, with the output that is shown of it. */
function commandsOf(guide: string): readonly Told[] {
  const told: { command: string; exit: number; lines: string[] }[] = [];
  for (const [, block = ''] of guide.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.trimEnd().split('\n')) {
      const asked = /^\$ (.*?)(?:\s+# exit (\d+))?$/.exec(line);
      if (asked === null) told.at(-1)?.lines.push(line);
      else told.push({ command: asked[1] ?? '', exit: Number(asked[2] ?? 0), lines: [] });
    }
  }
  return told;
}

/** Words of a shell line; single quotes only, as in the guide. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

async function follow({ command, exit, lines }: Told): Promise<void> {
  const [program, verb, ...rest] = wordsOf(command);
  if (program === 'curl') {
    shell.provider.setScript(JSON.parse(rest.at(-1) ?? '') as Record<string, string>);
    return;
  }
  if (program === 'npm') return;
  expect([program, verb]).toEqual(['npx', 'pawl']);
  // The guide is read by one person who is nobody in the workflow; only who starts it must differ from who agrees.
  const { code, out, err } = await shell.call(rest, { env: { PAWL_AS: 'reader', PAWL_SEND_WITHIN_MS: '1500' } });
  expect(code, `${command}\n${err}`).toBe(exit);
  for (const line of lines) expect(`${err}${out}`, command).toContain(line);
}

it('every command of docs/guides/first-run.md does what the guide says', async () => {
  const files = [...GUIDE.matchAll(/`([\w.-]+\.pawl\.yaml)`[\s\S]*?^```yaml\n([\s\S]*?)^```$/gm)];
  expect(files.map(([, name]) => name)).toEqual(['order.pawl.yaml', 'order-2.pawl.yaml']);
  for (const [, name = '', text = ''] of files)
    shell.file(name, text.replaceAll('http://127.0.0.1:4171', shell.provider.url));
  const told = commandsOf(GUIDE);
  expect(told.length).toBeGreaterThan(15);
  for (const one of told) await follow(one);
  expect(shell.provider.effects().filter((operation) => operation === 'card/charge').length).toBe(3);
}, 120_000);
