import type { Problem, SourceRange } from '../model/problem.ts';
import { hidePasswords, words } from './hide-passwords.ts';
import type { Paint } from './paint.ts';
import { cellWidth, terminalText } from './terminal-text.ts';

const CONTEXT_MAX = 160;

/**
 * A problem as people read it: what, where, the line with a caret under it, and the mend. Passwords of addresses are
 * hidden, also in the line before: a configuration file holds one.
 * @param source the file's text, as it was validated; or the texts of several files by their names.
 */
export function codeFrame(problem: Problem, source: string | ReadonlyMap<string, string>, paint: Paint): string {
  const linesOf = (file: string): readonly string[] =>
    shownLines(typeof source === 'string' ? source : source.get(file));
  const gutter = String(Math.max(problem.range.line, ...problem.related.map((r) => r.range.line))).length;
  const tone = problem.severity === 'error' ? paint.bad : paint.warn;
  const out = [
    `${tone(`${problem.severity} ${problem.code}`)} ${paint.strong(words(problem.message))}`,
    ...excerpt(problem.range, linesOf(problem.file), { file: problem.file, gutter, paint }),
  ];
  for (const related of problem.related) {
    const file = related.file ?? problem.file;
    out.push(
      ...excerpt(related.range, linesOf(file), { file, gutter, paint }),
      `${' '.repeat(gutter)} = ${words(related.message)}`,
    );
  }
  out.push(`${' '.repeat(gutter)} ${paint.quiet('=')} help: ${words(problem.help)}`);
  return out.join('\n');
}

function shownLines(source = ''): readonly string[] {
  return hidePasswords(source)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/);
}

interface Frame {
  readonly file: string;
  readonly gutter: number;
  readonly paint: Paint;
}

function excerpt(range: SourceRange, lines: readonly string[], { file, gutter, paint }: Frame): string[] {
  const margin = ' '.repeat(gutter);
  const before = lines[range.line - 2];
  const line = lines[range.line - 1] ?? '';
  const shift = Math.max(0, range.column - 1 - CONTEXT_MAX / 2);
  const out = [`${margin}${paint.quiet('-->')} ${terminalText(file)}:${range.line}:${range.column}`];
  if (before !== undefined) out.push(numbered(range.line - 1, before.slice(0, CONTEXT_MAX), gutter, paint));
  out.push(numbered(range.line, line.slice(shift, shift + CONTEXT_MAX), gutter, paint));
  const lead = cellWidth(printable(line.slice(shift, range.column - 1)));
  const end = range.endLine === range.line ? range.endColumn - 1 : line.length;
  const width = Math.max(1, cellWidth(printable(line.slice(range.column - 1, Math.min(end, shift + CONTEXT_MAX)))));
  out.push(`${margin} ${paint.quiet('|')} ${' '.repeat(lead)}${paint.bad('^'.repeat(width))}`);
  return out;
}

function numbered(line: number, text: string, gutter: number, paint: Paint): string {
  return `${paint.quiet(`${String(line).padStart(gutter)} |`)} ${printable(text)}`;
}

/** Tabs and control bytes as one visible cell each, so that the caret stands under what it means. */
function printable(text: string): string {
  return terminalText(text.replaceAll('\t', '→'));
}
