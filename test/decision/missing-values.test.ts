import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { Json } from '../../src/model/json.ts';
import { Play, workflow } from './support/play.ts';

const STATUS = 'input: { type: object, properties: { status: { type: string }, coupon: { type: [string, "null"] } } }';
const branch = (when: string): string =>
  workflow(
    `  - id: c\n    choose:\n      - { when: '${when}', steps: [{ id: a, call: do.a }] }\n      - else: [{ id: hold, call: do.b }]`,
    STATUS,
  );

describe('a key that is missing', () => {
  it('is no value that differs: the guard is a failure that names the key, and no branch is taken', () => {
    const run = new Play(branch('input.status != "blocked"')).drive();
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'c' });
    expect(JSON.stringify(run.head().failure)).toContain('status');
    expect(run.happened).toEqual([]);
    expect(new Play(branch('or(input.status, "") != "blocked"')).drive().happened).toEqual(['do.a']);
  });

  it('that its schema does not require is warned of when the file is validated', () => {
    const found = validateWorkflow(branch('input.status != "blocked"'), 'x').problems;
    expect(found.map(({ code, severity }) => `${severity} ${code}`)).toContain('warning PAWL-408');
  });

  it.each<[Json, Json]>([
    [{}, { given: false }],
    [{ coupon: null }, { given: true, coupon: null }],
    [{ coupon: '' }, { given: true, coupon: '' }],
  ])('is not null and not empty, also after the run was stored and loaded again: %j', (input, told) => {
    const output =
      '{ end: { as: told, output: { given: "${ has(input.coupon) }", coupon: "${ or(input.coupon, \\"missing\\") }" } } }';
    const run = new Play(workflow(`  - { id: w, wait: 1m }\n  - ${output}`, STATUS), { input });
    run.crash().wait('1m');
    expect(run.head().output).toEqual({ coupon: 'missing', ...(told as object) });
    expect(run.state.run.input).toEqual(input);
  });
});
