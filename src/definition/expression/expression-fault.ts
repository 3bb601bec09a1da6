import type { Expression } from '../../model/definition.ts';
import { RefusedError } from '../../model/errors.ts';
import type { Span } from './syntax-tree.ts';

/** An expression that could not be computed; its text has a caret into the source and never a value. */
export class ExpressionFault extends RefusedError {
  /** JSON pointer of the YAML value that held the expression. */
  readonly pointer: string;
  readonly span: Span;
  /** The message without source and caret. */
  readonly summary: string;

  constructor(expression: Expression, span: Span, summary: string) {
    super('PAWL_EXPRESSION_FAULT', `${summary}\n${caretText(expression.source, span)}`, {
      pointer: expression.pointer,
      start: span.start,
      end: span.end,
    });
    this.pointer = expression.pointer;
    this.span = span;
    this.summary = summary;
  }
}

/** The line of the source at a span, and a caret line below it. Tabs are kept so that the caret stays under its place. */
export function caretText(source: string, span: Span): string {
  const start = Math.min(span.start, source.length);
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const lineBreak = source.indexOf('\n', start);
  const lineEnd = lineBreak === -1 ? source.length : lineBreak;
  const end = Math.max(start + 1, Math.min(span.end, lineEnd));
  const margin = source.slice(lineStart, start).replace(/[^\t]/g, ' ');
  return `  ${source.slice(lineStart, lineEnd)}\n  ${margin}${'^'.repeat(end - start)}`;
}
