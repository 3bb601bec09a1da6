/** Where a node stands in its CEL source, UTF-16 offsets, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The comprehension macros of CEL that Pawl has. */
export const COMPREHENSIONS = ['all', 'exists', 'exists_one', 'filter', 'map'] as const;
/** One of the comprehension macros. */
export type Comprehension = (typeof COMPREHENSIONS)[number];

/** A CEL expression as this code sees it, independent of any engine. */
export type SyntaxNode = Span &
  (
    | { readonly kind: 'literal'; readonly value: null | boolean | bigint | number | string }
    /** A literal that the language leaves out: bytes, unsigned integers. */
    | { readonly kind: 'foreign'; readonly what: string }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'field'; readonly of: SyntaxNode; readonly name: string }
    | { readonly kind: 'index'; readonly of: SyntaxNode; readonly index: SyntaxNode }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly SyntaxNode[] }
    | { readonly kind: 'method'; readonly name: string; readonly of: SyntaxNode; readonly args: readonly SyntaxNode[] }
    | {
        readonly kind: 'comprehension';
        readonly macro: Comprehension;
        readonly range: SyntaxNode;
        readonly item: string;
        readonly args: readonly SyntaxNode[];
      }
    | { readonly kind: 'list'; readonly items: readonly SyntaxNode[] }
    | { readonly kind: 'map'; readonly entries: readonly (readonly [SyntaxNode, SyntaxNode])[] }
    | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly operand: SyntaxNode }
    | { readonly kind: 'binary'; readonly operator: string; readonly left: SyntaxNode; readonly right: SyntaxNode }
    | { readonly kind: 'ternary'; readonly test: SyntaxNode; readonly yes: SyntaxNode; readonly no: SyntaxNode }
  );

/** The direct parts of a node, in source order. */
export function partsOf(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.kind) {
    case 'literal':
    case 'foreign':
    case 'name':
      return [];
    case 'call':
      return node.args;
    case 'method':
      return [node.of, ...node.args];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'comprehension':
      return [node.range, ...node.args];
    default:
      return operandsOf(node);
  }
}

type Operation = Extract<SyntaxNode, { readonly kind: 'field' | 'index' | 'unary' | 'binary' | 'ternary' }>;

function operandsOf(node: Operation): readonly SyntaxNode[] {
  switch (node.kind) {
    case 'field':
      return [node.of];
    case 'index':
      return [node.of, node.index];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'ternary':
      return [node.test, node.yes, node.no];
  }
}

/** The names of a node that is a path (`a.b.c`, also with literal text keys), outermost first; null for anything else. */
export function pathOf(node: SyntaxNode): readonly string[] | null {
  const names: string[] = [];
  let at = node;
  for (;;) {
    if (at.kind === 'name') return [at.name, ...names.reverse()];
    if (at.kind === 'field') names.push(at.name);
    else if (at.kind === 'index' && at.index.kind === 'literal' && typeof at.index.value === 'string')
      names.push(at.index.value);
    else return null;
    at = at.of;
  }
}
