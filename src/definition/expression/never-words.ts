import type { ProblemDraft } from './expression-problem.ts';
import { pathOf, type SyntaxNode } from './syntax-tree.ts';
import { type ValueType, wordsOf } from './value-type.ts';

/** A literal that the other side never is. */
interface NeverWord {
  readonly at: SyntaxNode;
  readonly draft: ProblemDraft;
}

/** The literals of a comparison that what they are compared with can never be, where its words are known: nothing would ever be found. */
export function neverWords(
  node: SyntaxNode & { readonly kind: 'binary' },
  left: ValueType,
  right: ValueType,
): readonly NeverWord[] {
  return [...neverOf(node.right, node.left, wordsOf(left)), ...neverOf(node.left, node.right, wordsOf(right))];
}

function neverOf(said: SyntaxNode, of: SyntaxNode, words: readonly string[] | null): readonly NeverWord[] {
  if (words === null) return [];
  const items = said.kind === 'list' ? said.items : [said];
  return items.flatMap((at) => {
    if (at.kind !== 'literal' || typeof at.value !== 'string' || words.includes(at.value)) return [];
    const what = pathOf(of)?.join('.');
    const message = `${what === undefined ? 'this' : `\`${what}\``} is never "${at.value}"`;
    return [{ at, draft: { kind: 'type', message, help: `it can be ${words.map((word) => `"${word}"`).join(', ')}` } }];
  });
}
