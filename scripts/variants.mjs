/**
 * `npm run variants`: the parts of the suite that talk to a database, in other worlds. `-- NAME…` plays only these.
 * Each prints how it went, or why it cannot be played here.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const SUITE = ['test/store', 'test/worker', 'test/engine'];

function hasSystemPostgres() {
  return spawnSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin/postgres || command -v postgres']).status === 0;
}

/** Where the suite is played: what it needs (a reason = it is skipped), its environment, and its tests. */
const VARIANTS = [
  { name: 'two connections', env: { PAWL_TEST_CONNECTIONS: '2' }, tests: SUITE },
  // The tests of the hints themselves cannot do without them.
  { name: 'no hints', env: { PAWL_TEST_HINTS: 'off' }, tests: [...SUITE, '--exclude', 'test/worker/hints.test.ts'] },
  {
    name: 'system postgres',
    missing: () => (hasSystemPostgres() ? null : 'there is no PostgreSQL on this system'),
    env: { PAWL_TEST_SYSTEM_POSTGRES: '1' },
    tests: SUITE,
  },
];

function play({ name, missing, env = {}, tests }) {
  const reason = missing?.() ?? null;
  if (reason !== null) {
    console.log(`- ${name}: skipped, ${reason}`);
    return true;
  }
  const beganAt = Date.now();
  const { status } = spawnSync('npx', ['vitest', 'run', ...tests], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - beganAt) / 1000).toFixed(0)} s`);
  return status === 0;
}

const wanted = process.argv.slice(2);
const chosen = VARIANTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const failed = chosen.filter((variant) => !play(variant));
if (failed.length > 0) console.error(`failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exitCode = failed.length > 0 || chosen.length === 0 ? 1 : 0;
