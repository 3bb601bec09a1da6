/** One test process of `mutants.mjs`: gets a mutant, plants it in memory, runs its test, says what became of it. */
import path from 'node:path';
import { createVitest } from 'vitest/node';

const root = path.join(import.meta.dirname, '..');
/** A mutant may make its test wait for ever; that kills it, too. */
const TEST_TIMEOUT_MS = 12_000;
let planted = null;

const plugin = {
  name: 'pawl-mutant',
  enforce: 'pre',
  transform(code, id) {
    if (planted === null || id.split('?')[0] !== path.join(root, planted.file)) return null;
    return { code: code.replace(planted.find, () => planted.replace), map: null };
  },
};

process.env.PAWL_MUTANTS = '1';
const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    reporters: [{}],
    coverage: { enabled: false },
    maxWorkers: 1,
    retry: 0,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 30_000,
    onConsoleLog: () => false,
  },
  { plugins: [plugin] },
);
await vitest.standalone();

const pattern = (name) => new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

function judge({ testModules }) {
  const states = testModules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  if (states.includes('failed')) return 'killed';
  if (states.includes('passed')) return 'SURVIVED';
  return 'broken: no test of that name ran, or its file does not load';
}

async function tryMutant(mutant) {
  planted = mutant;
  vitest.invalidateFile(path.join(root, mutant.file));
  vitest.setGlobalTestNamePattern(pattern(mutant.test.name));
  const specifications = await vitest.globTestSpecifications([mutant.test.file]);
  const result = await vitest.runTestSpecifications(specifications);
  vitest.invalidateFile(path.join(root, mutant.file));
  planted = null;
  return judge(result);
}

process.on('message', async (mutant) => {
  if (mutant === null) {
    await vitest.close();
    process.exit(0);
  }
  const at = Date.now();
  const verdict = await tryMutant(mutant).catch((error) => `broken: ${error.message}`);
  process.send({ verdict, seconds: (Date.now() - at) / 1000 });
});
process.send({});
