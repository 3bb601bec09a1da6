/**
 * The proofs that CI repeats at every landing: mutants, the simulator and its own mutants, the models, the demo, five
 * kills, two minutes of chaos. Prints seconds per part.
 */
import { spawn, spawnSync } from 'node:child_process';

// A part of the mutants at a landing, the next part at the next: all of them take an hour.
const MUTANT_PARTS = 100;
const SIM_MUTANT_PARTS = 20;
const landings = Number(spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' }).stdout) || 0;
const share = (parts) => `${landings % parts}/${parts}`;
/** Those of one line take one core each, and go at once. */
const PROOFS = [
  [['a part of the mutants', ['scripts/mutants.mjs', '--share', share(MUTANT_PARTS)]]],
  [
    ['seeds 1 to 150', ['scripts/sim.mjs', '--seeds', '150']],
    ['seeds 151 to 300', ['scripts/sim.mjs', '--seeds', '150', '--from', '151']],
  ],
  [["a part of the simulator's mutants", ['scripts/sim.mjs', '--mutants', '--share', share(SIM_MUTANT_PARTS)]]],
  [['models', ['scripts/models.mjs']]],
  [
    ['demo', ['dist/testing/demo/main.js']],
    ['five kills', ['dist/testing/demo/main.js', '--kill', '5', '--seed', '7']],
  ],
  [['two minutes of chaos', ['dist/testing/chaos/main.js', '--minutes', '2', '--seed', String(landings)]]],
];

/** @returns whether it holds; tells what it said once it has ended. */
async function prove([name, args]) {
  const at = Date.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
  const status = await new Promise((resolve) => child.on('close', resolve));
  process.stdout.write(Buffer.concat(said));
  console.log(`${status === 0 ? '✔' : '✘'} ${name} ${((Date.now() - at) / 1000).toFixed(0)} s`);
  return status === 0;
}

for (const line of PROOFS) {
  const held = await Promise.all(line.map(prove));
  if (held.includes(false)) process.exit(1);
}
