import type { ProblemDraft } from './expression-problem.ts';
import type { Span, SyntaxNode } from './syntax-tree.ts';
import type { ValueType } from './value-type.ts';

/** What is known where a part stands. */
export interface Known {
  readonly items: ReadonlyMap<string, ValueType>;
  /** Paths that are there for sure: an enclosing `has(…)` was asked. */
  readonly present: ReadonlySet<string>;
  /** Inside `has(…)` or `or(…)`: the last key, or every key, may be missing. */
  readonly asking: 'no' | 'last' | 'all';
}

/** What the checks of calls need of the inference around them. */
export interface Inference {
  typeOf(node: SyntaxNode, known: Known): ValueType;
  tell(span: Span, draft: ProblemDraft): void;
}
