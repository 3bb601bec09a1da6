/**
 * Everything that can be checked without running the product; prints seconds per part. Types take most of the linter's time,
 * so it goes on beside all the others, which go one after the other in the order of cost.
 */
import { spawn } from 'node:child_process';

const LINT = ['lint', ['run', 'lint', '--silent']];
const OTHERS = [
  ['format', ['run', 'format:check', '--silent']],
  ['generated files', ['run', 'generate:check', '--silent']],
  ['types', ['exec', '--', 'tsc', '-p', 'tsconfig.json']],
  ['import rules', ['run', 'imports', '--silent']],
  ['unused code', ['run', 'unused', '--silent']],
  ['build', ['run', 'build', '--silent']],
  ['package shape', ['run', 'package', '--silent']],
];

const failed = [];

/** Runs one part, and tells what it said once it has ended: two that go at once do not talk into each other. */
async function check([name, args]) {
  const at = Date.now();
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
  const status = await new Promise((resolve) => child.on('close', resolve));
  process.stdout.write(Buffer.concat(said));
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - at) / 1000).toFixed(1)} s`);
  if (status !== 0) failed.push(name);
}

async function checkOthers() {
  for (const part of OTHERS) await check(part);
}

await Promise.all([check(LINT), checkOthers()]);
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
