import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { Json } from '../../src/model/json.ts';
import { runTests } from '../../src/testing/scenario/run-tests.ts';

const FOLDER = new URL('./workflows/', import.meta.url);
/** So many rows or turns; the case's 1,000 by `PAWL_ROWS=1000`. */
const COUNT = Number(process.env['PAWL_ROWS'] ?? 50);
/** The row that is declined: the 600th of 1,000. */
const DECLINED = Math.ceil(0.6 * COUNT);
/** So many that one of them is 1 % at most. */
const TOLERANT_COUNT = Math.max(100, COUNT);
/** How many of them are under way at once: 100 of 1,000. */
const WIDTH = Math.min(100, Math.ceil(COUNT / 10));
const rowsOf = (length: number) =>
  Array.from({ length }, (_, at) => ({ id: String(at + 1), value: `value ${at + 1}` }));
const ROWS = rowsOf(COUNT);
const IN_ORDER = { rows: ROWS.map(({ id }) => id) };
const LONG_MS = 900_000;

/** Plays one scenario of a workflow file of this folder. @returns what was not as expected. */
async function missed(workflow: string, scenario: Readonly<Record<string, Json>>, children?: readonly string[]) {
  const tests = JSON.stringify({ workflow, children, scenarios: [{ name: 'one', ...scenario }] });
  const read = (name: string): string =>
    name === 'one.test.yaml'
      ? tests
      : readFileSync(new URL(name, FOLDER), 'utf8').replace('concurrency: 100', `concurrency: ${WIDTH}`);
  const { files } = await runTests({ files: ['one.test.yaml'], crash: false, read });
  const [file] = files;
  expect(file?.result?.scenarios).toHaveLength(1);
  return [
    file?.problems,
    ...(file?.result?.scenarios ?? []).flatMap(({ misses, problems }) => [misses, problems]),
  ].flat();
}

/** What a play came to where it is not as expected, by what it is. */
async function gotOf(workflow: string, scenario: Readonly<Record<string, Json>>) {
  const all = await missed(workflow, scenario);
  return Object.fromEntries(
    all.flatMap((miss) => (typeof miss === 'object' && 'what' in miss ? [[miss.what, miss.got]] : [])),
  ) as Readonly<Record<string, string>>;
}

describe(`${COUNT} rows`, () => {
  const input = { file: 'many', rows: ROWS };
  const done = { effects: `row.start x${COUNT}`, status: 'COMPLETED', wholeOutput: IN_ORDER };

  it(
    'case 11/3 case 11/1 each is done once, and the output is in their order',
    async () => {
      expect(await missed('11-rows.pawl.yaml', { input, expect: done })).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'case 11/1 each is a run of its own',
    async () => {
      expect(await missed('11-children.pawl.yaml', { input, expect: done }, ['11-row.pawl.yaml'])).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'case 11/4 none is done twice and none is missing where the worker is killed among them',
    async () => {
      // A call of the lab takes about 6 ms, and all rows take ten times that and more.
      const events = [
        { at: '40ms', worker: 'down' },
        { at: '1m', worker: 'up' },
      ];
      expect(await missed('11-rows.pawl.yaml', { input, events, expect: done })).toEqual([]);
      const soon = await gotOf('11-rows.pawl.yaml', { input, events, until: '30s', expect: done });
      expect(soon).toMatchObject({ status: 'RUNNING', effects: expect.stringMatching(/^row\.start x\d+$/u) });
      expect(Number(soon['effects']?.split('x')[1])).toBeLessThan(COUNT);
    },
    LONG_MS,
  );

  it(
    'case 11/5 one that is declined ends it, and each of those before it is undone once',
    async () => {
      const provider = { 'row.start': `ok x${DECLINED - 1} then declined` };
      const effects = `row.start x${DECLINED - 1}, row.stop x${DECLINED - 1}`;
      expect(
        await missed('11-rows.pawl.yaml', { input, provider, expect: { effects, status: 'COMPENSATED' } }),
      ).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'case 11/6 one in a hundred may be declined, and is listed with its row',
    async () => {
      const provider = { 'row.start': `ok x${DECLINED - 1} then declined then ok` };
      const rows = rowsOf(TOLERANT_COUNT);
      const expected = { effects: `row.start x${TOLERANT_COUNT - 1}`, status: 'COMPLETED' };
      // Which row meets the no is open where rows go side by side: it is the one that was not done.
      const unmet = { output: { failed: 'none' }, sent: { 'row.start': [] } };
      const got = await gotOf('11-tolerant.pawl.yaml', {
        input: { file: 'many', rows },
        provider,
        expect: { ...expected, ...unmet },
      });
      expect(Object.keys(got).toSorted()).toEqual(['output', 'sent']);
      const sent = new Set((JSON.parse(got['sent'] ?? '') as { row: string }[]).map(({ row }) => row));
      const missing = rows.filter(({ id }) => !sent.has(id)).map(({ id }) => id);
      expect(missing).toHaveLength(1);
      expect(JSON.parse(got['output'] ?? '')).toMatchObject({
        failed: missing.map((key) => ({ key, code: 'declined' })),
      });
    },
    LONG_MS,
  );
});

it(
  `case 04/3 ${COUNT} reminders, then the answer`,
  async () => {
    const events = [{ at: `${60 * COUNT + 30}s`, signal: 'answered' }];
    const expected = { effects: `task.send, remind x${COUNT}`, status: 'COMPLETED' };
    expect(await missed('04-reminder.pawl.yaml', { input: { task: 't-3' }, events, expect: expected })).toEqual([]);
  },
  LONG_MS,
);

it('case 15/7 a fork without branches is refused when it is checked', () => {
  const text = [
    'pawl: 1',
    'workflow: fork',
    'version: 1',
    'timeout: 1h',
    'input: { type: object }',
    'steps: [{ id: fork, parallel: {} }]',
    '',
  ].join('\n');
  const { definition, problems } = validateWorkflow(text, 'fork.pawl.yaml');
  expect(definition).toBeNull();
  expect(problems.map(({ pointer }) => pointer)).toContain('/steps/0/parallel');
});
