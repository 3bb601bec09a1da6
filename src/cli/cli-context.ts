import type { Readable, Writable } from 'node:stream';
import type { App } from '../app/create-app.ts';
import { createApp } from '../app/create-app.ts';
import { type Config, type Environment, loadConfig } from '../app/config.ts';
import { RefusedError } from '../model/errors.ts';
import { type Backend, embeddedBackend } from './backend.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { columnsOf } from './live-region.ts';
import { type Paint, paintFor } from './paint.ts';
import { openServed } from './served-backend.ts';
import { type NamedServer, serverOf } from './served-where.ts';
import { createTeller } from './tell-log.ts';
import { terminalJson } from './terminal-text.ts';

/** An output stream as commands see it. */
export interface OutStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A person's keyboard and screen. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** What the command line needs of its process. */
export interface CliHost {
  readonly env: Environment;
  readonly folder: string;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  /** Where a person can be asked; null where there is none: questions never touch stdout. */
  readonly terminal: Terminal | null;
  readInput(): Promise<string>;
  /** Aborts when the person interrupts or the process is told to end. */
  readonly stopped: AbortSignal;
}

/** Options that every verb has. */
export interface GlobalOptions {
  /** The verb, as it is called: `db url`. */
  readonly verb: string;
  /** Where the verb is carried out; undefined = PAWL_SERVER, else here. */
  readonly server: string | undefined;
  /** The file that holds the API key for it; undefined = PAWL_API_KEY. */
  readonly keyFile: string | undefined;
  readonly data: string | undefined;
  readonly config: string | undefined;
  /** Who acts; undefined = PAWL_AS, else the OS user. */
  readonly by: string | undefined;
  readonly output: string;
  /** false for `--no-color`. */
  readonly color: boolean;
}

/** How Pawl is opened for a command. */
export interface Opening {
  /** Sets Pawl up in an own PostgreSQL where it is not, and migrates it: for verbs that begin something. */
  readonly setsUp?: boolean;
  /** Others are answered over a network. */
  readonly answersOthers?: boolean;
  /** `words`: faults as a line for people (default); `lines`: everything as JSON lines, as operators collect it. */
  readonly log?: 'words' | 'lines';
  /** What is asked for, where it is less than the verb: `show --history`. */
  readonly what?: string;
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
  /**
   * Carries something out where the caller wants it: here, on the database, or at the server that was named. The command does
   * not know which.
   */
  withBackend<T>(use: (backend: Backend) => Promise<T>, opening?: Opening): Promise<T>;
  /** Refuses what only this machine can do when a server was named. @throws PAWL_CONFIG_INVALID. */
  keepHere(what?: string): void;
  /**
   * Opens Pawl here for one command and gives everything back afterwards, whatever happens: for what the API has not.
   * Most verbs only look at a database that is not the one that starts itself.
   * @throws PAWL_CONFIG_INVALID when a server was named.
   */
  withApp<T>(use: (app: App) => Promise<T>, opening?: Opening): Promise<T>;
  /** One line of progress for people; never data. While a live region is drawn it goes above it. */
  say(line: string): void;
  /** Sends what is said somewhere else until the returned function is called. */
  divert(say: (line: string) => void): () => void;
  /** Data: the only thing that goes to stdout. */
  print(text: string): void;
}

/** Makes the context of one call. */
export function createCliContext(host: CliHost, options: GlobalOptions): CliContext {
  const config = (): Config => {
    const flags = options.data === undefined ? {} : { data: options.data };
    return loadConfig({ folder: host.folder, file: options.config, env: host.env, flags });
  };
  const toStderr = (line: string): void => void host.stderr.write(`${line}\n`);
  let speak = toStderr;
  const say = (line: string): void => speak(line);
  const server = (): NamedServer | null => serverOf(host, options);
  const keepHere = (what = options.verb): void => {
    if (server() === null) return;
    throw new RefusedError(
      'PAWL_CONFIG_INVALID',
      `pawl ${what} is not answered by a server: leave --server (or PAWL_SERVER) out, and call it where its database is reached`,
    );
  };
  const withApp: CliContext['withApp'] = async (use, opening = {}) => {
    const { setsUp = false, answersOthers = false, log = 'words', what = options.verb } = opening;
    keepHere(what);
    const logger = log === 'words' ? { logger: createTeller(say) } : {};
    const app = await createApp({ config: config(), env: host.env, setsUp, answersOthers, ...logger });
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  };
  return {
    host,
    paint: paintFor(isColoured({ host, options }, host.stdout)),
    options,
    exit: EXIT.ok,
    sources: new Map(),
    config,
    say,
    divert: (other) => {
      speak = other;
      return () => {
        speak = toStderr;
      };
    },
    print: (text) => void host.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    keepHere,
    withApp,
    withBackend: (use, opening) => {
      const named = server();
      return named === null ? withApp((app) => use(embeddedBackend(app)), opening) : use(openServed(named));
    },
  };
}

/** Whether a stream gets colours: a terminal, unless NO_COLOR or `--no-color` says otherwise. */
export function isColoured({ host, options }: Pick<CliContext, 'host' | 'options'>, stream: OutStream): boolean {
  return options.color && stream.isTTY === true && (host.env['NO_COLOR'] ?? '') === '' && host.env['TERM'] !== 'dumb';
}

/** Cells of the terminal that data is written to; unbounded where it is no terminal. */
export function widthOf(context: CliContext): number {
  const { stdout } = context.host;
  return stdout.isTTY === true ? columnsOf(stdout) : Number.POSITIVE_INFINITY;
}

/** Prints a value as JSON when that was asked for; true when it did. */
export function printJson(context: CliContext, value: unknown): boolean {
  if (context.options.output !== 'json' && context.options.output !== 'jsonl') return false;
  context.print(terminalJson(value, context.options.output === 'json' ? 2 : undefined));
  return true;
}

/** Prints a list as JSON, one item a line with `-o jsonl`; true when JSON was asked for. */
export function printJsonList(context: CliContext, list: readonly unknown[]): boolean {
  if (context.options.output !== 'jsonl') return printJson(context, list);
  for (const item of list) printJson(context, item);
  return true;
}
