import { pathOf, type SyntaxNode } from './syntax-tree.ts';

/** The paths that are there for sure when a condition came out as `truth`. */
export function factsOf(condition: SyntaxNode, truth: boolean): readonly string[] {
  if (condition.kind === 'unary' && condition.operator === '!') return factsOf(condition.operand, !truth);
  if (condition.kind === 'call' && condition.name === 'has' && truth) {
    const [asked] = condition.args;
    const path = asked === undefined ? null : pathOf(asked);
    return path === null ? [] : [path.join('.')];
  }
  if (condition.kind === 'binary' && condition.operator === (truth ? '&&' : '||')) {
    return [...factsOf(condition.left, truth), ...factsOf(condition.right, truth)];
  }
  return [];
}
