/**
 * Explores the models of test/model/protocol and compares what is found with what is known of each variant.
 * `npm run models` at CI's sizes, two at once; `-- --full` as published, one at a time, with progress; `--only ID,ID`;
 * `--ways` prints the shortest way to whatever does not hold. Exit code 1 when any variant differs.
 */
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const out = path.join(root, 'node_modules/.cache/pawl-models');
const PARTS = ['judge-variant', 'effect-variants', 'wake-up-variants'];
const compiled = (name) => path.join(out, 'test/model/protocol', `${name}.js`);

/** Compiles the models and what they import of the engine; types are checked elsewhere. */
function compile() {
  rmSync(out, { recursive: true, force: true });
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const asked = {
    noCheck: true,
    noLib: true,
    types: [],
    incremental: false,
    declaration: false,
    declarationMap: false,
  };
  const files = PARTS.map((name) => path.join(root, `test/model/protocol/${name}.ts`));
  ts.createProgram(files, { ...options, ...asked, tsBuildInfoFile: undefined, rootDir: root, outDir: out }).emit();
}

async function load() {
  return Object.assign({}, ...(await Promise.all(PARTS.map((name) => import(compiled(name))))));
}

/** In a process of its own: judges what it is told to, tells progress and the verdict. */
async function serveParent() {
  const { judgeEffects, judgeWakeUps, EFFECT_VARIANTS, WAKE_UP_VARIANTS } = await load();
  process.on('message', ({ id, size }) => {
    const effects = EFFECT_VARIANTS.find((variant) => variant.id === id);
    const atMs = Date.now();
    const onProgress = (looked, known) => process.send({ progress: { looked, known, ms: Date.now() - atMs } });
    const verdict =
      effects === undefined
        ? judgeWakeUps(WAKE_UP_VARIANTS.find((variant) => variant.id === id))
        : judgeEffects(effects, size, size === 'full' ? onProgress : undefined);
    process.send({ verdict, ms: Date.now() - atMs });
  });
}

const millions = (count) => `${(count / 1e6).toFixed(1)} M`;

/** Has a process judge one variant; one that dies over it differs. */
function judge(child, variant, size) {
  return new Promise((resolve) => {
    const end = (answer) => {
      child.off('message', hear);
      child.off('exit', die);
      resolve(answer);
    };
    const hear = (message) => {
      if (message.verdict !== undefined) return end(message);
      const { looked, known, ms } = message.progress;
      console.log(`  ${variant.id}: ${millions(looked)} of ${millions(known)} states, ${(ms / 1000).toFixed(0)} s`);
    };
    const die = () =>
      end({ verdict: { ...variant, states: 0, violations: [], differences: ['its process, which died'] }, ms: 0 });
    child.on('message', hear);
    child.on('exit', die);
    child.send({ id: variant.id, size });
  });
}

function rowOf({ verdict, ms }, namesOf) {
  const { id, says, states, isCapped, violations, differences } = verdict;
  const perSecond = ms === 0 ? '' : `${Math.round(states / ms)} k/s`;
  const counted = `${states.toLocaleString('en')}${isCapped ? ' (limit)' : ''}`;
  const words = [...differences.map((text) => `DIFFERS in ${text}`), namesOf(violations) || 'holds'].join('; ');
  const cells = [id.padEnd(6), says.padEnd(76), counted.padStart(20), perSecond.padStart(9)];
  return `${differences.length === 0 ? '✔' : '✘'} ${cells.join(' ')}  ${words}`;
}

async function judgeAll() {
  const { values } = parseArgs({
    options: { full: { type: 'boolean' }, only: { type: 'string' }, ways: { type: 'boolean' } },
  });
  const startedMs = Date.now();
  compile();
  const { EFFECT_VARIANTS, WAKE_UP_VARIANTS, namesOf } = await load();
  const all = [...EFFECT_VARIANTS, ...WAKE_UP_VARIANTS];
  const ids = values.only?.split(',') ?? all.map(({ id }) => id);
  const chosen = all.filter(({ id }) => ids.includes(id));
  const size = values.full ? 'full' : 'small';
  const answers = new Map();
  const queue = [...chosen];
  const serve = async () => {
    let child = null;
    for (let variant = queue.shift(); variant !== undefined; variant = queue.shift()) {
      if (!child?.connected) child = fork(import.meta.filename, ['--child']);
      const answer = await judge(child, variant, size);
      answers.set(variant.id, answer);
      if (values.full) console.log(rowOf(answer, namesOf));
    }
    if (child?.connected) child.disconnect();
  };
  await Promise.all(Array.from({ length: values.full ? 1 : 2 }, serve));
  if (values.full) console.log('');
  for (const { id } of chosen) {
    const answer = answers.get(id);
    console.log(rowOf(answer, namesOf));
    if (!values.ways) continue;
    for (const { name, states, steps } of answer.verdict.violations)
      console.log(`    ${name} in ${states.toLocaleString('en')} states, first: ${steps.join(', ')}`);
  }
  const differing = [...answers.values()].filter(({ verdict }) => verdict.differences.length > 0).length;
  const states = [...answers.values()].reduce((sum, { verdict }) => sum + verdict.states, 0);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
  console.log(`${chosen.length} variants, ${states.toLocaleString('en')} states, ${differing} differ, ${seconds} s`);
  process.exitCode = differing > 0 || chosen.length !== ids.length || chosen.length === 0 ? 1 : 0;
}

await (process.argv[2] === '--child' ? serveParent() : judgeAll());
