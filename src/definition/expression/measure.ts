import { BOUNDS } from './bounds.ts';
import { partsOf, type Span, type SyntaxNode } from './syntax-tree.ts';

/** A bound that an expression passes, with the place. */
export interface BoundFault extends Span {
  readonly message: string;
}

/** The first bound at publish that a tree passes: nodes, depth, nested comprehensions; null = none. */
export function measureTree(root: SyntaxNode): BoundFault | null {
  let nodes = 0;
  const visit = (node: SyntaxNode, depth: number, nest: number): BoundFault | null => {
    nodes += 1;
    const inner = node.kind === 'comprehension' ? nest + 1 : nest;
    const message = passed(nodes, depth, inner);
    if (message !== null) return { message, start: node.start, end: node.end };
    for (const part of partsOf(node)) {
      const inRange = node.kind === 'comprehension' && part === node.range;
      const fault = visit(part, goesOn(node, part) ? depth : depth + 1, inRange ? nest : inner);
      if (fault !== null) return fault;
    }
    return null;
  };
  return visit(root, 1, 0);
}

function passed(nodes: number, depth: number, nest: number): string | null {
  if (nodes > BOUNDS.nodes) return `more than ${BOUNDS.nodes} parts in one expression`;
  if (depth > BOUNDS.depth) return `nested deeper than ${BOUNDS.depth}`;
  if (nest > BOUNDS.nestedComprehensions)
    return `more than ${BOUNDS.nestedComprehensions} comprehensions inside each other`;
  return null;
}

/** `a + b + c` is one level: the parser nests it to the left, a reader does not. So is a path. */
function goesOn(node: SyntaxNode, part: SyntaxNode): boolean {
  if (node.kind === 'binary') return part === node.left && part.kind === 'binary' && part.operator === node.operator;
  return node.kind === 'field' && part.kind === 'field';
}
