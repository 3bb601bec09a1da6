import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliContext } from './cli-context.ts';
import { fileReason } from './read-arguments.ts';
import { UsageError } from './report-error.ts';
import { terminalText } from './terminal-text.ts';

/** Prints a text, or writes it to the file that `--out` names. @param done what has been done, for people: `drawn`. */
export function writeOut(
  context: CliContext,
  text: string,
  { out, done }: { out: string | undefined; done: string },
): void {
  if (out === undefined) {
    context.print(text);
    return;
  }
  try {
    writeFileSync(resolve(context.host.folder, out), text);
  } catch (error) {
    throw new UsageError(`${out} cannot be written: ${fileReason(error, 'there is no such folder')}`);
  }
  context.say(`${done} into ${terminalText(out)}`);
}
