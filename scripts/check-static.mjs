/** Everything that can be checked without running the product, in the order of cost; prints seconds per part. */
import { spawnSync } from 'node:child_process';

const PARTS = [
  ['format', ['run', 'format:check', '--silent']],
  ['generated files', ['run', 'generate:check', '--silent']],
  ['types', ['exec', '--', 'tsc', '-p', 'tsconfig.json']],
  ['lint', ['run', 'lint', '--silent']],
  ['import rules', ['run', 'imports', '--silent']],
  ['unused code', ['run', 'unused', '--silent']],
  ['build', ['run', 'build', '--silent']],
  ['package shape', ['run', 'package', '--silent']],
];

const failed = [];
for (const [name, args] of PARTS) {
  const at = Date.now();
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  const seconds = ((Date.now() - at) / 1000).toFixed(1);
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${seconds} s`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
