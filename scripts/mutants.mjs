/**
 * Plants each mutant of test/mutants/*.json and runs only the test that must kill it.
 * `npm run mutants [-- --area NAME] [--rule ID] [--jobs N]`; exit 1 if one survives or no longer fits.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { area: { type: 'string' }, rule: { type: 'string' }, jobs: { type: 'string', default: '2' } },
});
const areas = readdirSync(path.join(root, 'test/mutants')).filter(
  (f) => f.endsWith('.json') && (!values.area || f === `${values.area}.json`),
);
const mutants = areas
  .flatMap((area) =>
    JSON.parse(readFileSync(path.join(root, 'test/mutants', area), 'utf8')).map((m) => ({
      ...m,
      area: area.replace('.json', ''),
    })),
  )
  .filter((m) => !values.rule || m.rule === values.rule);
const scratch = mkdtempSync(path.join(tmpdir(), 'pawl-mutants-'));
const started = Date.now();

/** A test name is text, vitest wants a pattern. */
const pattern = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function misfit(mutant) {
  const count = readFileSync(path.join(root, mutant.file), 'utf8').split(mutant.find).length - 1;
  return count === 1 ? null : `its text occurs ${count} times in ${mutant.file}`;
}

function run(mutant, index) {
  const report = path.join(scratch, `${index}.json`);
  const args = [
    'vitest',
    'run',
    mutant.test.file,
    '-t',
    pattern(mutant.test.name),
    '--reporter=json',
    `--outputFile=${report}`,
    '--coverage.enabled=false',
    '--bail=1',
  ];
  const { test, area, ...plant } = mutant;
  const child = spawn('npx', args, {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, PAWL_MUTANT: JSON.stringify({ ...plant, test }) },
  });
  return new Promise((resolve) => child.on('close', () => resolve(judge(report))));
}

function judge(report) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return 'broken: the test did not run';
  }
  if (result.numFailedTests > 0) return 'killed';
  if (result.numPassedTests > 0) return 'SURVIVED';
  return 'broken: no test of that name, or the file does not load';
}

const rows = [];
const queue = mutants.map((mutant, index) => ({ mutant, index }));
async function work() {
  for (let job = queue.shift(); job; job = queue.shift()) {
    const { mutant, index } = job;
    const at = Date.now();
    const verdict = misfit(mutant) ?? (await run(mutant, index));
    rows.push({ ...mutant, verdict });
    console.log(
      `${verdict === 'killed' ? '✔' : '✘'} ${mutant.area.padEnd(12)} ${mutant.rule.padEnd(6)} ${verdict.padEnd(10)} ${((Date.now() - at) / 1000).toFixed(1).padStart(5)} s  ${mutant.test.name.slice(0, 70)}`,
    );
  }
}
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
rmSync(scratch, { recursive: true, force: true });
const bad = rows.filter((r) => r.verdict !== 'killed');
console.log(
  `\n${rows.length} mutants, ${rows.length - bad.length} killed, ${bad.length} not, ${((Date.now() - started) / 1000).toFixed(0)} s`,
);
for (const r of bad) console.log(`  ${r.area} ${r.rule}: ${r.verdict}\n    ${r.file}: ${r.find}\n    -> ${r.replace}`);
process.exitCode = bad.length > 0 || rows.length === 0 ? 1 : 0;
