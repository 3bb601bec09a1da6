import type { Expression, WorkflowDefinition } from '../model/definition.ts';
import {
  checkExpression,
  checkTemplate,
  type ExpressionProblem,
  type TemplateProblem,
  typesOf,
} from './check-expression.ts';
import { describeDependencies, expressionsOf } from './dependencies.ts';
import { type ExpressionPlace, expressionPlaces } from './expression-places.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { Finding } from './report-problem.ts';
import { suggest } from './suggest.ts';

const CODES: Readonly<Record<ExpressionProblem['kind'], ProblemCode>> = {
  syntax: 'PAWL-401',
  bounds: 'PAWL-402',
  'unknown-name': 'PAWL-403',
  'unknown-function': 'PAWL-404',
  type: 'PAWL-405',
  guard: 'PAWL-406',
  result: 'PAWL-407',
  missing: 'PAWL-408',
  pattern: 'PAWL-409',
  literal: 'PAWL-410',
  'template-key': 'PAWL-411',
  'template-value': 'PAWL-412',
  cut: 'PAWL-413',
  inexact: 'PAWL-414',
};

function helpOf(problem: ExpressionProblem): string {
  const near = problem.name === null ? null : suggest(problem.name, problem.candidates);
  return near ?? problem.help;
}

function inExpression(problem: ExpressionProblem, expression: Expression): Finding {
  return {
    code: CODES[problem.kind],
    severity: problem.severity,
    pointer: expression.pointer,
    at: [expression.offset + problem.start, expression.offset + problem.end],
    message: problem.message,
    help: helpOf(problem),
  };
}

function inTemplate(problem: TemplateProblem): Finding {
  if (problem.expression !== null) return inExpression(problem, problem.expression);
  return {
    code: CODES[problem.kind],
    severity: problem.severity,
    pointer: problem.pointer,
    at: problem.kind === 'template-key' ? 'key' : 'value',
    message: problem.message,
    help: helpOf(problem),
  };
}

/** Some expressions are evaluated before there is a run, or for many runs: they see few roots only. */
function foreignRoots(expression: Expression, roots: readonly string[]): readonly Finding[] {
  return describeDependencies(expression).flatMap(({ path, start, end }): Finding[] => {
    const [root] = path;
    if (root === undefined || roots.includes(root)) return [];
    const message = `\`${root}\` is not known here: this is computed before there is a run to read from`;
    const at = [expression.offset + start, expression.offset + end] as const;
    return [{ code: 'PAWL-403', pointer: expression.pointer, at, message, help: `it can read ${roots.join(', ')}` }];
  });
}

function checkPlace(place: ExpressionPlace, types: ReturnType<typeof typesOf>): readonly Finding[] {
  const { site, roots } = place;
  if (place.kind === 'template') {
    const { template, schema, pointer } = place;
    const told = checkTemplate(template, site, types, { schema, pointer }).map(inTemplate);
    const foreign =
      roots === undefined || told.length > 0 ? [] : expressionsOf(template).flatMap((one) => foreignRoots(one, roots));
    return [...told, ...foreign];
  }
  const { expression, want } = place;
  const problems = checkExpression(expression, site, types, want);
  const foreign = roots === undefined || problems.length > 0 ? [] : foreignRoots(expression, roots);
  return [...problems.map((problem) => inExpression(problem, expression)), ...foreign];
}

/** All that is wrong with the expressions of a definition: syntax, names, types, bounds, against the schemas it declares. */
export function checkExpressions(definition: WorkflowDefinition): readonly Finding[] {
  const types = typesOf(definition);
  return expressionPlaces(definition).flatMap((place) => checkPlace(place, types));
}
