import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliHost } from '../../../src/cli/cli-context.ts';
import { runCli } from '../../../src/cli/program.ts';
import { type Provider, startProvider } from '../../../src/testing/fake-provider.ts';
import type { ProviderOptions } from '../../../src/testing/provider/options.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** What one call of the command line did. */
export interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout as JSON. */
  json<T>(): T;
}

/** How a call differs from the usual one: no terminal, nothing on standard input, nobody interrupts. */
export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly readInput?: () => Promise<string>;
  readonly stopped?: AbortSignal;
  /** Where a person is asked. */
  readonly terminal?: CliHost['terminal'];
  /** Told of everything that is written, as it is written. */
  readonly onWrite?: (text: string) => void;
}

/** The command line in this process, in a folder, on a database and beside a provider of its own. */
export interface CommandLine {
  readonly folder: string;
  readonly url: string;
  readonly provider: Provider;
  call(args: readonly string[], options?: CallOptions): Promise<Called>;
  /** The same, and its exit code must be 0. @returns stdout without its last line end. */
  ok(args: readonly string[], options?: CallOptions): Promise<string>;
  /** Writes a file into the folder. @returns its name. */
  file(name: string, text: string | Uint8Array): string;
  /** Runs `pawl worker` while something happens; then it is told to stop and must end with 0. */
  withWorker<T>(act: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CONFIG = ['principals:', '  ana: [approver, operator]', '  kai: [approver]', '  zoe: []', ''].join('\n');

/** Calls the command line once, without any database. */
export async function callCli(
  args: readonly string[],
  folder: string,
  {
    env = {},
    isTTY = false,
    columns = 80,
    readInput = () => Promise.resolve(''),
    stopped,
    onWrite = () => undefined,
    terminal = null,
  }: CallOptions = {},
): Promise<Called> {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err'): CliHost['stdout'] => ({
    isTTY,
    columns,
    rows: 24,
    write: (text) => {
      written[name] += text;
      onWrite(text);
    },
  });
  const code = await runCli(
    args,
    {
      env,
      folder,
      stdout: stream('out'),
      stderr: stream('err'),
      terminal,
      readInput,
      stopped: stopped ?? new AbortController().signal,
    },
    '0.0.0-test',
  );
  return { code, ...written, json: <T>() => JSON.parse(written.out) as T };
}

/** Opens a command line of its own folder, database and provider. */
export async function openCommandLine(options: Partial<ProviderOptions> = {}): Promise<CommandLine> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
  writeFileSync(join(folder, 'pawl.config.yaml'), CONFIG);
  const provider = await startProvider({ bookFile: join(folder, 'book.jsonl'), ...options });
  const url = await createTestDatabase();
  // A lease that a slow machine keeps, and a quarantine that a test can wait for.
  const env = { PAWL_DATABASE: url, PAWL_LEASE_MS: '9000', PAWL_SEND_WITHIN_MS: '100', PAWL_AS: 'ana' };
  const call: CommandLine['call'] = (args, more = {}) =>
    callCli(args, folder, { ...more, env: { ...env, ...more.env } });
  return {
    folder,
    url,
    provider,
    call,
    ok: async (args, more) => {
      const { code, out, err } = await call(args, more);
      if (code !== 0) throw new Error(`pawl ${args.join(' ')} ended with ${code}: ${err}`);
      return out.trimEnd();
    },
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return name;
    },
    withWorker: async (act) => {
      const stopping = new AbortController();
      const working = call(['worker'], { stopped: stopping.signal });
      const done = await act().finally(() => stopping.abort());
      const { code, err } = await working;
      if (code !== 0) throw new Error(`the worker ended with ${code}: ${err}`);
      return done;
    },
    close: async () => {
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
