import { expressionsOf } from '../definition/dependencies.ts';
import { ExpressionFault } from '../definition/expression/expression-fault.ts';
import type { Template } from '../model/definition.ts';

/** A template whose value is not what its place needs; named by its first expression, never by the value. */
export function templateFault(template: Template, summary: string): ExpressionFault {
  const expression = expressionsOf(template)[0] ?? { source: '', pointer: '', offset: 0 };
  return new ExpressionFault(expression, { start: 0, end: expression.source.length }, summary);
}
