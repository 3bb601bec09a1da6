import { EvaluationError, ParseError, TypeError as CheckError, type ASTNode } from '@marcbachmann/cel-js';
import { Duration, Environment } from '@marcbachmann/cel-js/evaluator';
import { caught } from '../model/caught.ts';
import { invariant } from '../model/errors.ts';
import { BOUNDS } from './expression/bounds.ts';
import { DecimalNumber } from './expression/decimal.ts';
import type { EngineHost } from './expression/engine-host.ts';
import { ExpressionRefusal } from './expression/expression-refusal.ts';
import { REFUSED } from './expression/fault-codes.ts';
import { ROOT_NAMES } from './expression/names.ts';
import { ownFunctions } from './expression/own-functions.ts';
import { CostMeter, decimalOperators } from './expression/own-operators.ts';
import { COMPREHENSIONS, type Comprehension, type Span, type SyntaxNode } from './expression/syntax-tree.ts';

/** The pinned engine, as named in the `language` digest of a version. */
export const ENGINE = '@marcbachmann/cel-js@8.0.0';

/** A source that the engine cannot read. */
export class SyntaxFault extends Error {
  readonly code: string;
  readonly span: Span;
  constructor(code: string, message: string, span: Span) {
    super(message);
    this.code = code;
    this.span = span;
  }
}

/** A program that could not be computed: `code` says why, `span` is in the program's own text. The engine's messages may hold values, so `fault-words.ts` replaces them. */
export class ProgramFault extends Error {
  readonly code: string;
  readonly span: Span | null;
  constructor(code: string, message: string, span: Span | null) {
    super(message);
    this.code = code;
    this.span = span;
  }
}

/** Runs a compiled text on bound roots. @throws ProgramFault */
export type Program = (roots: ReadonlyMap<string, unknown>) => unknown;

/** The engine's durations, for the own functions. */
export const ENGINE_HOST: EngineHost = {
  duration: (ms) => Duration.fromMilliseconds(ms),
  isDuration: (value): value is Duration => value instanceof Duration,
};

/** One meter serves all: an evaluation is one synchronous call and none runs inside another. */
const meter = new CostMeter();
const environment = makeEnvironment();
/** Reads what authors write: bounded tightly, so that no walk over a tree runs out of stack. */
const reader = new Environment({
  limits: { maxAstNodes: BOUNDS.parsedNodes, maxListElements: BOUNDS.parsedNodes, maxMapEntries: BOUNDS.parsedNodes },
});

/** Engine values and handlers meet here only: a handler gets what the engine holds, and a refusal gets the engine's caret. */
function makeEnvironment(): Environment {
  const made = new Environment({
    // Items of maps have names of the author; which names can be read where is checked by our own inference.
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: BOUNDS.loweredNodes,
      maxDepth: BOUNDS.loweredDepth,
      maxListElements: BOUNDS.listElements,
      maxMapEntries: BOUNDS.listElements,
      maxCallArguments: 32,
    },
  });
  made.registerType('decimal', DecimalNumber);
  for (const name of ROOT_NAMES) made.registerVariable(name, 'dyn');
  for (const own of ownFunctions(ENGINE_HOST)) {
    for (const arity of own.arities) {
      const signature = `own_${own.name}(${Array(arity).fill('dyn').join(', ')}): dyn`;
      made.registerFunction(signature, guarded(own.run), { async: false });
    }
  }
  made.registerFunction('own_each(dyn, int): list<dyn>', guarded(walkRange), { async: false });
  made.registerFunction(
    'own_holds(dyn, string): bool',
    (of: unknown, key: unknown) => of instanceof Map && of.has(key),
    { async: false },
  );
  for (const own of decimalOperators()) {
    made.registerOperator(own.signature, guarded(own.run));
  }
  made.registerOperator('-decimal: decimal', (value: DecimalNumber) => value.negated());
  return made;
}

function walkRange(range: unknown, depth: unknown): readonly unknown[] {
  return meter.enter(range, Number(depth));
}

function guarded(run: (...args: readonly unknown[]) => unknown): (...args: readonly unknown[]) => unknown {
  return (...args) => {
    try {
      return run(...args);
    } catch (error) {
      throw new EvaluationError({ code: REFUSED, message: caught(error, ExpressionRefusal).message });
    }
  };
}

/**
 * Reads CEL source into our own tree.
 * @throws SyntaxFault
 */
export function parseSource(source: string): SyntaxNode {
  return convert(readWith(reader, source).ast);
}

/**
 * Makes a program of lowered text (`lower-expression.ts`); compile once, run often.
 * @throws SyntaxFault when the engine refuses the text.
 */
export function compileProgram(text: string): Program {
  const parsed = readWith(environment, text);
  return (roots) => {
    meter.reset();
    try {
      return parsed(roots);
    } catch (error) {
      throw asProgramFault(error);
    }
  };
}

/** What the engine's own static check says of lowered text, with every root untyped; null = nothing. */
export function checkProgram(text: string): ProgramFault | null {
  const { error } = readWith(environment, text).check();
  return error === undefined ? null : asProgramFault(error);
}

function readWith(engine: Environment, text: string): ReturnType<Environment['parse']> {
  try {
    return engine.parse(text);
  } catch (error) {
    const { code, summary, range = { start: 0, end: text.length } } = caught(error, ParseError);
    throw new SyntaxFault(code, summary, range);
  }
}

function asProgramFault(error: unknown): ProgramFault {
  if (error instanceof EvaluationError || error instanceof CheckError) {
    return new ProgramFault(error.code, error.summary, error.range ?? null);
  }
  // The engine throws plain errors for overlapping overloads and the like; their texts may hold values, so they are not passed on.
  return new ProgramFault('engine', 'the expression engine could not compute this', null);
}

function convert(node: ASTNode): SyntaxNode {
  const span = { start: node.start, end: node.end };
  switch (node.op) {
    case 'value':
      return convertLiteral(node.args, span, INT_MAX);
    case 'id':
      return { kind: 'name', name: node.args, ...span };
    case 'call':
      return { kind: 'call', name: node.args[0], args: node.args[1].map(convert), ...span };
    case 'rcall':
      return convertMethod(node.args, span);
    case 'list':
      return { kind: 'list', items: node.args.map(convert), ...span };
    case 'map':
      return {
        kind: 'map',
        entries: node.args.map(([key, value]) => [convert(key), convert(value)] as const),
        ...span,
      };
    default:
      return convertOperator(node, span);
  }
}

type OperatorNode = Exclude<ASTNode, { readonly op: 'value' | 'id' | 'call' | 'rcall' | 'list' | 'map' }>;

function convertOperator(node: OperatorNode, span: Span): SyntaxNode {
  invariant(node.op !== '.?' && node.op !== '[?]', 'the engine was asked for no optional access');
  switch (node.op) {
    case '.':
      return { kind: 'field', of: convert(node.args[0]), name: node.args[1], ...span };
    case '[]':
      return { kind: 'index', of: convert(node.args[0]), index: convert(node.args[1]), ...span };
    case '?:': {
      const [test, yes, no] = node.args;
      return { kind: 'ternary', test: convert(test), yes: convert(yes), no: convert(no), ...span };
    }
    case '!_':
      return { kind: 'unary', operator: '!', operand: convert(node.args), ...span };
    case '-_':
      return { kind: 'unary', operator: '-', operand: convertNegated(node.args), ...span };
    default:
      return { kind: 'binary', operator: node.op, left: convert(node.args[0]), right: convert(node.args[1]), ...span };
  }
}

/** The largest int of CEL; the smallest is one further from zero. */
const INT_MAX = 2n ** 63n - 1n;

/** The engine reads `-9223372036854775808` as the negation of a number that has no positive twin. */
function convertNegated(node: ASTNode): SyntaxNode {
  if (node.op !== 'value') return convert(node);
  return convertLiteral(node.args, { start: node.start, end: node.end }, INT_MAX + 1n);
}

/** @throws SyntaxFault for an int of more than 64 bits, which the engine would compute with. */
function convertLiteral(value: unknown, span: Span, intMax: bigint): SyntaxNode {
  switch (typeof value) {
    case 'bigint':
      if (value > intMax) throw new SyntaxFault('int_range', 'an int of more than 64 bits', span);
      return { kind: 'literal', value, ...span };
    case 'string':
    case 'boolean':
    case 'number':
      return { kind: 'literal', value, ...span };
    default:
      if (value === null) return { kind: 'literal', value, ...span };
      return { kind: 'foreign', what: value instanceof Uint8Array ? 'bytes' : 'unsigned integers', ...span };
  }
}

function convertMethod(parts: [string, ASTNode, ASTNode[]], span: Span): SyntaxNode {
  const [name, receiver, args] = parts;
  const [item, ...rest] = args;
  const macro = COMPREHENSIONS.find((known) => known === name);
  if (macro !== undefined && item?.op === 'id' && isArity(macro, args.length)) {
    return {
      kind: 'comprehension',
      macro,
      range: convert(receiver),
      item: item.args,
      args: rest.map(convert),
      ...span,
    };
  }
  return { kind: 'method', name, of: convert(receiver), args: args.map(convert), ...span };
}

function isArity(macro: Comprehension, count: number): boolean {
  return count === 2 || (macro === 'map' && count === 3);
}
