import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runTests } from '../../src/testing/scenario/run-tests.ts';

const FOLDER = new URL('./workflows/', import.meta.url);

it('case 25/10 an activity that adds 10,000 others is refused by the limit of the slip, and what was done is undone', async () => {
  const rest = Array.from({ length: 10_000 }, () => ({ does: 'test' }));
  const scenario = {
    name: '10',
    input: { no: 's-10', slip: [{ does: 'test', value: 'first' }, { does: 'revise' }] },
    provider: { revise: { answer: { rest } } },
    expect: { effects: 'test, revise, undo', status: 'COMPENSATED', failure: 'expression' },
  };
  const tests = JSON.stringify({ workflow: '25-slip.pawl.yaml', scenarios: [scenario] });
  const read = (name: string): string =>
    name === 'ten.test.yaml' ? tests : readFileSync(new URL(name, FOLDER), 'utf8');
  const { files, passed } = await runTests({ files: ['ten.test.yaml'], crash: false, read });
  expect(
    files.flatMap(({ problems, result }) => [
      ...problems,
      ...(result?.scenarios ?? []).flatMap(({ misses }) => misses),
    ]),
  ).toEqual([]);
  expect(passed).toBe(1);
});
