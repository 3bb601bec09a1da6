import type { Expression } from '../../model/definition.ts';
import { parseSource } from '../expression-engine.ts';
import { partsOf, pathOf, type SyntaxNode } from '../expression/syntax-tree.ts';

/** A path that an expression reads, for example `steps.pay.output.id`. */
export interface Read {
  readonly path: readonly string[];
  /** Whether `or(…)` or `has(…)` stands around it: it may be missing. */
  readonly guarded: boolean;
  readonly expression: Expression;
  /** UTF-16 offsets in the expression's source. */
  readonly start: number;
  readonly end: number;
}

/** Every path an expression reads; none where it cannot be parsed (the expression checks tell that). */
export function readsOf(expression: Expression): readonly Read[] {
  let root: SyntaxNode;
  try {
    root = parseSource(expression.source);
  } catch {
    return [];
  }
  const reads: Read[] = [];
  collect(root, false, (path, node, guarded) =>
    reads.push({ path, guarded, expression, start: node.start, end: node.end }),
  );
  return reads;
}

type Found = (path: readonly string[], node: SyntaxNode, guarded: boolean) => void;

function collect(node: SyntaxNode, guarded: boolean, found: Found): void {
  const path = pathOf(node);
  if (path !== null) {
    found(path, node, guarded);
    return;
  }
  if (node.kind === 'call' && (node.name === 'or' || node.name === 'has')) {
    const [first, ...rest] = node.args;
    if (first !== undefined) collect(first, true, found);
    for (const part of rest) collect(part, guarded, found);
    return;
  }
  for (const part of partsOf(node)) collect(part, guarded, found);
}

/** Where a read stands in its YAML scalar. */
export function placeOf(read: Read): { readonly pointer: string; readonly at: readonly [number, number] } {
  const { pointer, offset } = read.expression;
  return { pointer, at: [offset + read.start, offset + read.end] };
}
