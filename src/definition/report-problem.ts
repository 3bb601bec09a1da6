import type { Problem, RelatedPlace, SourceRange } from '../model/problem.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { SourceMap } from './source-map.ts';

/** What a check says of a mistake; the place in the file is found by pointer. */
export interface Finding {
  readonly code: ProblemCode;
  readonly pointer: string;
  readonly message: string;
  /** The mend: what to write instead, or where to look. */
  readonly help: string;
  /** Point at the key, at the value (default), or at a part of the scalar's text. */
  readonly at?: 'key' | 'value' | readonly [start: number, end: number];
  /** A part of the normalized file instead, UTF-16 offsets; wins over `at`. */
  readonly offsets?: readonly [start: number, end: number];
  readonly severity?: 'error' | 'warning';
  /** Other nodes that belong to it. */
  readonly related?: readonly RelatedFinding[];
}

/** Another node that belongs to a mistake: a value by its pointer, or a part of the normalized file. */
type RelatedFinding = { readonly message: string } & (
  | { readonly pointer: string; readonly at?: 'key' }
  | { readonly offsets: readonly [start: number, end: number] }
);

function rangeOf(map: SourceMap, finding: Finding): SourceRange {
  if (finding.offsets !== undefined) return map.offsetRange(finding.offsets[0], finding.offsets[1]);
  const at = finding.at ?? 'value';
  if (at === 'key') return map.keyRange(finding.pointer);
  return at === 'value' ? map.valueRange(finding.pointer) : map.insideRange(finding.pointer, at[0], at[1]);
}

/** Turns a finding into a problem with its place in the file. */
export function toProblem(map: SourceMap, finding: Finding): Problem {
  return {
    code: finding.code,
    severity: finding.severity ?? 'error',
    message: finding.message,
    file: map.homeOf(finding.pointer).file,
    range: rangeOf(map, finding),
    pointer: finding.pointer,
    help: finding.help,
    related: (finding.related ?? []).map((other) => relatedPlace(map, finding, other)),
  };
}

function relatedPlace(map: SourceMap, finding: Finding, other: RelatedFinding): RelatedPlace {
  const { message } = other;
  if ('offsets' in other) return { message, range: map.offsetRange(other.offsets[0], other.offsets[1]) };
  const range = other.at === 'key' ? map.keyRange(other.pointer) : map.valueRange(other.pointer);
  const { file } = map.homeOf(other.pointer);
  return file === map.homeOf(finding.pointer).file ? { message, range } : { message, range, file };
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** Sorts problems by file and place, then code; the order in which a reader meets them. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      a.range.line - b.range.line ||
      a.range.column - b.range.column ||
      compare(a.code, b.code) ||
      compare(a.message, b.message),
  );
}
