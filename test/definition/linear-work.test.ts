import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { allSteps } from '../../src/model/step-lists.ts';
// @ts-expect-error: the process that counts runs it without types
import { bigWorkflow } from './support/big-workflow.mjs';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
type Counts = Readonly<Record<string, number>>;

/** Twice the steps are twice the work, and a little more for what halves its way to a place in the file. */
const LINEAR = 2.3;
/** Places that are passed less often than there are steps say nothing. */
const SPOKEN_MIN = 2_000;

let small: Counts = {};
let large: Counts = {};
beforeAll(() => {
  if (!existsSync(path('../../dist/definition/validate-workflow.js')))
    throw new Error('dist is missing: npm run build');
  const told = execFileSync(process.execPath, [path('../../scripts/count-work.mjs'), '1000', '2000'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const counts = JSON.parse(told) as Readonly<Record<'1000' | '2000', Counts>>;
  small = counts[1000];
  large = counts[2000];
}, 240_000);

/** How often a function was called, at most: by `file name` of its places. */
function callsOf(counts: Counts): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const [place, count] of Object.entries(counts)) {
    const name = place.slice(0, place.lastIndexOf('@'));
    calls.set(name, Math.max(count, calls.get(name) ?? 0));
  }
  return calls;
}

describe('checking and compiling a file of 2,000 steps', () => {
  it('is of as many steps as is said, of every kind that the checks follow', () => {
    const { definition, problems } = validateWorkflow(bigWorkflow(100) as string, 'big');
    expect(problems).toEqual([]);
    const steps = allSteps(definition?.steps ?? []);
    expect(steps.length).toBeGreaterThanOrEqual(100);
    expect(new Set(steps.map(({ verb }) => verb))).toEqual(
      new Set(['call', 'wait', 'set', 'scope', 'choose', 'repeat']),
    );
  });

  it.each([
    ['parses each file once', 'definition/read-yaml.js', 'readYaml', 1],
    ['reads each expression no more often per step', 'definition/expression-engine.js', 'parseSource', null],
    ['compiles no more expressions per step', 'definition/expression-engine.js', 'checkProgram', null],
    ['compiles no more schemas per step', 'definition/schema-validator.js', 'compileSchema', null],
    ['compiles one machine', 'machine/kernel.js', 'createKernel', 1],
    ['visits no more states per step', 'machine/outline.js', 'placeOf', null],
  ])('%s', (_, file, name, exactly) => {
    const [before = 0, after = 0] = [small, large].map((counts) => callsOf(counts).get(`${file} ${name}`));
    expect(before, `${file} ${name}`).toBeGreaterThan(0);
    if (exactly !== null) expect(after).toBe(exactly);
    expect(after / before).toBeLessThanOrEqual(LINEAR);
  });

  it('does no more of anything per step: every function and every block of it', () => {
    const spoken = Object.entries(large).filter(([, count]) => count >= SPOKEN_MIN);
    expect(spoken.length).toBeGreaterThan(500);
    const calls = callsOf(small);
    // A block that was entered as often as what is around it has no count of its own.
    const countOf = (place: string): number => small[place] ?? calls.get(place.slice(0, place.lastIndexOf('@'))) ?? 0;
    // Of a small function that the engine had put into its callers there is no count to compare with: theirs tell.
    const steep = spoken
      .filter(([place, count]) => countOf(place) > 0 && count > LINEAR * countOf(place))
      .map(([place, count]) => `${place}: ${countOf(place)} -> ${count}`);
    expect(steep).toEqual([]);
  });
});
