/**
 * What checking and compiling a workflow of so many steps does, counted by the engine of JavaScript itself: how often each function
 * is called and each block of it entered. It runs what `npm run build` has made, in a process of its own, so that
 * nothing that measures the tests is disturbed. Prints JSON: by file and place the count.
 */
import { Session } from 'node:inspector/promises';
import { explainWorkflow } from '../dist/app/explain/explain-workflow.js';
import { digestsOf } from '../dist/definition/digest.js';
import { validateWorkflow } from '../dist/definition/validate-workflow.js';
import { compileMachine } from '../dist/machine/compile.js';
import { lower } from '../dist/machine/lower.js';
import { bigWorkflow } from '../test/definition/support/big-workflow.mjs';

function work(text) {
  const { definition, problems, map } = validateWorkflow(text, 'big.pawl.yaml');
  if (definition === null)
    throw new Error(
      `the sample has errors: ${problems
        .map(({ range, code, message }) => `${range.line} ${code} ${message}`)
        .join('; ')
        .slice(0, 2000)}`,
    );
  explainWorkflow(definition, map);
  const machine = lower(definition);
  digestsOf(machine);
  compileMachine(machine);
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The counts of what was done since the last time, by `file function@offset`. */
async function taken() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const counts = {};
  for (const { url, functions } of result) {
    const file = /\/dist\/(.*)$/.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions)
      for (const { startOffset, count } of ranges) {
        const place = `${file} ${functionName}@${startOffset}`;
        if (count > 0) counts[place] = (counts[place] ?? 0) + count;
      }
  }
  return counts;
}

// What is made once is made now.
work(bigWorkflow(20));
await taken();
const result = {};
for (const size of process.argv.slice(2).map(Number)) {
  work(bigWorkflow(size));
  result[size] = await taken();
}
process.stdout.write(JSON.stringify(result));
