import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { decodeFile } from '../../definition/decode-file.ts';
import { formatFile } from '../../definition/format-file.ts';
import type { Problem } from '../../model/problem.ts';
import type { Bind } from '../bind.ts';
import { shelfOf } from '../catalogue-shelf.ts';
import { type CliContext, printJsonList } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import { EXIT } from '../exit-codes.ts';
import { fileReason, readBytes } from '../read-arguments.ts';
import { UsageError } from '../report-error.ts';
import { terminalText } from '../terminal-text.ts';

/** How many lines of each side a difference shows. */
const SHOWN_MAX = 8;

interface Result {
  readonly file: string;
  readonly state: 'formatted' | 'unchanged' | 'differs' | 'invalid' | 'unreadable';
  readonly problems: readonly Problem[];
  /** The text before and after; the same where nothing is to be changed. */
  readonly before: string;
  readonly after: string;
  readonly unreadable: string | null;
}

/** `pawl fmt FILE...`: writes files in their canonical form, or says with `--check` which are not in it. */
export function addFmt(program: Command, bind: Bind): void {
  program
    .command('fmt')
    .description('write files in their canonical form: order of keys, indentation, quotes; comments stay')
    .argument('<file...>', 'workflow files, catalogues, tests')
    .option('--check', 'change nothing; exit 1 when a file would be changed, and show what')
    .action(
      bind((context, files: string[], options: { readonly check?: boolean }) =>
        Promise.resolve(formatAll(context, files, options.check === true)),
      ),
    );
}

function formatAll(context: CliContext, files: readonly string[], isCheck: boolean): void {
  const results = files.map((file) => formatOne(context, file, isCheck));
  const has = (state: Result['state']): boolean => results.some((result) => result.state === state);
  if (has('unreadable')) context.exit = EXIT.usage;
  else if (has('invalid')) context.exit = EXIT.invalid;
  else if (has('differs')) context.exit = EXIT.runFailed;
  const data = results.map(({ file, state, problems, unreadable }) => ({
    file,
    state,
    ...(unreadable === null ? {} : { unreadable }),
    ...(state === 'invalid' ? { problems } : {}),
  }));
  if (printJsonList(context, data)) return;
  for (const result of results) tell(context, result);
}

function formatOne(context: CliContext, file: string, isCheck: boolean): Result {
  const nothing = { file, problems: [], before: '', after: '', unreadable: null };
  try {
    const { text: before, problem } = decodeFile(readBytes(context, file), file);
    context.sources.set(file, before);
    const { text: after, problems } =
      problem === null ? formatFile(before, file, shelfOf(context, file)) : { text: null, problems: [problem] };
    if (after === null) return { ...nothing, state: 'invalid', problems, before };
    if (after === before) return { ...nothing, state: 'unchanged' };
    if (!isCheck) replaceFile(resolve(context.host.folder, file), after, file);
    return { ...nothing, state: isCheck ? 'differs' : 'formatted', before, after };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...nothing, state: 'unreadable', unreadable: error.message };
  }
}

/** Writes beside the file and puts it in its place in one move, so that there is always a whole one; its mode stays. */
function replaceFile(path: string, text: string, name: string): void {
  let draft: string | null = null;
  try {
    const target = realpathSync(path);
    const beside = `${target}.pawl-fmt`;
    writeFileSync(beside, text, { flag: 'wx' });
    draft = beside;
    chmodSync(draft, statSync(target).mode);
    renameSync(draft, target);
  } catch (error) {
    // One that was there before is not ours to remove.
    if (draft !== null) rmSync(draft, { force: true });
    throw new UsageError(`${name}: it cannot be written: ${fileReason(error)}`);
  }
}

function tell(context: CliContext, { file, state, problems, before, after, unreadable }: Result): void {
  const { paint } = context;
  const name = terminalText(file);
  if (unreadable !== null) {
    context.say(`${paint.bad('error')} ${terminalText(unreadable)}`);
    return;
  }
  if (state === 'invalid') {
    const errors = problems.filter(({ severity }) => severity === 'error');
    for (const problem of errors) context.print(`${codeFrame(problem, context.sources, paint)}\n\n`);
    context.print(`${name}  ${paint.bad('✘')} left as it is`);
    return;
  }
  context.print(`${name}  ${state === 'differs' ? paint.warn(state) : paint.good(state)}`);
  if (state === 'differs') context.print(difference(before, after, context));
}

/** From the first line that differs to the last, shortened. */
function difference(before: string, after: string, { paint }: CliContext): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  const room = Math.min(old.length, now.length) - head;
  while (tail < room && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const side = (lines: readonly string[], sign: string): readonly string[] => {
    const part = lines.slice(head, lines.length - tail);
    const more = part.length - SHOWN_MAX;
    const shown = part.slice(0, SHOWN_MAX).map((line) => `  ${sign} ${terminalText(line)}`);
    return more > 0 ? [...shown, `  ${sign} … and ${more} more`] : shown;
  };
  const removed = side(old, '-').map(paint.bad);
  const added = side(now, '+').map(paint.good);
  return [`  line ${head + 1}`, ...removed, ...added].join('\n');
}

/** Line ends are part of what may differ: a `\r` stays at the end of its line. */
function linesOf(text: string): readonly string[] {
  return text.split('\n');
}
