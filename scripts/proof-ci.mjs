/** The proofs that CI repeats at every landing: mutants, the simulator and its mutants, the models, the demo, kills, chaos. Prints seconds per part. */
import { spawnSync } from 'node:child_process';

const PROOFS = [
  ['mutants', ['run', 'mutants', '--silent']],
  ['300 seeds', ['run', 'sim', '--silent', '--', '--seeds', '300']],
  ['mutants in the simulator', ['run', 'sim', '--silent', '--', '--mutants']],
  ['models', ['run', 'models', '--silent']],
  ['demo', ['run', 'demo', '--silent']],
  ['five kills', ['run', 'demo', '--silent', '--', '--kill', '5', '--seed', '7']],
  ['two minutes of chaos', ['run', 'chaos', '--silent', '--', '--minutes', '2', '--seed', '7']],
];

for (const [name, args] of PROOFS) {
  const at = Date.now();
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - at) / 1000).toFixed(0)} s`);
  if (status !== 0) process.exit(1);
}
