import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../app/config.ts';
import { InvariantError } from '../../model/errors.ts';

/** A process that the demo started and may kill. */
export interface DemoProcess {
  readonly pid: number;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Asks it to end and waits for it. */
  stop(): Promise<void>;
  /** Holds it where it is, until `goOn`. */
  pause(): void;
  goOn(): void;
  hasEnded(): boolean;
  /** Writes a line to its stdin; one that has ended hears nothing. */
  tell(line: string): void;
  /** Resolves with its exit code (null after a signal). */
  readonly ended: Promise<number | null>;
}

/** How a process is started. */
export interface ProcessPlan {
  /** A file of this package below `dist/`. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Environment;
  /** The stream on which it says that it is ready, and the text; null = it is not waited for. */
  readonly ready: { readonly on: 'stdout' | 'stderr'; readonly text: string } | null;
  /** Told each line that it writes to stdout. */
  readonly onLine?: (line: string) => void;
  /** Ends it at once, also while it is not ready. */
  readonly signal?: AbortSignal;
}

/** A started process and the line with which it said that it is ready. */
export interface StartedProcess {
  readonly process: DemoProcess;
  readonly line: string;
}

const TAIL_BYTES = 4_000;

/** Starts a process of this package and waits until it says that it is ready. @throws PAWL_INVARIANT with its last words. */
export async function startProcess(plan: ProcessPlan): Promise<StartedProcess> {
  const entry = fileURLToPath(new URL(`../../${plan.entry}`, import.meta.url));
  const { onLine, signal } = plan;
  const child = spawn(process.execPath, [entry, ...plan.args], {
    cwd: plan.folder,
    env: { ...plan.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const }),
  });
  // Ended by the signal: whoever waits for it is told by its exit.
  child.on('error', () => undefined);
  if (onLine !== undefined) createInterface({ input: child.stdout }).on('line', onLine);
  child.stdout.resume();
  const said = { stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr = (said.stderr + text).slice(-TAIL_BYTES);
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const line = plan.ready === null ? '' : await readyLine(child, said, plan.ready);
  return { process: handleOf(child, ended), line };
}

/** Line by line, for what it says before and after may come in one piece with it. */
function readyLine(
  child: ChildProcessWithoutNullStreams,
  said: { readonly stderr: string },
  { on, text }: NonNullable<ProcessPlan['ready']>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child[on] }).on('line', (line) => {
      if (line.includes(text)) resolve(line);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new InvariantError(`a process of the demo ended too early: ${said.stderr}`)));
  });
}

function handleOf(child: ChildProcess, ended: Promise<number | null>): DemoProcess {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const signalTo = (signal: NodeJS.Signals): void => {
    if (!hasEnded()) child.kill(signal);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    signalTo(signal);
    await ended;
  };
  // What is written to one that dies meanwhile is lost with it.
  child.stdin?.on('error', () => undefined);
  return {
    pid: child.pid ?? -1,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pause: () => signalTo('SIGSTOP'),
    goOn: () => signalTo('SIGCONT'),
    hasEnded,
    tell: (line) => void child.stdin?.write(`${line}\n`),
    ended,
  };
}
