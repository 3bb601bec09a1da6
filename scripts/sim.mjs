/** `npm run sim -- --seeds N --from S` plays seeds; with `--mutants`, it is the simulator that is tried. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const args = process.argv.slice(2);
const root = path.join(import.meta.dirname, '..');
const file = args.includes('--mutants') ? 'scripts/sim-mutants.mjs' : 'dist/testing/simulator/main.js';
const { status } = spawnSync(process.execPath, [path.join(root, file), ...args], { stdio: 'inherit' });
process.exitCode = status ?? 1;
