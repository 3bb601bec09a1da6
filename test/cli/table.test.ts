import { describe, expect, it } from 'vitest';
import { renderTable } from '../../src/cli/table.ts';

const COLUMNS = [{ heading: 'RUN' }, { heading: 'KEY', shrinks: true }, { heading: 'STATUS' }];

describe('a table', () => {
  it('aligns its columns by terminal cells, also with wide characters', () => {
    const text = renderTable(
      COLUMNS,
      [
        ['run_1', '日本', 'HELD'],
        ['run_2', 'abcd', 'RUNNING'],
      ],
      Number.POSITIVE_INFINITY,
    );
    expect(text.split('\n')).toEqual(['RUN    KEY   STATUS', 'run_1  日本  HELD', 'run_2  abcd  RUNNING']);
  });

  it('cuts only columns that may shrink when the terminal is narrow', () => {
    const text = renderTable(COLUMNS, [['run_1', 'a-very-long-business-key', 'COMPENSATED_WITH_ERRORS']], 44);
    expect(text.split('\n')[1]).toBe('run_1  a-very-long…  COMPENSATED_WITH_ERRORS');
  });

  it('shows escape sequences of names as inert signs', () => {
    expect(renderTable(COLUMNS, [['run_1', '\u001b[2Jx', 'HELD']], 80)).not.toContain('\u001b');
  });
});
