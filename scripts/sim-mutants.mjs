/**
 * Plants each mutant of test/simulation/mutants.json in a copy of the built simulator and plays seeds until one breaks a
 * promise; a mutant that lives through 2,000 seeds has survived. `npm run sim -- --mutants [--only TEXT] [--share I/N]`;
 * prints the table. `--share 0/16` plants every sixteenth one, as CI does.
 */
import { fork } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    mutants: { type: 'boolean' },
    only: { type: 'string' },
    seeds: { type: 'string', default: '2000' },
    share: { type: 'string', default: '0/1' },
  },
});
const [shareNo, shares] = values.share.split('/').map(Number);
const PROCESSES = 2;
const work = path.join(root, 'node_modules/.cache/pawl-sim');
const options = ts.readConfigFile(path.join(root, 'tsconfig.build.json'), ts.sys.readFile).config;
const { options: compilerOptions } = ts.parseJsonConfigFileContent(options, ts.sys, root);
const mutants = JSON.parse(readFileSync(path.join(root, 'test/simulation/mutants.json'), 'utf8')).filter(
  ({ mutant }, index) => index % shares === shareNo && (values.only === undefined || mutant.includes(values.only)),
);

/** A copy of `dist` with one file compiled from its mutated source. */
function plant({ file, find, replace }, folder) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const count = source.split(find).length - 1;
  if (count !== 1) return `misfit: its text occurs ${count} times`;
  const { outputText } = ts.transpileModule(
    source.replace(find, () => replace),
    { compilerOptions, fileName: path.join(root, file) },
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, 'dist'), folder, { recursive: true });
  writeFileSync(path.join(folder, path.relative('src', file).replace(/\.ts$/, '.js')), outputText);
  return null;
}

/** Plays seeds in a process of its own until the first that breaks a promise. */
function play(folder) {
  return new Promise((resolve) => {
    const main = path.join(folder, 'testing/simulator/main.js');
    const child = fork(main, ['--seeds', values.seeds, '--first'], { cwd: root, silent: true });
    let told = '';
    child.stdout.on('data', (bytes) => {
      told += bytes;
    });
    child.stderr.on('data', (bytes) => {
      told += bytes;
    });
    child.on('exit', (code) => resolve({ code, told }));
  });
}

async function judge(mutant, folder) {
  const misfit = plant(mutant, folder);
  if (misfit !== null) return { caught: false, words: misfit };
  const { code, told } = await play(folder);
  const last = told.trimEnd().split('\n').at(-1) ?? '';
  if (code === 0) return { caught: false, words: 'SURVIVED' };
  try {
    const { seeds, rules } = JSON.parse(last);
    return { caught: true, words: `seed ${seeds}: ${rules.join(', ')}` };
  } catch {
    return { caught: false, words: `broken: ${told.slice(-300)}` };
  }
}

const startedMs = Date.now();
const queue = [...mutants];
let survivors = 0;
async function serve(no) {
  const folder = path.join(work, `mutant-${no}`);
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const atMs = Date.now();
    const { caught, words } = await judge(mutant, folder);
    if (!caught) survivors += 1;
    const seconds = ((Date.now() - atMs) / 1000).toFixed(1);
    console.log(`${caught ? '✔' : '✘'} ${mutant.mutant.padEnd(38)} ${seconds.padStart(6)} s  ${words}`);
  }
  rmSync(folder, { recursive: true, force: true });
}
await Promise.all(Array.from({ length: PROCESSES }, (_, no) => serve(no)));
console.log(`${mutants.length} mutants, ${survivors} not caught, ${((Date.now() - startedMs) / 1000).toFixed(0)} s`);
process.exitCode = survivors > 0 || mutants.length === 0 ? 1 : 0;
