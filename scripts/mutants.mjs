/**
 * Plants each mutant of test/mutants/*.json and runs only the test that must kill it, in two long-lived test processes with
 * one database server each. `npm run mutants [-- --area NAME] [--rule ID] [--share I/N]`; exit 1 if one survives or no longer
 * fits. `--share 0/16` plants every sixteenth one, as CI does at a landing; at the next landing the next.
 */
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.join(import.meta.dirname, '..');
const PROCESSES = 2;

const { values } = parseArgs({
  options: { area: { type: 'string' }, rule: { type: 'string' }, share: { type: 'string', default: '0/1' } },
});
const [shareNo, shares] = values.share.split('/').map(Number);
const areas = readdirSync(path.join(root, 'test/mutants')).filter(
  (file) => file.endsWith('.json') && (!values.area || file === `${values.area}.json`),
);
const mutants = areas
  .flatMap((file) =>
    JSON.parse(readFileSync(path.join(root, 'test/mutants', file), 'utf8')).map((mutant) => ({
      ...mutant,
      area: file.replace('.json', ''),
    })),
  )
  .filter((mutant) => !values.rule || mutant.rule === values.rule)
  .filter((_, index) => index % shares === shareNo);

function misfit(mutant) {
  const count = readFileSync(path.join(root, mutant.file), 'utf8').split(mutant.find).length - 1;
  return count === 1 ? null : `misfit: its text occurs ${count} times in ${mutant.file}`;
}

const started = Date.now();
const rows = [];
function note(mutant, verdict, seconds) {
  rows.push({ ...mutant, verdict });
  const mark = verdict === 'killed' ? '✔' : '✘';
  console.log(
    `${mark} ${mutant.area.padEnd(11)} ${mutant.rule.padEnd(18)} ${verdict.slice(0, 30).padEnd(10)} ${seconds.toFixed(1).padStart(5)} s  ${mutant.test.name.slice(0, 70)}`,
  );
}

// Mutants of one test file stay together: the process that has transformed its modules goes on with them.
const queue = mutants.filter((mutant) => {
  const verdict = misfit(mutant);
  if (verdict !== null) note(mutant, verdict, 0);
  return verdict === null;
});
queue.sort((a, b) => (a.test.file < b.test.file ? -1 : a.test.file > b.test.file ? 1 : 0));

function work() {
  const child = fork(path.join(import.meta.dirname, 'mutants-worker.mjs'), { cwd: root });
  let current = null;
  return new Promise((resolve) => {
    const next = () => {
      current = queue.shift() ?? null;
      child.send(current);
    };
    child.on('message', (message) => {
      if (message.verdict !== undefined) note(current, message.verdict, message.seconds);
      next();
    });
    child.on('exit', () => {
      if (current !== null) note(current, 'broken: its process died', 0);
      resolve();
    });
  });
}
await Promise.all(Array.from({ length: Math.min(PROCESSES, Math.max(1, queue.length)) }, work));

const bad = rows.filter((row) => row.verdict !== 'killed');
const seconds = ((Date.now() - started) / 1000).toFixed(0);
console.log(`\n${rows.length} mutants, ${rows.length - bad.length} killed, ${bad.length} not, ${seconds} s`);
for (const row of bad)
  console.log(`  ${row.area} ${row.rule}: ${row.verdict}\n    ${row.file}: ${row.find}\n    -> ${row.replace}`);
process.exitCode = bad.length > 0 || rows.length < mutants.length || rows.length === 0 ? 1 : 0;
