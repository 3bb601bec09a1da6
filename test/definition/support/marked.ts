import type { Problem } from '../../../src/model/problem.ts';

/** A text with one place marked by ⟦ and ⟧, and where that place is. */
export interface Marked {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

function placeOf(before: string): { line: number; column: number } {
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Takes the marks out and computes the place from where they stood. */
export function marked(source: string): Marked {
  const start = source.indexOf('⟦');
  const end = source.indexOf('⟧') - 1;
  const text = source.replace('⟦', '').replace('⟧', '');
  const from = placeOf(text.slice(0, start));
  const to = placeOf(text.slice(0, end));
  return { text, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

/** `CODE line:column-endLine:endColumn`, one a problem: what tests compare. */
export function shown(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, range }) => `${code} ${range.line}:${range.column}-${range.endLine}:${range.endColumn}`);
}

/** The same for the place that a text marks. */
export function expected(code: string, place: Marked): string {
  return `${code} ${place.line}:${place.column}-${place.endLine}:${place.endColumn}`;
}
