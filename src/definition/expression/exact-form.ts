import { pathOf, type SyntaxNode } from './syntax-tree.ts';

/** Operators that decimals have. */
const EXACT: ReadonlySet<string> = new Set(['+', '-', '*']);
/** Functions that give a number as it is, in another kind. */
const CONVERSIONS: ReadonlySet<string> = new Set(['double', 'dyn']);

/** What is wrong with a computed double that goes out. */
export const INEXACT = 'doubles are not exact: 0.1 + 0.2 goes out as 0.30000000000000004';

/** Whether a number comes out of arithmetic: as a double it has lost its decimal digits then (19.99 * 100.0 is less than 1999). */
export function isComputed(node: SyntaxNode): boolean {
  switch (node.kind) {
    case 'binary':
      return true;
    case 'unary':
      return isComputed(node.operand);
    case 'ternary':
      return isComputed(node.yes) || isComputed(node.no);
    case 'call':
      return node.name === 'sum' || (CONVERSIONS.has(node.name) && node.args.some(isComputed));
    case 'method':
      return node.name === 'sum';
    default:
      return false;
  }
}

/** How to make an int of a number without losing anything unseen: exact, or rounded where the author says so. */
export function wholeHelp(node: SyntaxNode): string {
  const form = exactForm(node);
  const rounded = `int(string(${form}, 0))`;
  if (divides(node)) return `write ${rounded}, which rounds`;
  return `write int(${form}), exact, and a fault where it is no whole number; or ${rounded}, which rounds`;
}

/** How a computed number goes out with the digits that a person would write; null = it does already, or decimals cannot compute it. */
export function digitsHelp(node: SyntaxNode, place: 'value' | 'text'): string | null {
  if (!isComputed(node) || divides(node)) return null;
  const text = `string(${exactForm(node)})`;
  return `write ${place === 'text' ? text : `double(${text})`}, or send whole cents`;
}

/** The mend of an operation between an int and a double where cents are meant; empty = decimals do not have the operation. */
export function exactHint(node: SyntaxNode): string {
  const isExact = node.kind === 'binary' && EXACT.has(node.operator);
  return isExact ? `; for money write ${exactForm(node)}, which is exact` : '';
}

function divides(node: SyntaxNode): boolean {
  if (node.kind === 'binary') return !EXACT.has(node.operator) || divides(node.left) || divides(node.right);
  return node.kind === 'unary' && divides(node.operand);
}

/** The same number computed with decimals, as CEL; `…` stands for what is no path. */
function exactForm(node: SyntaxNode): string {
  switch (node.kind) {
    case 'literal':
      return Number.isSafeInteger(Number(node.value)) ? String(node.value) : `decimal("${String(node.value)}")`;
    case 'unary':
      return `-${sideOf(node.operand, '-')}`;
    case 'binary':
      if (!EXACT.has(node.operator)) return `decimal(${words(node.left)} ${node.operator} ${words(node.right)})`;
      return `${sideOf(node.left, node.operator)} ${node.operator} ${sideOf(node.right, node.operator)}`;
    case 'call':
      if (CONVERSIONS.has(node.name)) return node.args.map(exactForm).join();
      return node.name === 'sum' ? node.args.map(sumForm).join() : `decimal(${words(node)})`;
    case 'method':
      return node.name === 'sum' ? sumForm(node.of) : 'decimal(…)';
    default:
      return `decimal(${words(node)})`;
  }
}

function sideOf(node: SyntaxNode, operator: string): string {
  const isLower = node.kind === 'binary' && (node.operator === '+' || node.operator === '-');
  return isLower && operator !== '+' ? `(${exactForm(node)})` : exactForm(node);
}

/** Of a list of computed numbers each is computed exactly. */
function sumForm(list: SyntaxNode): string {
  if (list.kind !== 'comprehension' || list.macro !== 'map') return `sum(${words(list)}.map(x, decimal(x)))`;
  return `sum(${words(list.range)}.map(${list.item}, ${list.args.map(exactForm).join(', ')}))`;
}

function words(node: SyntaxNode): string {
  if (node.kind === 'call') return `${node.name}(${node.args.map(words).join(', ')})`;
  if (node.kind !== 'literal') return pathOf(node)?.join('.') ?? '…';
  // An int is a BigInt here, which JSON has no words for.
  if (typeof node.value === 'bigint') return `${node.value}`;
  return typeof node.value === 'number' && Number.isInteger(node.value)
    ? `${node.value}.0`
    : JSON.stringify(node.value);
}
