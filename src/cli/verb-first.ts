import type { Command } from 'commander';

/** Options that every verb has and that may stand before it; `--as` before a verb can only say who acts. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '--server',
  '--key-file',
  '--data',
  '--config',
  '-o',
  '--format',
  '--by',
  '--as',
]);
const ALONE: ReadonlySet<string> = new Set(['--json', '--no-color']);

/** How many arguments an option takes here, itself included; 0 = it is none of those that every verb has. */
function sizeOf(arg: string): number {
  if (ALONE.has(arg)) return 1;
  if (WITH_VALUE.has(arg)) return 2;
  const [name = ''] = arg.split('=', 1);
  return (arg !== name && WITH_VALUE.has(name)) || /^-o./.test(arg) ? 1 : 0;
}

interface Verb {
  readonly words: readonly string[];
  /** `db` alone is none. */
  readonly isWhole: boolean;
}

function verbAt(command: Command, args: readonly string[]): Verb {
  const child = command.commands.find((known) => known.name() === args[0]);
  if (child === undefined) return { words: [], isWhole: command.commands.length === 0 };
  const { words, isWhole } = verbAt(child, args.slice(1));
  return { words: [child.name(), ...words], isWhole };
}

/**
 * The arguments with the options that every verb has behind the verb, where the parser takes them: `pawl --no-color ls` is
 * `pawl ls --no-color`. What stands behind the verb already comes later, and so it wins.
 */
export function verbFirst(program: Command, args: readonly string[]): readonly string[] {
  let end = 0;
  for (let arg = args[end]; arg !== undefined && sizeOf(arg) > 0; arg = args[end]) end += sizeOf(arg);
  const { words, isWhole } = verbAt(program, args.slice(end));
  const options = isWhole ? args.slice(0, end).map((arg) => arg.replace(/^--as(?=$|=)/, '--by')) : [];
  return [...words, ...options, ...args.slice(end + words.length)];
}

/** Whether data was asked for, in arguments that the parser has refused: then its complaint is data, too. */
export function wantsJson(args: readonly string[]): boolean {
  const formats = args.flatMap((arg, index) => {
    if (arg === '--json') return ['json'];
    if (arg === '-o' || arg === '--format') return [args[index + 1]];
    return /^(?:-o|--format=)(.+)$/.exec(arg)?.slice(1, 2) ?? [];
  });
  return formats.some((format) => format === 'json' || format === 'jsonl');
}
