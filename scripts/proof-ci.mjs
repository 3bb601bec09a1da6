/**
 * The proofs that CI repeats at every landing: mutants, the simulator and its own mutants, the models, the demo, five
 * kills, two minutes of chaos. Prints seconds per part.
 */
import { spawnSync } from 'node:child_process';

// A part of the mutants at a landing, the next part at the next: all of them take half an hour.
const MUTANT_PARTS = 60;
const SIM_MUTANT_PARTS = 20;
const landings = Number(spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' }).stdout) || 0;
const share = (parts) => `${landings % parts}/${parts}`;
const PROOFS = [
  ['a part of the mutants', ['scripts/mutants.mjs', '--share', share(MUTANT_PARTS)]],
  ['300 seeds', ['scripts/sim.mjs', '--seeds', '300']],
  ["a part of the simulator's mutants", ['scripts/sim.mjs', '--mutants', '--share', share(SIM_MUTANT_PARTS)]],
  ['models', ['scripts/models.mjs']],
  ['demo', ['dist/testing/demo/main.js']],
  ['five kills', ['dist/testing/demo/main.js', '--kill', '5', '--seed', '7']],
  ['two minutes of chaos', ['dist/testing/chaos/main.js', '--minutes', '2', '--seed', String(landings)]],
];

for (const [name, args] of PROOFS) {
  const at = Date.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - at) / 1000).toFixed(0)} s`);
  if (status !== 0) process.exit(1);
}
