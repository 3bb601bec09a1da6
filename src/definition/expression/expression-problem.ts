import type { Span } from './syntax-tree.ts';

/**
 * What kind of mistake it is; one problem code each.
 * `syntax` not CEL · `bounds` too large · `unknown-name` no such root, key or step · `unknown-function` · `type` an operation that its
 * operands do not have, or values of different types compared · `guard` a condition that is no bool · `result` a value of another type
 * than wanted here · `missing` a key that may be missing, read without `has` or `or` (a warning) · `pattern` not RE2, or not literal ·
 * `literal` a text that the function cannot read · `template-key` a key that is missing or unknown · `template-value` a value of the wrong type ·
 * `cut` a computed double of which int() cuts ·
 * `inexact` a computed double that goes out as it is (a warning)
 */
export type ExpressionProblemKind =
  | 'syntax'
  | 'bounds'
  | 'unknown-name'
  | 'unknown-function'
  | 'type'
  | 'guard'
  | 'result'
  | 'missing'
  | 'pattern'
  | 'literal'
  | 'template-key'
  | 'template-value'
  | 'cut'
  | 'inexact';

/** A mistake in an expression: what, where in its CEL source, and the mend. */
export interface ExpressionProblem extends Span {
  readonly kind: ExpressionProblemKind;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly help: string;
  /** The name that is unknown, for did-you-mean; else null. */
  readonly name: string | null;
  /** Names that would be right there. */
  readonly candidates: readonly string[];
}

/** What a problem says beside its place; defaults: an error without names. */
export interface ProblemDraft {
  readonly kind: ExpressionProblemKind;
  readonly message: string;
  readonly help: string;
  readonly severity?: 'error' | 'warning';
  readonly name?: string;
  readonly candidates?: readonly string[];
}

/** A problem at a place. */
export function problemAt(span: Span, draft: ProblemDraft): ExpressionProblem {
  return {
    kind: draft.kind,
    severity: draft.severity ?? 'error',
    message: draft.message,
    start: span.start,
    end: span.end,
    help: draft.help,
    name: draft.name ?? null,
    candidates: draft.candidates ?? [],
  };
}
