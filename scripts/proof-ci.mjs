/** The proofs that CI repeats at every landing: mutants, the simulator, the models, the demo, five kills. Prints seconds per part. */
import { spawnSync } from 'node:child_process';

// Half of the mutants at a landing, the other half at the next: all of them take six minutes.
const landings = Number(spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' }).stdout) || 0;
const PROOFS = [
  ['half of the mutants', ['run', 'mutants', '--silent', '--', '--share', `${landings % 2}/2`]],
  ['300 seeds', ['run', 'sim', '--silent', '--', '--seeds', '300']],
  ['models', ['run', 'models', '--silent']],
  ['demo', ['run', 'demo', '--silent']],
  ['five kills', ['run', 'demo', '--silent', '--', '--kill', '5', '--seed', '7']],
];

for (const [name, args] of PROOFS) {
  const at = Date.now();
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - at) / 1000).toFixed(0)} s`);
  if (status !== 0) process.exit(1);
}
