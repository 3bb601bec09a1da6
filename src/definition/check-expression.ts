import type { Expression, JsonSchema, Template, WorkflowDefinition } from '../model/definition.ts';
import { caught } from '../model/caught.ts';
import { checkProgram, parseSource, SyntaxFault } from './expression-engine.ts';
import { BOUNDS } from './expression/bounds.ts';
import { type ExpressionProblem, problemAt } from './expression/expression-problem.ts';
import { describeFault } from './expression/fault-words.ts';
import { TypeInference } from './expression/infer-type.ts';
import { lowerExpression, originOf } from './expression/lower-expression.ts';
import { measureTree } from './expression/measure.ts';
import { createTypeScope, type TypeScope } from './expression/root-types.ts';
import type { Site } from './expression/site.ts';
import { syntaxWords } from './expression/syntax-words.ts';
import type { SyntaxNode } from './expression/syntax-tree.ts';
import { checkTemplateAt, type TemplateProblem } from './expression/template-type.ts';
import { type ResultWant, resultHelp, wantWords } from './expression/operator-help.ts';
import { canBe } from './expression/type-rules.ts';
import { describeType, DYN, type ValueType } from './expression/value-type.ts';

export type { ExpressionProblem } from './expression/expression-problem.ts';
export type { TemplateProblem } from './expression/template-type.ts';
export type { TypeScope } from './expression/root-types.ts';

/** What a value has to be where the expression stands; `any` = whatever. */
export type Want = 'any' | ResultWant;

/** What the checks know of a definition: make it once, pass it to every check. */
export function typesOf(definition: WorkflowDefinition): TypeScope {
  return createTypeScope(definition);
}

/**
 * All that is wrong with an expression at a place: syntax, bounds, unknown names, types against the definition's schemas.
 * @param want what the value must be: `bool` for guards; a text may hold a time or a duration, which is seen when it is there
 * @returns problems with offsets in the CEL source; add `expression.offset` for the scalar's text
 */
export function checkExpression(
  expression: Expression,
  site: Site,
  types: TypeScope,
  want: Want,
): readonly ExpressionProblem[] {
  const { problems, type, tree } = inferExpression(expression, site, types);
  if (tree === null || want === 'any' || canBe(type, want)) return problems;
  if ((want === 'timestamp' || want === 'duration') && canBe(type, 'string')) return problems;
  const kind = want === 'bool' ? 'guard' : 'result';
  const message = `${want === 'bool' ? 'a condition' : 'this value'} must be ${wantWords(want)}, it is ${describeType(type)}`;
  return [...problems, problemAt(tree, { kind, message, help: resultHelp(type, want) })];
}

/**
 * All that is wrong with a template: its expressions, and its shape and types against a schema (a missing required key, an unknown
 * key, a value of the wrong type). Problems carry the pointer of the YAML value they are about.
 * @param expected `schema` = what is wanted (`true` = anything); `pointer` = where the template stands
 */
export function checkTemplate(
  template: Template,
  site: Site,
  types: TypeScope,
  expected: { readonly schema: JsonSchema; readonly pointer: string },
): readonly TemplateProblem[] {
  return checkTemplateAt(template, expected, (expression) => inferExpression(expression, site, types));
}

/** The type of an expression and what is wrong with it. */
export interface InferredExpression {
  readonly type: ValueType;
  readonly problems: readonly ExpressionProblem[];
  /** Null when it could not be read. */
  readonly tree: SyntaxNode | null;
}

/** The type of an expression at a place, `dyn` where nothing is known. */
export function inferExpression(expression: Expression, site: Site, types: TypeScope): InferredExpression {
  const { source } = expression;
  if (Buffer.byteLength(source, 'utf8') > BOUNDS.sourceBytes)
    return unread(
      { start: 0, end: source.length },
      'bounds',
      `more than ${BOUNDS.sourceBytes} bytes in one expression`,
    );
  const tree = read(source);
  if (tree instanceof SyntaxFault) {
    const words = syntaxWords(tree, source);
    return {
      type: DYN,
      problems: [problemAt(words.span, { kind: words.kind, message: words.message, help: words.help })],
      tree: null,
    };
  }
  const bound = measureTree(tree);
  if (bound !== null) return unread(bound, 'bounds', bound.message);
  const inference = new TypeInference(types.rootsAt(site));
  const type = inference.infer(tree);
  const found = inference.problems.some((problem) => problem.severity === 'error') ? [] : engineProblems(tree, source);
  return { type, problems: [...inference.problems, ...found], tree };
}

const SPLIT_HELP = 'split it: compute parts in `set` steps, or in the action';

function unread(
  span: { readonly start: number; readonly end: number },
  kind: 'bounds',
  message: string,
): InferredExpression {
  return { type: DYN, problems: [problemAt(span, { kind, message, help: SPLIT_HELP })], tree: null };
}

function read(source: string): SyntaxNode | SyntaxFault {
  try {
    return parseSource(source);
  } catch (error) {
    return caught(error, SyntaxFault);
  }
}

/** What the engine would refuse at its first evaluation, so that no static mistake is left for a run to find. */
function engineProblems(tree: SyntaxNode, source: string): readonly ExpressionProblem[] {
  try {
    const lowered = lowerExpression(tree, source);
    const fault = checkProgram(lowered.text);
    if (fault === null) return [];
    const node = (fault.span === null ? null : originOf(lowered, fault.span)) ?? tree;
    const words = describeFault(fault, node);
    return [
      problemAt(words.span, { kind: 'type', message: words.summary, help: 'compute it another way, or in a step' }),
    ];
  } catch (error) {
    caught(error, SyntaxFault);
    return [problemAt(tree, { kind: 'bounds', message: 'too large for the expression engine', help: SPLIT_HELP })];
  }
}
