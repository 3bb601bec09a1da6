import { invariant } from '../../model/errors.ts';
import { functionSignatures, methodSignatures, type Signature } from './function-table.ts';
import { pathOf, type Span, type SyntaxNode } from './syntax-tree.ts';

/** The text that the engine runs, and where each part of it came from. */
export interface Lowered {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** A stretch of lowered text and the node it computes. */
interface Mark extends Span {
  readonly node: SyntaxNode;
}

/** A name that the language does not have. */
export class UnknownFunction extends Error {
  readonly node: SyntaxNode;
  constructor(node: SyntaxNode, name: string) {
    super(`there is no function \`${name}\` with these arguments`);
    this.node = node;
  }
}

/**
 * Writes a tree as text for the engine: equality, `in`, map literals, `matches` and all that the function table gives to own
 * functions become calls `own_…`; `or(path, d)` a chain of `has`; the range of a comprehension passes the cost meter. All else stays.
 * @param source the text that the tree was read from; literals are copied from it.
 * @throws UnknownFunction
 */
export function lowerExpression(node: SyntaxNode, source: string): Lowered {
  const writer = new Writer(source);
  writer.write(node, 0);
  return { text: writer.text, marks: writer.marks };
}

/** The node that a stretch of lowered text belongs to: the smallest that holds it. */
export function originOf(lowered: Lowered, span: Span): SyntaxNode | undefined {
  let best: Mark | undefined;
  for (const mark of lowered.marks) {
    const holds = mark.start <= span.start && mark.end >= span.end;
    if (holds && (best === undefined || mark.end - mark.start < best.end - best.start)) best = mark;
  }
  return best?.node;
}

type Call = SyntaxNode & { readonly kind: 'call' };
type Composite = Extract<
  SyntaxNode,
  { readonly kind: 'call' | 'method' | 'comprehension' | 'unary' | 'binary' | 'ternary' }
>;

/** Operators that an own function computes. */
const OWN_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['==', 'own_eq('],
  ['!=', '!own_eq('],
  ['in', 'own_in('],
]);

class Writer {
  text = '';
  readonly marks: Mark[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param depth how many comprehensions are around it */
  write(node: SyntaxNode, depth: number): void {
    const start = this.text.length;
    this.#writeNode(node, depth);
    this.marks.push({ start, end: this.text.length, node });
  }

  #writeNode(node: SyntaxNode, depth: number): void {
    switch (node.kind) {
      case 'literal':
      case 'foreign':
        this.text += this.#source.slice(node.start, node.end);
        return;
      case 'name':
        this.text += node.name;
        return;
      case 'field':
        this.#writeOperand(node.of, depth);
        this.text += `.${node.name}`;
        return;
      case 'index':
        this.#writeOperand(node.of, depth);
        this.#list('[', [node.index], ']', depth);
        return;
      case 'list':
        this.#list('[', node.items, ']', depth);
        return;
      case 'map':
        this.#list('own_map([', node.entries.flat(), '])', depth);
        return;
      default:
        this.#writeComposite(node, depth);
    }
  }

  #writeComposite(node: Composite, depth: number): void {
    switch (node.kind) {
      case 'call':
        this.#writeCall(node, depth);
        return;
      case 'method':
        this.#writeMethod(node, depth);
        return;
      case 'comprehension':
        this.#writeComprehension(node, depth);
        return;
      case 'unary':
        this.text += node.operator;
        this.#writeOperand(node.operand, depth);
        return;
      case 'binary':
        this.#writeBinary(node, depth);
        return;
      case 'ternary':
        this.#writeTernary(node, depth);
    }
  }

  #writeCall(node: Call, depth: number): void {
    if (node.name === 'has' && node.args.length === 1) {
      this.#list('has(', node.args, ')', depth);
      return;
    }
    const [path, fallback, ...more] = node.args;
    if (node.name === 'or' && path !== undefined && fallback !== undefined && more.length === 0) {
      this.#writeOr(node, { path, fallback }, depth);
      return;
    }
    const signature = pick(functionSignatures(node.name), node.args.length);
    if (signature === null) throw new UnknownFunction(node, node.name);
    this.#list(`${signature.own === null ? node.name : `own_${signature.own}`}(`, node.args, ')', depth);
  }

  #writeMethod(node: SyntaxNode & { readonly kind: 'method' }, depth: number): void {
    const signature = pick(methodSignatures(node.name), node.args.length);
    if (signature === null) throw new UnknownFunction(node, node.name);
    if (signature.own !== null) {
      this.#list(`own_${signature.own}(`, [node.of, ...node.args], ')', depth);
      return;
    }
    this.#writeOperand(node.of, depth);
    this.#list(`.${node.name}(`, node.args, ')', depth);
  }

  #writeComprehension(node: SyntaxNode & { readonly kind: 'comprehension' }, depth: number): void {
    this.#list('own_each(', [node.range], `, ${depth})`, depth);
    this.text += `.${node.macro}(${node.item}, `;
    this.#list('', node.args, ')', depth + 1);
  }

  #writeBinary(node: SyntaxNode & { readonly kind: 'binary' }, depth: number): void {
    const own = OWN_OPERATORS.get(node.operator);
    if (own !== undefined) {
      this.#list(own, [node.left, node.right], ')', depth);
      return;
    }
    // A chain of one operator stays flat: nesting it would meet the engine's depth bound at a few hundred operands.
    const { left } = node;
    if (left.kind === 'binary' && left.operator === node.operator) this.write(left, depth);
    else this.#writeOperand(left, depth);
    this.text += ` ${node.operator} `;
    this.#writeOperand(node.right, depth);
  }

  /** `dyn(…)` around one result: `x ? 5 : null` is fine here, and the engine would refuse its literals. */
  #writeTernary(node: SyntaxNode & { readonly kind: 'ternary' }, depth: number): void {
    this.#writeOperand(node.test, depth);
    this.text += ' ? ';
    this.#writeOperand(node.yes, depth);
    this.#list(' : dyn(', [node.no], ')', depth);
  }

  /** `or(a.b.c, d)`: c if a, a.b and a.b.c are there, null included; else d. */
  #writeOr(
    node: Call,
    { path, fallback }: { readonly path: SyntaxNode; readonly fallback: SyntaxNode },
    depth: number,
  ): void {
    const names = pathOf(path);
    if (names === null || names.length < 2) throw new UnknownFunction(node, 'or');
    const steps: PathStep[] = [];
    for (let at: SyntaxNode = path; at.kind === 'field' || at.kind === 'index'; at = at.of) steps.unshift(at);
    const tests = steps.map((step) => presenceOf(step));
    this.text += `${tests.join(' && ')} ? `;
    this.write(path, depth);
    this.#list(' : dyn(', [fallback], ')', depth);
  }

  #writeOperand(node: SyntaxNode, depth: number): void {
    const [open, close] = isTight(node) ? ['', ''] : ['(', ')'];
    this.text += open;
    this.write(node, depth);
    this.text += close;
  }

  #list(open: string, nodes: readonly SyntaxNode[], close: string, depth: number): void {
    this.text += open;
    for (const [at, node] of nodes.entries()) {
      if (at > 0) this.text += ', ';
      this.write(node, depth);
    }
    this.text += close;
  }
}

/** Whether a node needs no parentheses as an operand. `or(…)` is written as a ternary, `!=` begins with `!`. */
function isTight(node: SyntaxNode): boolean {
  if (node.kind === 'binary') return node.operator === '==' || node.operator === 'in';
  if (node.kind === 'call') return node.name !== 'or';
  if (node.kind === 'literal') return typeof node.value !== 'number' && typeof node.value !== 'bigint';
  return node.kind !== 'unary' && node.kind !== 'ternary';
}

type PathStep = Extract<SyntaxNode, { readonly kind: 'field' | 'index' }>;

/** The engine's `has` takes names only: below a key in brackets the own function asks. */
function presenceOf(step: PathStep): string {
  const of = writePath(step.of);
  if (step.kind === 'index') return `own_holds(${of}, ${writeKey(step.index)})`;
  return of.includes('[') ? `own_holds(${of}, ${JSON.stringify(step.name)})` : `has(${of}.${step.name})`;
}

/** Of what `pathOf` takes for a path. */
function writePath(node: SyntaxNode): string {
  if (node.kind === 'name') return node.name;
  if (node.kind === 'field') return `${writePath(node.of)}.${node.name}`;
  invariant(node.kind === 'index', 'a path with something else in it', { kind: node.kind });
  return `${writePath(node.of)}[${writeKey(node.index)}]`;
}

/** A text literal that both JSON and CEL read the same. */
function writeKey(node: SyntaxNode): string {
  invariant(node.kind === 'literal', 'a key of a path that is no literal', { kind: node.kind });
  return JSON.stringify(node.value);
}

function pick(signatures: readonly Signature[], count: number): Signature | null {
  return signatures.find((signature) => signature.args.length === count) ?? null;
}
