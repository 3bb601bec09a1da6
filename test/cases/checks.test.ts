import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';

const workflow = (compensate: readonly string[]): string =>
  [
    'pawl: 1',
    'workflow: policies',
    'version: 1',
    'timeout: 1d',
    'actions:',
    "  policies.delete: { http: { method: POST, url: 'http://127.0.0.1:1/delete' }, idempotency: natural }",
    "  policies.restore: { http: { method: POST, url: 'http://127.0.0.1:1/restore' }, idempotency: natural, compensate: none }",
    'steps:',
    '  - id: delete',
    '    call: policies.delete',
    ...compensate.map((line) => `    ${line}`),
    '',
  ].join('\n');

function told(compensate: readonly string[]) {
  return validateWorkflow(workflow(compensate), 'policies.pawl.yaml').problems.map(
    ({ code, range, related, help }) => ({
      code,
      line: range.line,
      related: related.map((one) => one.range.line),
      help,
    }),
  );
}

describe('bug 59 an undo that is declared and switched off', () => {
  it('is refused, and both lines are named', () => {
    expect(told(['compensate: { call: policies.restore }'])).toEqual([]);
    expect(told(['compensate: { call: policies.restore }', 'compensate: none'])).toMatchObject([
      { code: 'PAWL-008', line: 12, related: [11] },
    ]);
    expect(told(['compensate: { call: policies.restore }', 'noCompensation: true'])).toMatchObject([
      { code: 'PAWL-101', line: 12 },
    ]);
  });

  it('is warned of where it is ordered all the same, and both lines are named', () => {
    const ordered = (compensate: string) =>
      validateWorkflow(`${workflow([compensate])}  - { id: back, undo: [delete] }\n`, 'policies.pawl.yaml').problems;
    expect(ordered('compensate: { call: policies.restore }')).toEqual([]);
    const [problem, ...others] = ordered('compensate: none');
    expect([problem?.code, problem?.severity, problem?.range.line, others]).toEqual(['PAWL-364', 'warning', 12, []]);
    expect(problem?.related.map(({ range }) => range.line)).toEqual([11]);
  });
});

describe('bug 62 an undo that is a choice or a list of steps', () => {
  it.each([
    ['a choice', ['compensate: { choose: [{ when: true, steps: [] }] }']],
    ['two branches', ['compensate: { parallel: { a: [], b: [] } }']],
  ])('is refused with what an undo may be: %s', (_what, compensate) => {
    const problems = told(compensate);
    expect(problems.map(({ code }) => code)).toEqual(['PAWL-102', 'PAWL-101']);
    expect(problems.map(({ help }) => help).join()).toContain('add `call:`');
  });

  it('is refused as a list, and not taken for none', () => {
    const [problem, ...others] = told(['compensate: [{ call: policies.restore }]']);
    expect([problem?.code, others]).toEqual(['PAWL-104', []]);
    expect(problem?.help).not.toContain('none`?');
  });
});

describe('case 31 of the workflows, row 10', () => {
  it('two weeks that are written PT2W are refused with the place and the legal form', () => {
    const file = new URL('workflows/31-lending.pawl.yaml', import.meta.url);
    const text = readFileSync(file, 'utf8').replace('P2W', 'PT2W');
    const line = text.split('\n').findIndex((one) => one.includes('PT2W')) + 1;
    const [problem, ...others] = validateWorkflow(text, 'lending.pawl.yaml').problems;
    expect([problem?.range.line, others]).toEqual([line, []]);
    expect(problem?.help).toBe('write P2W');
  });
});
