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

  it('takes from the widest of the columns that may shrink, none below eight cells, and gives up there', () => {
    const columns = [{ heading: 'KEY', shrinks: true }, { heading: 'NEEDS', shrinks: true }, { heading: 'STATUS' }];
    const row = ['k'.repeat(30), 'n'.repeat(12), 'HELD'];
    expect(renderTable(columns, [row], 44).split('\n')[1]).toBe(`${'k'.repeat(21)}…  ${'n'.repeat(12)}  HELD`);
    expect(renderTable(columns, [row], 30).split('\n')[1]).toBe(`${'k'.repeat(9)}…  ${'n'.repeat(9)}…  HELD`);
    expect(renderTable(columns, [row], 5).split('\n')[1]).toBe(`${'k'.repeat(7)}…  ${'n'.repeat(7)}…  HELD`);
  });

  it('leaves an empty cell where a row is short, and shows its headings alone without rows', () => {
    expect(renderTable(COLUMNS, [['run_1']], 80)).toBe('RUN    KEY  STATUS\nrun_1');
    expect(renderTable(COLUMNS, [], 80)).toBe('RUN  KEY  STATUS');
  });

  it('shows escape sequences of names as inert signs', () => {
    expect(renderTable(COLUMNS, [['run_1', '\u001b[2Jx', 'HELD']], 80)).not.toContain('\u001b');
  });
});
