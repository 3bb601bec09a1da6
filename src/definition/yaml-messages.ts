import type { Finding } from './report-problem.ts';
import type { RawDocument } from './yaml-syntax.ts';

/** A syntax mistake in words, and the part of the text to step over to go on; null where going on makes no sense. */
export interface ExplainedSyntax {
  readonly finding: Finding;
  readonly recover: readonly [start: number, end: number] | null;
}

/** The first syntax mistake of a document in words that a person understands; null when there is none. */
export function explainSyntax(document: RawDocument, _text: string): ExplainedSyntax | null {
  const error = document.errors[0];
  if (error === undefined) return null;
  return { finding: { code: 'PAWL-003', pointer: '', offsets: [error.start, error.end], message: error.message, help: null }, recover: null };
}

/** The part of the error's line that is stepped over: the value after its first key, else the whole line. */
export function partToMask(text: string, at: number): readonly [number, number] {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const stop = text.indexOf('\n', at);
  const lineEnd = stop === -1 ? text.length : stop;
  const key = /^(?:\s*- )*\s*[^\s#:'"{}[\],][^:'"{}[\],]*:\s+/.exec(text.slice(lineStart, lineEnd));
  const start = key === null ? lineStart : lineStart + key[0].length;
  return [start, lineEnd];
}

