/** Builds `dist/` from `src/` with the compiler alone; incremental, so a second call costs about a second. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const built = spawnSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);
const bin = path.join(root, 'dist/cli/main.js');
if (existsSync(bin)) chmodSync(bin, 0o755);
