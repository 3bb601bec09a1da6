/**
 * `npm run variants`: the parts of the suite that talk to a database, in other worlds. `-- NAME…` plays only these;
 * `-- --short` plays the long failures (F18, F39, F44) at a tenth of their length, and nothing else, as CI does.
 * Each prints how it went, or why it cannot be played here.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const SUITE = ['test/store', 'test/worker', 'test/engine'];
/** The tests of the hints themselves cannot do without them (vitest's `--exclude` does not reach its projects). */
const NO_HINTS = { PAWL_TEST_WITHOUT: 'test/worker/hints.test.ts,test/store/postgres/hints.test.ts' };
const LONG = ['test/postgres/long-failures'];
const HOW = 'scripts/install-variant-tools.sh installs it on Debian';

function findFaketime() {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const places = ['', ...folders].map((folder) => path.join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'));
  return places.find((place) => existsSync(place)) ?? null;
}

const faketime = findFaketime();

/** Everything of the suite lives an hour ahead or behind, but for the database: its processes get no environment. */
function shifted(seconds) {
  return {
    missing: () => (faketime === null ? `there is no libfaketime; ${HOW}` : null),
    env: { LD_PRELOAD: faketime, FAKETIME: seconds, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' },
    tests: SUITE,
  };
}

function anyOf(reason, ...places) {
  return () => (places.some((place) => existsSync(place)) ? null : reason);
}

/** What is played: what it needs (a reason = it is skipped), its environment, and its tests. */
const VARIANTS = [
  { name: 'worlds', tests: ['test/postgres'] },
  { name: 'two connections', env: { PAWL_TEST_CONNECTIONS: '2' }, tests: SUITE },
  { name: 'no hints', env: { PAWL_TEST_HINTS: 'off', ...NO_HINTS }, tests: SUITE },
  {
    name: 'pgbouncer',
    missing: anyOf(`there is no pgbouncer; ${HOW}`, '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'),
    env: { PAWL_TEST_POOLER: 'pgbouncer', ...NO_HINTS },
    tests: SUITE,
  },
  { name: 'an hour ahead', ...shifted('+3600s') },
  { name: 'an hour behind', ...shifted('-3600s') },
  {
    name: 'system postgres',
    missing: () => {
      const found = spawnSync('sh', ['-c', 'command -v postgres || ls -d /usr/lib/postgresql/*/bin/postgres']);
      return found.status === 0 ? null : 'there is no PostgreSQL on this system';
    },
    env: { PAWL_TEST_SYSTEM_POSTGRES: '1' },
    tests: SUITE,
  },
  { name: 'long failures', env: { PAWL_LONG_FAILURES: '1' }, tests: LONG },
];
/** The three are little work and much waiting: they are played beside each other. */
const SHORT = {
  name: 'long failures, a tenth',
  env: { PAWL_LONG_FAILURES: '0.1' },
  tests: [...LONG, '--maxWorkers=3'],
};

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
const chosen = wanted.includes('--short')
  ? [SHORT]
  : VARIANTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const built = spawnSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
const failed = built.status === 0 ? chosen.filter((variant) => !play(variant)) : [{ name: 'build' }];
if (failed.length > 0) console.error(`failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exitCode = failed.length > 0 || chosen.length === 0 ? 1 : 0;
