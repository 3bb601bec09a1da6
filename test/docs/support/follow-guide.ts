import { expect } from 'vitest';
import type { CommandLine } from '../../cli/support/command-line.ts';

/** A command that a guide shows. */
export interface Told {
  readonly command: string;
  /** What the guide says that it ends with. */
  readonly exit: number;
  /** Lines that the guide shows of its output. */
  readonly lines: readonly string[];
}

/** Every command of a guide, in order, with the output that is shown of it. */
export function commandsOf(guide: string): readonly Told[] {
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

/** The files that a guide shows: a name in back ticks, then its YAML. */
export function filesOf(guide: string): readonly (readonly [name: string, text: string])[] {
  return [...guide.matchAll(/`([\w.-]+\.pawl\.yaml)`[^`]*?^```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', text = '']) => [name, text],
  );
}

/** Words of a shell line; single quotes only, as in the guides. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Does what a guide says, and compares; `npm` is not called. */
export async function follow(shell: CommandLine, { command, exit, lines }: Told): Promise<void> {
  const [program, verb, ...rest] = wordsOf(command);
  if (program === 'curl') {
    shell.provider.setScript(JSON.parse(rest.at(-1) ?? '') as Record<string, string>);
    return;
  }
  if (program === 'npm') return;
  expect([program, verb]).toEqual(['npx', 'pawl']);
  // A guide is read by one person who is nobody in the workflow; only who starts it must differ from who agrees.
  const { code, out, err } = await shell.call(rest, { env: { PAWL_AS: 'reader', PAWL_SEND_WITHIN_MS: '1500' } });
  expect(code, `${command}\n${err}`).toBe(exit);
  for (const line of lines) expect(`${err}${out}`, command).toContain(line);
}
