import { exactHint } from './exact-form.ts';
import { pathOf, type SyntaxNode } from './syntax-tree.ts';
import { DOUBLE, optionsOf, type ValueType } from './value-type.ts';

type Pair = SyntaxNode & { readonly kind: 'binary' | 'ternary' };

/** Where nothing better is known of two types that do not go together. */
const ONE_TYPE = 'bring both sides to one type: string(…), int(…), double(…), decimal(…), timestamp(…)';

/** How to mend an operation between two types. */
export function arithmeticHelp(node: Pair, left: ValueType, right: ValueType): string {
  const numbers = numberHelp(node, left, right);
  if (numbers !== null) return numbers;
  if (is(left, 'string') && is(right, 'duration'))
    return 'write timestamp(…) around the text of a time, or string(…) around the duration';
  const operator = node.kind === 'binary' ? node.operator : '';
  if (operator === '+' && (is(left, 'string') || is(right, 'string'))) return 'write string(…) around what is no text';
  if (is(left, 'decimal') || is(right, 'decimal'))
    return 'decimals have + - * with decimals and ints: write decimal(…)';
  if (is(right, 'timestamp') && is(left, 'string')) return 'write timestamp(…) around the text of a time';
  return ONE_TYPE;
}

/** An operation that cannot be: a number without a schema is bound as a double, whatever its value. */
export interface UntypedNumber {
  readonly path: string;
  readonly help: string;
}

/** The side of an operation that has no type beside one that is an int; null = there is none, or it is no path. */
export function untypedNumber(
  node: SyntaxNode & { readonly kind: 'binary' },
  left: ValueType,
  right: ValueType,
): UntypedNumber | null {
  const [untyped, typed] = left.kind === 'dyn' ? [node.left, right] : [node.right, left];
  const path = pathOf(untyped)?.join('.');
  if (path === undefined || typed.kind !== 'int' || (left.kind !== 'dyn' && right.kind !== 'dyn')) return null;
  const [one, other] = left.kind === 'dyn' ? [DOUBLE, right] : [left, DOUBLE];
  return { path, help: arithmeticHelp(node, one, other) };
}

/** How to mend a comparison of two types. */
export function comparisonHelp(node: Pair, left: ValueType, right: ValueType): string {
  if (left.kind === 'null' || right.kind === 'null') return nullHelp(node, left.kind === 'null');
  const numbers = numberHelp(node, left, right);
  if (numbers !== null) return numbers;
  if (is(left, 'string') !== is(right, 'string') && (isNumber(left) || isNumber(right)))
    return 'write int(…) around the text, or string(…) around the number';
  if (is(left, 'decimal') !== is(right, 'decimal')) return 'write decimal(…) around the other side';
  if (is(left, 'timestamp') !== is(right, 'timestamp')) return 'write timestamp(…) around the text of a time';
  return ONE_TYPE;
}

/** The commonest first error: an int literal beside a double. */
function numberHelp(node: Pair, left: ValueType, right: ValueType): string | null {
  const mixed = (is(left, 'int') && is(right, 'double')) || (is(left, 'double') && is(right, 'int'));
  if (!mixed) return null;
  const [leftNode, rightNode] = sidesOf(node);
  const [whole, double] = is(left, 'int') ? [leftNode, rightNode] : [rightNode, leftNode];
  if (node.kind === 'binary' && node.operator === '%') return `only ints have a remainder: write int(${words(double)})`;
  if (whole.kind === 'literal') return `write ${String(whole.value)}.0: int and double do not mix${exactHint(node)}`;
  return `int and double do not mix: write double(${words(whole)})${exactHint(node)}`;
}

/** A path as it is written; `…` for anything else. */
function words(node: SyntaxNode): string {
  return pathOf(node)?.join('.') ?? '…';
}

function nullHelp(node: Pair, leftIsNull: boolean): string {
  const [leftNode, rightNode] = sidesOf(node);
  return `the schema does not allow null here; to ask whether it is there, write has(${words(leftIsNull ? rightNode : leftNode)})`;
}

function sidesOf(node: Pair): readonly [SyntaxNode, SyntaxNode] {
  return node.kind === 'binary' ? [node.left, node.right] : [node.yes, node.no];
}

/** Kinds that `string(…)` makes a text of. */
const TEXTUAL: readonly ValueType['kind'][] = ['bool', 'int', 'double', 'timestamp', 'duration', 'decimal'];

/** What an expression can be asked to give. */
export type ResultWant = 'bool' | 'int' | 'string' | 'list' | 'timestamp' | 'duration';

/** What is wanted in the words of messages. */
export function wantWords(want: ResultWant): string {
  return want === 'duration' ? 'a duration with its unit' : want === 'timestamp' ? 'a time with its zone' : want;
}

/** How a value becomes what is wanted where its expression stands. */
export function resultHelp(type: ValueType, want: ResultWant): string {
  const kinds = optionsOf(type).map((option) => option.kind);
  switch (want) {
    case 'bool':
      return 'compare it with something';
    case 'string':
      return kinds.some((kind) => TEXTUAL.includes(kind))
        ? 'write string(…) around it'
        : 'name a text in it, for example input.orderId';
    case 'int':
      return kinds.includes('string') ? 'write int(…) around it' : 'name a whole number, for example input.count';
    case 'timestamp':
      return 'name a time, for example run.startedAt, or a text such as "2030-01-31T12:00:00Z"';
    case 'duration':
      if (kinds.includes('timestamp')) return 'for a time write wait: { until: … }';
      return kinds.includes('int')
        ? 'give it a unit: dur(string(…) + "s") for seconds'
        : 'name a duration, for example dur("1h30m"), or a text such as "1h30m"';
    case 'list':
      return 'name a list, or write one: [ … ]';
  }
}

function is(type: ValueType, kind: ValueType['kind']): boolean {
  return optionsOf(type).some((option) => option.kind === kind);
}

function isNumber(type: ValueType): boolean {
  return is(type, 'int') || is(type, 'double');
}
