import type { App } from '../app/create-app.ts';
import { createApp } from '../app/create-app.ts';
import { type Config, type Environment, loadConfig } from '../app/config.ts';
import { RefusedError } from '../model/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Paint, paintFor } from './paint.ts';

/** An output stream as commands see it. */
export interface OutStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** What the command line needs of its process. */
export interface CliHost {
  readonly env: Environment;
  readonly folder: string;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  readInput(): Promise<string>;
  /** Aborts when the person interrupts or the process is told to end. */
  readonly stopped: AbortSignal;
}

/** Options that every verb has. */
export interface GlobalOptions {
  readonly data: string | undefined;
  readonly config: string | undefined;
  /** Who acts; undefined = PAWL_AS, else the OS user. */
  readonly as: string | undefined;
  readonly output: string;
  /** false for `--no-color`. */
  readonly color: boolean;
}

/** What a command works with: its host, the settings, and where its exit code goes. */
export interface CliContext {
  readonly host: CliHost;
  readonly paint: Paint;
  readonly options: GlobalOptions;
  exit: ExitCode;
  /** Texts of files that were read, by name: problems are shown in them. */
  readonly sources: Map<string, string>;
  config(): Config;
  /** Opens Pawl for one command and gives everything back afterwards, whatever happens. */
  withApp<T>(use: (app: App) => Promise<T>): Promise<T>;
  /** One line of progress for people; never data. */
  say(line: string): void;
  /** Data: the only thing that goes to stdout. */
  print(text: string): void;
}

const FORMATS = ['table', 'json', 'jsonl', 'ids', 'svg', 'mermaid'];

/**
 * Makes the context of one call.
 * @throws PAWL_CONFIG_INVALID for an unknown format.
 */
export function createCliContext(host: CliHost, options: GlobalOptions): CliContext {
  if (!FORMATS.includes(options.output)) {
    throw new RefusedError('PAWL_CONFIG_INVALID', `-o ${options.output}: formats are ${FORMATS.join(', ')}`);
  }
  const colour = options.color && host.stdout.isTTY === true && (host.env['NO_COLOR'] ?? '') === '';
  const config = (): Config => {
    const flags = options.data === undefined ? {} : { data: options.data };
    return loadConfig({ folder: host.folder, file: options.config, env: host.env, flags });
  };
  return {
    host,
    paint: paintFor(colour),
    options,
    exit: EXIT.ok,
    sources: new Map(),
    config,
    say: (line) => void host.stderr.write(`${line}\n`),
    print: (text) => void host.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    async withApp(use) {
      const app = await createApp({ config: config(), env: host.env });
      try {
        return await use(app);
      } finally {
        await app.close();
      }
    },
  };
}

/** Cells of the terminal that data is written to; unbounded where it is no terminal. */
export function widthOf(context: CliContext): number {
  const { isTTY, columns } = context.host.stdout;
  return isTTY === true ? (columns ?? 80) : Number.POSITIVE_INFINITY;
}

/** Prints a value as JSON when that was asked for; true when it did. */
export function printJson(context: CliContext, value: unknown): boolean {
  if (context.options.output !== 'json' && context.options.output !== 'jsonl') return false;
  context.print(JSON.stringify(value, null, context.options.output === 'json' ? 2 : undefined));
  return true;
}
