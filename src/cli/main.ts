#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { hostEnvironment } from '../app/host.ts';
import { EXIT } from './exit-codes.ts';
import { runCli } from './program.ts';

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort(signal));
// A reader that has seen enough (`pawl ls | head`) is no failure, and what is under way is still ended in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error the output cannot be written: ${error.code ?? error.message}\n`);
    process.exit(EXIT.internal);
  });
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const exit = await runCli(
  process.argv.slice(2),
  {
    env: hostEnvironment(),
    folder: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    terminal: process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : null,
    readInput,
    stopped: stopping.signal,
  },
  version,
);
// What was given up half done would keep the process: it has nothing open but memory.
if (exit === EXIT.interrupted || exit === EXIT.terminated) process.exit(exit);
process.exitCode = exit;
