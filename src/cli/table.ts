import { cellWidth, cutTo, pad, terminalText } from './terminal-text.ts';

/** A column: its heading, and whether it may be cut when the terminal is narrow. */
export interface Column {
  readonly heading: string;
  readonly shrinks?: boolean;
}

const GAP = '  ';
const NARROWEST = 8;

/**
 * A table that fits a width: columns that may shrink are cut from the widest on, the others stay whole.
 * @param width cells of the terminal; Infinity when nobody reads it on one.
 */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const cells = rows.map((row) => columns.map((_, index) => terminalText(row[index] ?? '')));
  const widths = columns.map((column, index) =>
    Math.max(cellWidth(column.heading), ...cells.map((row) => cellWidth(row[index] ?? ''))),
  );
  shrink(columns, widths, width);
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(cutTo(text, widths[index] ?? 0), widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
  return [line(columns.map((column) => column.heading)), ...cells.map(line)].join('\n');
}

function shrink(columns: readonly Column[], widths: number[], width: number): void {
  let over = widths.reduce((sum, w) => sum + w, 0) + GAP.length * (columns.length - 1) - width;
  while (over > 0 && over !== Number.POSITIVE_INFINITY) {
    const widest = widestThatShrinks(columns, widths);
    if (widest === null) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
}

function widestThatShrinks(columns: readonly Column[], widths: readonly number[]): number | null {
  let widest: number | null = null;
  for (const [index, column] of columns.entries()) {
    const cells = widths[index] ?? 0;
    if (column.shrinks !== true || cells <= NARROWEST) continue;
    if (widest === null || cells > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
