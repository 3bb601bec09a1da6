import { describe, expect, it } from 'vitest';
import { codeFrame } from '../../src/cli/code-frame.ts';
import { paintFor } from '../../src/cli/paint.ts';
import type { Problem } from '../../src/model/problem.ts';

const problem = (more: Partial<Problem>): Problem => ({
  code: 'PAWL-101',
  severity: 'error',
  message: 'unknown key "retires"',
  file: 'refund.pawl.yaml',
  range: { line: 2, column: 5, endLine: 2, endColumn: 12 },
  pointer: '/steps/0',
  help: 'did you mean "retry"?',
  related: [],
  ...more,
});
const frame = (p: Problem, source: string): string => codeFrame(p, source, paintFor(false));

describe('a code frame', () => {
  it('shows what, where, the line, a caret of the right length, and the mend', () => {
    expect(frame(problem({}), 'steps:\n    retires: 3\n')).toBe(
      [
        'error PAWL-101 unknown key "retires"',
        ' --> refund.pawl.yaml:2:5',
        '1 | steps:',
        '2 |     retires: 3',
        '  |     ^^^^^^^',
        '  = help: did you mean "retry"?',
      ].join('\n'),
    );
  });

  it('counts carriage returns as part of a line end and skips a byte order mark', () => {
    expect(frame(problem({}), '\ufeffsteps:\r\n    retires: 3\r\n')).toContain('2 |     retires: 3\n  |     ^^^^^^^');
  });

  it('puts the caret under the character it means behind wide characters and tabs', () => {
    const source = 'a: 1\n日本:\tx\n';
    const text = frame(problem({ range: { line: 2, column: 5, endLine: 2, endColumn: 6 } }), source);
    expect(text).toContain('2 | 日本:→x\n  |       ^');
  });

  it('names related places with their own excerpt', () => {
    const related = [{ message: 'first defined here', range: { line: 1, column: 1, endLine: 1, endColumn: 6 } }];
    expect(frame(problem({ related }), 'steps:\n    retires: 3\n')).toContain(
      'refund.pawl.yaml:1:1\n1 | steps:\n  | ^^^^^\n  = first defined here',
    );
  });

  it('cuts a very long line around its caret', () => {
    const long = `x: ${'a'.repeat(900)}b`;
    const text = frame(problem({ range: { line: 1, column: 904, endLine: 1, endColumn: 905 } }), long);
    const [, , line, caret] = text.split('\n');
    expect(line?.length).toBeLessThan(200);
    expect(line?.[caret?.indexOf('^') ?? -1]).toBe('b');
  });

  it('shows control bytes as inert signs', () => {
    expect(frame(problem({}), 'steps:\n    \u001b[31mretires\n')).not.toContain('\u001b');
  });
});
